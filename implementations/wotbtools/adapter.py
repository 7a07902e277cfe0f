#!/usr/bin/env python3
"""Adapter for the keyed archive reader of WotbTools.

    adapter.py FOLDER    the folder of WotbTools

The reader is imported as it is and reads everything. Its values are plain
Python values, in which INT32 5 and UINT64 5 are the same. So two functions and
one class of it are watched on the way: the type id that each call of
read_ka_value is given, and the version that read_archive reads first.
"""
import importlib.util
import math
import pathlib
import re
import struct
import sys
from typing import NamedTuple

sys.dont_write_bytecode = True  # the implementation's folder is left as it is
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples/adapters/python"))
from protocol import Reject, serve  # noqa: E402

spec = importlib.util.spec_from_file_location(
    "map_semanticizer", pathlib.Path(sys.argv[1], "map-semanticizer/map_semanticizer.py"))
peer = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = peer  # its dataclasses look themselves up
spec.loader.exec_module(peer)


class Value(NamedTuple):
    """A value of the peer and the type id that it was read by."""
    type: int
    value: object

    def __str__(self):  # the peer makes its keys of values in this way
        key = Key(self.value)
        key.type = self.type
        reading[-1].keys[key] = key
        return key


class Key(str):
    """A key that the peer made of a value. One that it found by its id is a plain string."""


class Archive(dict):
    version, keys_read = None, None


class Reader(peer.Reader):
    """Remembers the first 16-bit number: of an archive it is the version."""
    first = None

    def u16(self):
        number = super().u16()
        if self.first is None:
            self.first = number
        return number


reading = []  # the readers of the archives that are being read, outermost first


def read_value(reader, type_id, table, original=peer.read_ka_value):
    return Value(type_id, original(reader, type_id, table))


def read_archive(reader, table=None, original=peer.read_archive):
    reading.append(reader)
    reader.keys = {}  # of each text the last key: its value is the one that a dictionary keeps
    archive = Archive(original(reader, table))
    archive.version, archive.keys_read = reader.first, reader.keys
    reading.pop()
    return archive


peer.read_ka_value, peer.read_archive, peer.Reader = read_value, read_archive, Reader

# The peer's constants, in the reference's spelling. UINT8 is 23: TYPE_UINT8.
LABELS = {getattr(peer, name): name.removeprefix("TYPE_") for name in dir(peer) if name.startswith("TYPE_")}
TEXTS = ("STRING", "WIDE_STRING", "FASTNAME", "FILEPATH")
VECTOR, RGBA = "xyzw", "rgba"


def number(x, size=4):
    """A float of the peer: Python's, of 64 bits."""
    if math.isnan(x):
        bits = struct.unpack("<I", struct.pack("<f", x)) if size == 4 else struct.unpack("<Q", struct.pack("<d", x))
        return f"nan:{bits[0]:0{2 * size}x}"
    return repr(x)


def vector(values, names=VECTOR):
    return dict(zip(names, map(number, values)))


def text(value):
    return {"text": value, "id": None}  # ids are resolved and not kept


def typed(value):
    label = LABELS[value.type]
    return {"type": label, "value": tree(label, value.value)}


def archive_tree(archive):
    children = [{"key": {"type": LABELS[getattr(archive.keys_read.get(key), "type", peer.TYPE_STRING)], "value": text(key)}, "value": typed(value)}
                for key, value in archive.items()]
    return {"version": f"{archive.version:#06x}", "fastNames": None, "children": children}


def tree(label, value):
    if label == "NONE":
        return {}
    if label in TEXTS:
        return text(value)
    if label == "BYTE_ARRAY":
        return value["$bytes"]
    if label == "KEYED_ARCHIVE":
        return archive_tree(value)
    if label == "ARRAY":
        return [typed(item) for item in value]
    if label == "FLOAT64":
        return number(value, 8)
    if label == "FLOAT":
        return number(value)
    if label.startswith("MATRIX"):
        return [[number(x) for x in row] for row in value]
    if label.startswith("VECTOR"):
        return vector(value)
    if label == "COLOR":
        return vector(value, RGBA)
    if label == "AABBOX3":
        return {"minimum": vector(value["min"]), "maximum": vector(value["max"])}
    if label == "TRANSFORM":
        return {part: vector(components) for part, components in value.items()}
    return str(int(value))  # BOOLEAN too


