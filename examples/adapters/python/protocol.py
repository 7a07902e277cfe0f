"""The adapter's end of the protocol: one line of JSON in, one line out."""
import json
import pathlib
import sys


class Reject(Exception):
    """What the implementation refuses: input with an offset, a value to write without."""

    def __init__(self, kind, offset=None, message=""):
        super().__init__(message)
        self.kind, self.offset = kind, offset


class Skip(Exception):
    """What the implementation leaves out; the message is the reason."""


def serve(hello, decode, encode):
    """Answer requests until the input ends.

    decode(type, data, context) gives a tree, encode(type, tree, context) gives
    bytes; both raise Reject or Skip.
    """
    hello = {"protocol": "1", "language": "Python", "operations": ["decode", "encode", "recode"], **hello}
    for line in sys.stdin.buffer:
        q = json.loads(line)
        part = {"hello": hello} if q["op"] == "hello" else answer(q, hello, decode, encode)
        # ASCII, so that the locale's encoding has no say.
        sys.stdout.write(json.dumps({"id": q["id"], **part}) + "\n")
        sys.stdout.flush()


def answer(q, hello, decode, encode):
    if q["op"] not in hello["operations"] or q["type"] not in hello["types"]:
        return {"skip": {"reason": "not in the list of hello"}}
    name, context = q["type"], q.get("context", {})
    try:
        if q["op"] == "encode":
            return {"ok": {"hex": encode(name, q["tree"], context).hex()}}
        # Long inputs come in a file.
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
    except Exception as e:  # a bug in the implementation, to be told from a refusal
        return {"error": {"message": f"{type(e).__name__}: {e}"}}
