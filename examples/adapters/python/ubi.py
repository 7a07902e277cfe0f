#!/usr/bin/env python3
"""The base types of Myst IV, written only from the records of ubi.

The profile is observed. A type is represented by its name with arguments, a
value by its tree.
"""
import math

from protocol import Reject, serve
from values import (Reader, fixed_size, float_bits, float_tree, from_bits32, number, read_fixed, text_bytes, text_tree,
                    to_bits32, utf16, write_fixed, wtf8)

VECTOR2, VECTOR3, VECTOR4 = (dict.fromkeys(names, "f4") for names in ("xy", "xyz", "xyzw"))
FIXED = {
    "uint8": "u1", "uint16": "u2", "uint32": "u4", "float32": "f4",  # only in arrays and pairs
    "CompressedQuaternionU32": "u4",
    "CompressedQuaternion3U16": dict.fromkeys("xyz", "u2"),
    "Vector2": VECTOR2, "Vector3": VECTOR3, "Vector4": VECTOR4, "Quaternion": VECTOR4,
    "Matrix22": dict.fromkeys("xy", VECTOR2), "Matrix33": dict.fromkeys("xyz", VECTOR3),
    "Matrix44": dict.fromkeys("xyzw", VECTOR4),
    "Color": dict.fromkeys("rgba", "f4"), "Box": {"pMin": VECTOR3, "pMax": VECTOR3},
}
STRINGS = {"BasicString": 1, "EncryptedString": 1, "BasicWString": 2}  # bytes per unit of len
MAGICS = ("ubi/b0-l", "ubi/b0-b")
SWIZZLED = bytes((b & 0x55) << 1 | (b & 0xAA) >> 1 for b in range(256))  # UBI-ENC-2


def split(kind):
    """The name and the arguments of a type: Pair<A,B<C>> has A and B<C>."""
    name, _, rest = kind.partition("<")
    args, depth = [""], 0
    for c in rest[:-1]:
        depth += (c == "<") - (c == ">")
        if c == "," and depth == 0:
            args.append("")
        else:
            args[-1] += c
    return name, args


def least(kind):
    """The smallest size of a value in bytes, UBI-ARR-2."""
    if kind in FIXED:
        return fixed_size(FIXED[kind])
    name, args = split(kind)
    return sum(map(least, args)) if name == "Pair" else 4


def read(kind, r):
    if kind in FIXED:
        return read_fixed(FIXED[kind], r)
    if kind in OPERATIONS:
        return {name: float_tree(bits) for name, bits in zip("xyzw", OPERATIONS[kind][0](r))}
    if kind == "FileMagic":
        magic = r.take(8).decode("latin-1")
        if magic not in MAGICS:
            raise Reject("magic", 0, f"expected one of {MAGICS}")
        return magic
    name, args = split(kind)
    if name == "Pair":
        return {"k": read(args[0], r), "v": read(args[1], r)}
    at, count = r.pos, r.number(4)
    if kind == "Array<uint8>":
        return r.take(count, at).hex()  # UBI-ARR-4
    if args[0]:
        element = args[0] if name == "Array" else f"Pair<{args[0]},{args[1]}>"
        return r.array(count, least(element), at, lambda: read(element, r))
    data = r.take(count * STRINGS[kind], at)
    if kind == "BasicWString":
        data = wtf8(data, r.order)
    return text_tree(data.translate(SWIZZLED) if kind == "EncryptedString" else data)