BODIES = {"ka." + name: getattr(peer, "TYPE_" + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()) for name in """
    None Boolean Int32 Float String WideString ByteArray Uint32 KeyedArchive Int64 Uint64 Vector2 Vector3 Vector4
    Matrix2 Matrix3 Matrix4 Color AABBox3 Float64 Int8 Uint8 Int16 Uint16 Array Transform""".split()}
BODIES |= {"ka.FastName": peer.TYPE_FASTNAME, "ka.FilePath": peer.TYPE_FILEPATH}
# What the peer reads only as the rest of an archive: the bytes that it needs before, and the fields of the tree.
PARTS = {
    "ka.Archive": (b"", ("version", "fastNames", "children")),
    "ka.BodyV0x0001": (b"KA\x01\x00", ("children",)),
    "ka.BodyV0x0002": (b"KA\x02\x00", ("fastNames", "children")),
    "ka.BodyV0x0102": (b"KA\x02\x01", ("children",)),
    "ka.BodyV0xff02": (b"KA\x02\xff", ()),
    "ka.Pair": (b"KA\x01\x00\x01\x00\x00\x00", None),
    "ka.BodyV0x0002Pair": (b"KA\x02\x01\x01\x00\x00\x00", None),
    "ka.BodyV0x0102Pair": (b"KA\x02\x01\x01\x00\x00\x00", None),
}
# The peer has one exception; its message tells what it found.
FAULTS = {
    r"Unexpected end of file at 0x(\w+)": "truncated",
    r"Missing KeyedArchive magic at 0x(\w+)": "magic",
    r"Unsupported KeyedArchive version": "version",
    r"Unknown KeyedArchive value type \d+ at 0x(\w+)": "kind",
    r"Unknown fast-name id": "reference",
    r"KeyedArchive has no inherited string table": "reference",
    r"Nested KeyedArchive has trailing bytes": "value",
}


def refusal(error, whole, prefix):
    """What the peer says of the input, which begins after a prefix."""
    for message, kind in FAULTS.items():
        if found := re.match(message, str(error)):
            # In a nested archive the peer counts from its start and does not say where that is.
            told = found.groups() and (not reading or reading[-1] is whole)
            return Reject(kind, int(found[1], 16) - prefix if told else None, str(error))
    return error


def decode(name, data, _context):
    prefix, fields = PARTS.get(name, (b"", None))
    reader = Reader(prefix + data)
    reading.clear()
    try:
        if name in PARTS:
            # A body or pair of 0x0102 alone is read as under an empty table.
            value = archive_tree(read_archive(reader, {} if "0x0" in name else None))
            value = value["children"][0] if fields is None else {field: value[field] for field in fields}
        elif name == "ka.Value":
            value = typed(read_value(reader, reader.u8(), None))
        else:
            value = tree(LABELS[BODIES[name]], read_value(reader, BODIES[name], None).value)
    except peer.SemanticizerError as error:
        raise refusal(error, reader, len(prefix)) from error
    if reader.offset < len(reader.data):
        raise Reject("trailing", reader.offset - len(prefix), "the peer read to here")
    return value


# What the source does where readers differ.
PROFILE = ("observed,ka.bool=nonzero,ka.duplicate-key=last,ka.none=documented,ka.types-26-28-30=documented,"
           "ka.unknown-id=documented,ka.wide-unit=utf16")
NONE_OF_ITS_OWN = "the peer has no function that reads this alone"
UNKNOWN = "the peer does not know the type id"
serve({
    "name": "wotbtools",
    "version": "6a2e5c2",
    "types": [*PARTS, "ka.Value", *BODIES],
    "operations": ["decode"],
    "profile": PROFILE,
    "views": ["float.values", "ka.texts", "ka.map"],
    "skips": [{"type": f"ka.{name}", "reason": why} for why, names in {
        NONE_OF_ITS_OWN: ("Header", "ValueHeader", "FastNameString"),
        UNKNOWN: ("Rect", "Quaternion", "AABBox2"),
    }.items() for name in names],
}, decode, None)
