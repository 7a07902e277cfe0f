#!/usr/bin/env python3
"""The DAVA Keyed Archive, written only from the records of ka.

The profile is observed. A type is represented by its name, a value by its tree.
The encoding of a text depends on the archive that contains it, so every function
has a scope.
"""
from typing import NamedTuple

from protocol import Reject, serve
from values import Reader, characters, number, read_fixed, read_utf32, text_bytes, text_tree, write_fixed


class Scope(NamedTuple):
    table: dict = None  # fast names by id; None if no table applies
    ids: bool = False  # texts are stored as ids of the table
    level: int = 0  # depth of nested archives and arrays, KA-ARC-6

    def nested(self, at=None):
        if self.level == 64:
            raise Reject("limit", at, "more than 64 levels")
        return self._replace(level=self.level + 1)

    def of_pairs(self, version, rows):
        """The scope of the pairs of an archive."""
        if version == "0x0001":  # ka.registry-scope: no table applies
            return self._replace(table=None, ids=False)
        if version == "0x0002":  # KA-ARC-8; of entries with one id the last applies, ka.duplicate-id
            return self._replace(table={int(row["id"]): text_bytes(row["name"]) for row in rows}, ids=True)
        return self._replace(ids=True)


# In the order of their type ids, KA-VH-1 and KA-VH-2.
LABELS = """NONE BOOLEAN INT32 FLOAT STRING WIDE_STRING BYTE_ARRAY UINT32 KEYED_ARCHIVE INT64 UINT64 VECTOR2 VECTOR3
    VECTOR4 MATRIX2 MATRIX3 MATRIX4 COLOR FASTNAME AABBOX3 FILEPATH FLOAT64 INT8 UINT8 INT16 UINT16 RECT ARRAY
    QUATERNION TRANSFORM AABBOX2""".split()
KINDS = {label: label.title().replace("_", "") for label in LABELS} | {
    "FASTNAME": "FastName", "FILEPATH": "FilePath", "AABBOX3": "AABBox3", "AABBOX2": "AABBox2"}
VECTOR2, VECTOR3, VECTOR4 = (dict.fromkeys(names, "f4") for names in ("xy", "xyz", "xyzw"))
FIXED = {
    "None": {}, "BodyV0xff02": {}, "Boolean": "u1", "Int8": "i1", "Uint8": "u1", "Int16": "i2", "Uint16": "u2",
    "Int32": "i4", "Uint32": "u4", "Int64": "i8", "Uint64": "u8", "Float": "f4", "Float64": "f8",
    "Vector2": VECTOR2, "Vector3": VECTOR3, "Vector4": VECTOR4, "Quaternion": VECTOR4,
    "Matrix2": [["f4"] * 2] * 2, "Matrix3": [["f4"] * 3] * 3, "Matrix4": [["f4"] * 4] * 4,
    "Color": dict.fromkeys("rgba", "f4"), "Rect": dict.fromkeys(("x", "y", "dx", "dy"), "f4"),
    "AABBox2": {"minimum": VECTOR2, "maximum": VECTOR2}, "AABBox3": {"minimum": VECTOR3, "maximum": VECTOR3},
    "Transform": {"position": VECTOR3, "scale": VECTOR3, "quaternion": VECTOR4},
}
TEXTS = ("String", "WideString", "FastName", "FilePath")
COUNTED = {"FastNameString": 2, "ByteArray": 4}  # and the size of the length in bytes
VERSIONS = ("0x0001", "0x0002", "0x0102", "0xff02")


def read(kind, r, scope):
    at = r.pos
    if kind in FIXED:
        return read_fixed(FIXED[kind], r)
    if kind in TEXTS:
        return read_text(kind, r, scope)
    if kind in COUNTED:
        data = r.take(r.number(COUNTED[kind]), at)
        return data.hex() if kind == "ByteArray" else text_tree(data)
    if kind == "ValueHeader":
        type_id = r.number(1)
        if not 0 < type_id < len(KINDS):  # nor NONE: ka.none
            raise Reject("kind", at, f"type id {type_id} does not exist")
        return {"type": LABELS[type_id]}
    if kind == "Value":
        header = read("ValueHeader", r, scope)
        return {**header, "value": read(KINDS[header["type"]], r, scope)}
    if kind.endswith("Pair"):
        key = {"type": "STRING"} if scope.ids else read("ValueHeader", r, scope)
        if key["type"] not in ("STRING", "WIDE_STRING"):  # ka.key-type
            raise Reject("kind", at, f"a key of type {key['type']}")
        key["value"] = read(KINDS[key["type"]], r, scope)
        return {"key": key, "value": read("Value", r, scope)}
    if kind == "Header":
        if r.take(2) != b"KA":
            raise Reject("magic", at, "expected the tag KA")
        version = f"{r.number(2):#06x}"
        if version not in VERSIONS:
            raise Reject("version", at + 2, f"version {version} does not exist")
        return {"version": version}
    scope = scope.nested(at)
    if kind == "Array":
        return r.array(r.number(4), 1, at, lambda: read("Value", r, scope))
    if kind == "KeyedArchive":
        length, outer_end = r.number(4), r.end
        r.require(length, at)
        r.end = r.pos + length  # KA-NEST-2
        tree = read_archive(r, scope)
        if r.remaining():
            raise Reject("value", at, f"{r.remaining()} trailing bytes in the nested archive")
        r.end = outer_end
        return tree
    return read_archive(r, scope) if kind == "Archive" else read_body(kind[5:], r, scope)


