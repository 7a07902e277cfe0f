"""The adapter's side of the protocol: one line of JSON per request and answer."""
import json
import pathlib
import sys


class Reject(Exception):
    """A rejection: of input, with an offset; or of a value to encode, without."""

    def __init__(self, kind, offset=None, message=""):
        super().__init__(message)
        self.kind, self.offset = kind, offset


class Skip(Exception):
    """A request that the implementation does not support; the message is the reason."""


def serve(hello, decode, encode):
    """Answer requests until the input ends.

    decode(type, data, context) returns a tree, encode(type, tree, context)
    returns bytes. Both may raise Reject or Skip.
    """
    hello = {"protocol": "1", "language": "Python", "operations": ["decode", "encode", "roundtrip"], **hello}
    for line in sys.stdin.buffer:
        q = json.loads(line)
        part = {"hello": hello} if q["op"] == "hello" else answer(q, hello, decode, encode)
        # json.dumps writes ASCII, so the encoding of the locale does not matter.
        sys.stdout.write(json.dumps({"id": q["id"], **part}) + "\n")
        sys.stdout.flush()


def answer(q, hello, decode, encode):
    if q["op"] not in hello["operations"] or q["type"] not in hello["types"]:
        return {"skip": {"reason": "not listed in hello"}}
    name, context = q["type"], q.get("context", {})
    try:
        if q["op"] == "encode":
            return {"ok": {"hex": encode(name, q["tree"], context).hex()}}
        # Long inputs are in a file.
        data = pathlib.Path(q["file"]).read_bytes() if "file" in q else bytes.fromhex(q["hex"])
        tree = decode(name, data, context)
        if q["op"] == "decode":
            return {"ok": {"tree": tree, "consumed": len(data)}}
        return {"ok": {"hex": encode(name, tree, context).hex()}}
    except Reject as r:
        where = {} if r.offset is None else {"offset": r.offset}
        return {"reject": {"class": r.kind, "message": str(r), **where}}
    except Skip as s:
        return {"skip": {"reason": str(s)}}
    except Exception as e:  # a bug in the implementation, not a rejection
        return {"error": {"message": f"{type(e).__name__}: {e}"}}