def write(kind, tree, order):
    if kind in FIXED:
        return write_fixed(FIXED[kind], tree, order)
    if kind in OPERATIONS:
        return OPERATIONS[kind][1]([float_bits(tree[name]) for name in "xyzw"], order)
    if kind == "FileMagic":
        if tree not in MAGICS:
            raise Reject("range", message=f"expected one of {MAGICS}")
        return tree.encode()
    name, args = split(kind)
    if name == "Pair":
        return write(args[0], tree["k"], order) + write(args[1], tree["v"], order)
    if kind == "Array<uint8>":
        data = bytes.fromhex(tree)
        return number(len(data), 4, order) + data
    if args[0]:
        element = args[0] if name == "Array" else f"Pair<{args[0]},{args[1]}>"
        return number(len(tree), 4, order) + b"".join(write(element, item, order) for item in tree)
    data = text_bytes(tree)
    if kind == "BasicWString":
        data = utf16(data, order)
    elif kind == "EncryptedString":
        data = data.translate(SWIZZLED)
    return number(len(data) // STRINGS[kind], 4, order) + data


# Conversions between stored codes and a Quaternion. Python's floats are binary64,
# so only values that the record stores as binary32 are rounded.

def round32(x):
    return from_bits32(to_bits32(x))


def read_3u16(r):
    x, y, z = (round32(r.number(2) * (1.0 / 32767.0) - 1.0) for _ in range(3))  # UBI-3U16Q-1
    rest = round32(((1.0 - x * x) - y * y) - z * z)  # UBI-3U16Q-2
    w = math.sqrt(rest) if rest > 0 else 0.0
    return [to_bits32(c) for c in (x, y, z, w)]


def write_3u16(bits, order):
    x, y, z, w = map(from_bits32, bits)
    out = b""
    for c in (x, y, z):
        code = ((1.0 - c) if w < 0 else (1.0 + c)) * 32767.0  # UBI-3U16Q-3
        if not -1 < code < 65536:  # UBI-3U16Q-4; also false for NaN
            raise Reject("range", message=f"{c} has no code")
        out += number(int(code), 2, order)
    return out


ROOT, SCALE = from_bits32(0x3F3504F3), from_bits32(0x3AB504F3)  # UBI-U32Q-1


def read_u32(r):
    code = r.number(4)
    a, b, c = (round32((code >> shift & 0x3FF) * SCALE - ROOT) for shift in (20, 10, 0))  # UBI-U32Q-2
    rest = ((1.0 - a * a) - b * b) - c * c  # UBI-U32Q-3
    out = [to_bits32(e) for e in (a, b, c)]
    out.insert(code >> 30, to_bits32(math.sqrt(rest)) if rest >= 0 else 0x7FC00000)  # UBI-U32Q-4, UBI-U32Q-5
    return out


def write_u32(bits, order):
    q = list(map(from_bits32, bits))
    if not all(map(math.isfinite, q)) or not any(q):
        raise Reject("range", message="not a rotation")  # UBI-U32Q-7
    x, y, z, w = q
    length = math.sqrt(x * x + y * y + z * z + w * w)  # UBI-U32Q-6
    q = [round32(e / length) for e in q]
    g = max(range(4), key=lambda i: (abs(q[i]), i))  # UBI-U32Q-8
    if q[g] < 0:
        q = [-e for e in q]  # UBI-U32Q-9
    code = g
    for i, e in enumerate(q):
        if i != g:
            code = code << 10 | min(1023, int((e + ROOT) * (1.0 / SCALE) + 0.000025))  # UBI-U32Q-10
    return number(code, 4, order)


OPERATIONS = {
    "CompressedQuaternion3U16.Quaternion": (read_3u16, write_3u16),
    "CompressedQuaternionU32.Quaternion": (read_u32, write_u32),
}


def decode(name, data, context):
    r = Reader(data, context.get("order", "little"))
    return r.finish(read(name.removeprefix("ubi."), r))


def encode(name, tree, context):
    return write(name.removeprefix("ubi."), tree, context.get("order", "little"))


# The code supports any arguments. hello lists the types that the judge requests.
GENERIC = """Array<uint32> Array<uint16> Array<uint8> Array<Vector3> Array<Matrix44> Array<BasicString>
    Array<EncryptedString> Array<CompressedQuaternionU32> Array<Array<uint32>> PairArray<uint32,uint32> PairArray<BasicString,BasicString>
    PairArray<BasicString,Array<Vector3>> Pair<uint32,float32> Pair<BasicString,Vector3>"""
TYPES = [*list(FIXED)[4:], "FileMagic", *STRINGS, *OPERATIONS, *GENERIC.split()]

if __name__ == "__main__":
    serve({"name": "ubi", "profile": "observed", "types": ["ubi." + t for t in TYPES]}, decode, encode)