def read_text(kind, r, scope):
    at, n = r.pos, r.number(4)
    if scope.ids:  # KA-V2-3; ka.unknown-id
        return {"text": text_tree(scope.table.get(n, b"")), "id": str(n)}
    r.require(4 * n if kind == "WideString" else n, at)
    return {"text": text_tree(read_utf32(r, n) if kind == "WideString" else r.take(n)), "id": None}


def read_archive(r, scope):
    header = read("Header", r, scope)
    if header["version"] == "0x0102" and scope.table is None:
        raise Reject("reference", r.pos - 2, "no table of fast names applies")  # KA-ARC-9
    body = {} if header["version"] == "0xff02" else read_body(header["version"], r, scope)
    return {**header, "fastNames": None, "children": [], **body}


def read_body(version, r, scope):
    tree, at = {}, r.pos
    if version == "0x0002":
        names = r.array(r.number(4), 6, at, lambda: read("FastNameString", r, scope))
        tree["fastNames"] = [{"id": str(r.number(4)), "name": name} for name in names]
    at, scope = r.pos, scope.of_pairs(version, tree.get("fastNames"))
    return {**tree, "children": r.array(r.number(4), 5 if scope.ids else 6, at, lambda: read("Pair", r, scope))}


def reject_if(condition, message):
    """Rejects a value to encode."""
    if condition:
        raise Reject("range", message=message)


def write(kind, tree, scope):
    if kind in FIXED:
        return write_fixed(FIXED[kind], tree)
    if kind in TEXTS:
        return write_text(kind, tree, scope)
    if kind in COUNTED:
        data = bytes.fromhex(tree) if kind == "ByteArray" else text_bytes(tree)
        return number(len(data), COUNTED[kind]) + data
    if kind == "ValueHeader":
        reject_if(tree["type"] == "NONE", "type NONE")
        return number(LABELS.index(tree["type"]), 1)
    if kind == "Value":
        return write("ValueHeader", tree, scope) + write(KINDS[tree["type"]], tree["value"], scope)
    if kind.endswith("Pair"):
        key = tree["key"]
        wide = key["type"] == "WIDE_STRING" and not scope.ids
        reject_if(key["type"] != "STRING" and not wide, f"a key of type {key['type']}")
        key = write("String", key["value"], scope) if scope.ids else write("Value", key, scope)
        return key + write("Value", tree["value"], scope)
    if kind == "Header":
        reject_if(tree["version"] not in VERSIONS, f"version {tree['version']} does not exist")
        return b"KA" + number(int(tree["version"], 16), 2)
    scope = scope.nested()
    if kind == "Array":
        return number(len(tree), 4) + b"".join(write("Value", item, scope) for item in tree)
    if kind.startswith("Body"):
        return write_body(kind[5:], tree, scope)
    reject_if(tree["version"] == "0x0102" and scope.table is None, "no table of fast names applies")
    data = write("Header", tree, scope) + write_body(tree["version"], tree, scope)
    return data if kind == "Archive" else number(len(data), 4) + data


def write_text(kind, tree, scope):
    reject_if((tree["id"] is not None) != scope.ids, "expected an id exactly for texts stored as ids")  # KA-VAL-3
    data = text_bytes(tree["text"])
    if scope.ids:
        reject_if(data != scope.table.get(int(tree["id"]), b""), "the table has another text for this id")  # KA-STR-4
        return number(tree["id"], 4)
    if kind != "WideString":
        return number(len(data), 4) + data
    return number(len(characters(data)), 4) + characters(data).encode("utf-32-le", "surrogatepass")


def write_body(version, tree, scope):
    rows, out = tree.get("fastNames"), b""
    reject_if((rows is not None) != (version == "0x0002"), "expected fast names exactly in 0x0002")  # KA-ARC-10
    if version == "0xff02":
        reject_if(tree["children"], "children in 0xff02")
        return out
    if rows is not None:
        out = number(len(rows), 4) + b"".join(write("FastNameString", row["name"], scope) for row in rows)
        out += b"".join(number(row["id"], 4) for row in rows)
    scope = scope.of_pairs(version, rows)
    return out + number(len(tree["children"]), 4) + b"".join(write("Pair", c, scope) for c in tree["children"])


# Types that are decoded as if an empty table applied, KA-P2-3 and KA-V102-3.
EMPTY_TABLE = {"BodyV0x0002Pair": Scope({}, True), "BodyV0x0102": Scope({}), "BodyV0x0102Pair": Scope({}, True)}
TYPES = [*KINDS.values(), *EMPTY_TABLE, *"Archive Header Pair Value ValueHeader FastNameString".split(),
         "BodyV0x0001", "BodyV0x0002", "BodyV0xff02"]


def decode(name, data, context):
    r = Reader(data)
    return r.finish(read(name[3:], r, EMPTY_TABLE.get(name[3:], Scope())))


def encode(name, tree, context):
    return write(name[3:], tree, EMPTY_TABLE.get(name[3:], Scope()))


if __name__ == "__main__":
    serve({"name": "ka", "profile": "observed", "types": ["ka." + t for t in TYPES]}, decode, encode)
