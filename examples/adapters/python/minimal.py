#!/usr/bin/env python3
"""A first adapter: two types, and a reason for each one that it leaves out.

The judge starts an adapter once, writes requests to its standard input, one
line each, and reads one line of answer each from its standard output. Copy
this file, put your own reader and writer in place of the two below, and let
the list of types grow.

    formatgauge test -- python3 examples/adapters/python/minimal.py

With FORMATGAUGE_PLANT=sign in the environment the reader forgets a sign: see
what the report makes of that.
"""
import json
import os
import pathlib
import sys

PLANT = os.environ.get("FORMATGAUGE_PLANT")


class Reject(Exception):
    """Input that is wrong: class and offset. Or a value without encoding: no offset."""


# A reader takes bytes and gives a tree, a writer takes a tree and gives bytes.
# Numbers in trees are strings, so that no JSON reader rounds them.

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
    return str((value + 2**31) % 2**32 - 2**31)  # engines hold it in 32 bits


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
        return {"hex": data[4:].hex()}  # how a tree holds bytes that are no UTF-8


def write_string(tree):
    text = tree.encode("utf-8") if isinstance(tree, str) else bytes.fromhex(tree["hex"])
    return len(text).to_bytes(4, "little") + text


TYPES = {"upkg.CompactIndex": (read_index, write_index), "ubi.BasicString": (read_string, write_string)}
LATER = {  # the report groups what is skipped by these reasons
    "waits for wide text": "ubi.BasicWString upkg.Name upkg.NameEntry upkg.Package",
    "waits for floats": "ubi.Vector2 ubi.Vector3 ubi.Vector4 ubi.Quaternion ubi.Color ubi.Box ubi.Matrix22 ubi.Matrix33"
    " ubi.Matrix44 ubi.CompressedQuaternion3U16.Quaternion ubi.CompressedQuaternionU32.Quaternion ubi.Pair",
    "not begun": "ubi.FileMagic ubi.EncryptedString ubi.Array ubi.PairArray ubi.CompressedQuaternion3U16"
    " ubi.CompressedQuaternionU32 upkg.Integer upkg.ObjectReference upkg.Header upkg.ImportEntry upkg.ExportEntry",
}  # whatever stands in neither list is skipped without a reason of yours
HELLO = {"protocol": "1", "name": "minimal", "language": "Python", "types": list(TYPES),
         "operations": ["decode", "encode", "recode"],
         "profile": "observed",  # both readers do what engines do, where that is not what the documents say
         "skips": [{"type": t, "reason": why} for why, types in LATER.items() for t in types.split()]}


def answer(q):
    if q["op"] == "hello":
        return {"hello": HELLO}
    if q["op"] not in HELLO["operations"] or q["type"] not in TYPES:  # only formatgauge smoke asks for these
        return {"skip": {"reason": "not in the list of hello"}}
    if q.get("context", {}).get("order") == "big":  # what a type has to be told from outside
        return {"skip": {"reason": "little-endian only so far"}}
    read, write = TYPES[q["type"]]
    try:
        if q["op"] == "encode":
            return {"ok": {"hex": write(q["tree"]).hex()}}
        # Long inputs come in a file.
        tree = read(pathlib.Path(q["file"]).read_bytes() if "file" in q else bytes.fromhex(q["hex"]))
        return {"ok": {"tree": tree} if q["op"] == "decode" else {"hex": write(tree).hex()}}
    except Reject as r:
        return {"reject": dict(zip(["class", "offset"], r.args))}


for line in sys.stdin.buffer:  # ends with the judge's last request
    request = json.loads(line)
    print(json.dumps({"id": request["id"], **answer(request)}), flush=True)
