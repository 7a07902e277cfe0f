#!/usr/bin/env python3
"""A minimal adapter: two types, and the reason why each other type is skipped.

The judge starts an adapter once. It writes one request per line to the standard
input of the adapter and reads one answer per line from its standard output. To
write your own adapter, copy this file, replace the readers and writers below
with yours, and extend the list of types.

    formatgauge test -- python3 examples/adapters/python/minimal.py

With FORMATGAUGE_PLANT=sign in the environment the reader ignores a sign. The
report shows how the judge detects this.
"""
import json
import os
import pathlib
import sys

PLANT = os.environ.get("FORMATGAUGE_PLANT")


class Reject(Exception):
    """Rejected input: class and offset. Or a value without an encoding: class only."""


# A reader converts bytes to a tree, a writer converts a tree to bytes. Numbers
# in trees are strings, so that no JSON reader rounds them.

def read_index(data):
    if not data:
        raise Reject("truncated", 0)
    magnitude, shift, used, more = data[0] & 0x3F, 6, 1, data[0] & 0x40
    while more and used < 5:
        if used == len(data):
            raise Reject("truncated", 0)
        magnitude |= (data[used] & 0x7F) << shift
        more, shift, used = data[used] & 0x80, shift + 7, used + 1
    if used < len(data):
        raise Reject("trailing", used)
    negative = data[0] & 0x80 and PLANT != "sign"
    value = -magnitude if negative else magnitude
    return str((value + 2**31) % 2**32 - 2**31)  # engines store it in 32 bits


def write_index(tree):
    value = int(tree)
    if not -2**31 <= value < 2**31:
        raise Reject("range")
    rest = abs(value)
    out, rest = [rest & 0x3F | (0x80 if value < 0 else 0) | (0x40 if rest > 0x3F else 0)], rest >> 6
    while rest:
        out, rest = out + [rest & 0x7F | (0x80 if rest > 0x7F else 0)], rest >> 7
    return bytes(out)


def read_string(data):
    if len(data) < 4:
        raise Reject("truncated", 0)
    end = 4 + int.from_bytes(data[:4], "little")
    if end != len(data):
        raise Reject("truncated", 0) if end > len(data) else Reject("trailing", end)
    try:
        return data[4:].decode("utf-8")
    except UnicodeDecodeError:
        return {"hex": data[4:].hex()}  # text that is not valid UTF-8


def write_string(tree):
    text = tree.encode("utf-8") if isinstance(tree, str) else bytes.fromhex(tree["hex"])
    return len(text).to_bytes(4, "little") + text


TYPES = {"upkg.CompactIndex": (read_index, write_index), "ubi.BasicString": (read_string, write_string)}
SKIPS = {  # the report groups skipped types by these reasons
    "needs wide text": "ubi.BasicWString upkg.Name upkg.NameEntry upkg.Package",
    "needs floats": "ubi.Vector2 ubi.Vector3 ubi.Vector4 ubi.Quaternion ubi.Color ubi.Box ubi.Matrix22 ubi.Matrix33"
    " ubi.Matrix44 ubi.CompressedQuaternion3U16.Quaternion ubi.CompressedQuaternionU32.Quaternion ubi.Pair",
    "not implemented": "ubi.FileMagic ubi.EncryptedString ubi.Array ubi.PairArray ubi.CompressedQuaternion3U16"
    " ubi.CompressedQuaternionU32 upkg.Integer upkg.ObjectReference upkg.Header upkg.ImportEntry upkg.ExportEntry",
}  # types in neither list are skipped without a reason
HELLO = {"protocol": "1", "name": "minimal", "language": "Python", "types": list(TYPES),
         "operations": ["decode", "encode", "roundtrip"],
         "profile": "observed",  # where engines and documents differ, both readers follow the engines
         "skips": [{"type": t, "reason": why} for why, types in SKIPS.items() for t in types.split()]}


def answer(q):
    if q["op"] == "hello":
        return {"hello": HELLO}
    if q["op"] not in HELLO["operations"] or q["type"] not in TYPES:  # only formatgauge smoke requests these
        return {"skip": {"reason": "not listed in hello"}}
    if q.get("context", {}).get("order") == "big":
        return {"skip": {"reason": "big-endian is not implemented"}}
    read, write = TYPES[q["type"]]
    try:
        if q["op"] == "encode":
            return {"ok": {"hex": write(q["tree"]).hex()}}
        # Long inputs are in a file.
        tree = read(pathlib.Path(q["file"]).read_bytes() if "file" in q else bytes.fromhex(q["hex"]))
        return {"ok": {"tree": tree} if q["op"] == "decode" else {"hex": write(tree).hex()}}
    except Reject as r:
        return {"reject": dict(zip(["class", "offset"], r.args))}


for line in sys.stdin.buffer:
    request = json.loads(line)
    print(json.dumps({"id": request["id"], **answer(request)}), flush=True)
