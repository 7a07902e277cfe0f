#!/usr/bin/env python3
"""The data types and the tables of Unreal Engine 1 and 2 packages, written only
from the records of upkg. The profile is observed.

A type is represented by its name, a value by its tree. v is the version of the
package.
"""
from protocol import Reject, serve
from values import Reader, number, text_bytes, text_tree, utf16, wtf8

INTEGERS = {f"{u}int{8 * size}": (size, not u) for u in ("u", "") for size in (1, 2, 4, 8)}
REFERENCES = {"ObjectReference": "CompactIndex", "PlainReference": "int32"}  # and the type of the stored number
GROUPS_FROM, HERITAGES_FROM = 50, 42  # the versions from which PlainReference and the heritages are stored
CHECKED = {  # integers with invalid values: stored type, condition, class of a rejection
    "Signature": ("uint32", lambda n: n in (0x9E2A83C1, 0x9E2A83C2), "magic"),
    "Version": ("uint16", lambda n: n <= 178, "version"),
    "Size": ("CompactIndex", lambda n: n >= 0, "value"),
}
# name:type; for an optional field :other:least:greatest, the values of a field, or of v, with which it is present
RECORDS = {
    "Header": "signature:Signature version:Version licensee:uint16 flags:uint32 nameCount:uint32 nameOffset:uint32 "
              "exportCount:uint32 exportOffset:uint32 importCount:uint32 importOffset:uint32 "
              "heritage:Heritage:version:0:67 identity:Identity:version:68:178",
    "Heritage": "count:uint32 offset:uint32",
    "Identity": "guid:Guid generations:Generations",
    "Generation": "exportCount:uint32 nameCount:uint32",
    "NameEntry": "name:Name flags:uint32",
    "ImportEntry": "classPackage:CompactIndex className:CompactIndex package:PlainReference "
                   "packageName:CompactIndex:v:0:49 objectName:CompactIndex",
    "ExportEntry": "class:ObjectReference super:ObjectReference group:PlainReference objectName:CompactIndex "
                   "objectFlags:uint32 serialSize:Size serialOffset:CompactIndex:serialSize:1:2147483647",
}


def fields(kind, tree, v):
    """Name and type of each field, and whether it is present."""
    for field in RECORDS[kind].split():
        name, of, *condition = field.split(":")
        yield name, of, not condition or int(condition[1]) <= (v if condition[0] == "v" else int(tree[condition[0]])) <= int(condition[2])


def is_stored(kind, v):
    return kind != "PlainReference" or v >= GROUPS_FROM


def read(kind, r, v):
    at, tree = r.pos, {}
    if kind in RECORDS:
        for name, of, present in fields(kind, tree, v):  # depends on fields that are already in tree
            tree[name] = read(of, r, v) if present else None
    elif kind in INTEGERS:
        tree = str(r.number(*INTEGERS[kind]))
    elif kind in CHECKED:
        stored, valid, error_class = CHECKED[kind]
        tree = read(stored, r, v)
        if not valid(int(tree)):
            raise Reject(error_class, at, f"invalid {kind} {tree}")
    elif kind in REFERENCES:
        value = int(read(REFERENCES[kind], r, v)) if is_stored(kind, v) else 0
        table = "import" if value < 0 else "export" if value else "null"  # UPKG-REF-2 to 4
        tree = {"table": table, "entry": str(~value if value < 0 else max(value - 1, 0))}
    elif kind == "Guid":
        tree = r.take(16).hex()
    elif kind == "Generations":
        tree = r.array(r.number(4), 8, at, lambda: read("Generation", r, v))  # UPKG-HDR-6
    else:
        tree = {"CompactIndex": read_index, "Name": read_name, "Package": read_licensed}[kind](r, v)
    # UPKG-PKG-13: a name replaces its length, which has the same offset.
    if r.kept is not None and kind in ("CompactIndex", "Name") and r.data[at:r.pos] != write(kind, tree, v):
        r.kept[at] = r.data[at:r.pos]
    return tree


def write(kind, tree, v):
    if kind in RECORDS:
        if any((tree[name] is not None) != present for name, _, present in fields(kind, tree, v)):
            raise Reject("range", message="a field is missing or must be absent")
        return b"".join(write(of, tree[name], v) for name, of, present in fields(kind, tree, v) if present)
    if kind in INTEGERS:
        return number(tree, INTEGERS[kind][0], signed=INTEGERS[kind][1])
    if kind in CHECKED:
        stored, valid, _ = CHECKED[kind]
        if not valid(int(tree)):
            raise Reject("range", message=f"invalid {kind} {tree}")
        return write(stored, tree, v)
    if kind in REFERENCES:
        entry = int(tree["entry"])
        if tree["table"] == "null" and entry:
            raise Reject("range", message="expected entry 0 in a null reference")  # UPKG-REF-6
        if not is_stored(kind, v):
            if tree["table"] != "null":
                raise Reject("range", message=f"expected null in version {v}")  # UPKG-IMP-2, UPKG-EXP-2
            return b""
        return write(REFERENCES[kind], {"null": 0, "import": ~entry, "export": entry + 1}[tree["table"]], v)
    if kind == "Guid":
        return bytes.fromhex(tree)
    if kind == "Generations":
        return number(len(tree), 4) + b"".join(write("Generation", g, v) for g in tree)
    return {"CompactIndex": write_index, "Name": write_name, "Package": write_package}[kind](tree, v)


def read_index(r, v):
    at = r.pos
    first = r.take(1)[0]
    magnitude, more = first & 0x3F, first & 0x40  # UPKG-CI-2
    for shift in (6, 13, 20, 27):  # UPKG-CI-3, UPKG-CI-4
        if more:
            byte = r.take(1, at)[0]
            magnitude, more = magnitude | (byte & 0x7F) << shift, byte & 0x80
    value = -magnitude if first & 0x80 else magnitude  # UPKG-CI-1
    return str((value + 2**31) % 2**32 - 2**31)  # upkg.ci-range: bits above bit 31 are lost


def write_index(tree, v):
    value = int(tree)
    if not -2**31 <= value < 2**31:
        raise Reject("range", message=f"{value} does not fit 32 bits")  # UPKG-CI-7
    rest = abs(value) >> 6
    out = [(0x80 if value < 0 else 0) | (0x40 if rest else 0) | abs(value) & 0x3F]
    while rest:
        out.append(rest & 0x7F | (0x80 if rest > 0x7F else 0))
        rest >>= 7
    return bytes(out)


def read_name(r, v):
    at = r.pos
    if v < 64:  # UPKG-NAME-1
        end = r.data.find(b"\0", at) + 1 or r.end + 1  # without a NUL: one byte more than remain
        return {"text": text_tree(r.take(end - at, at)[:-1]), "wide": False}
    length = int(read("CompactIndex", r, v))
    if length == 0:
        return {"text": "", "wide": False}  # upkg.name-length-zero
    unit = 1 if length > 0 else 2  # UPKG-NAME-5
    text = r.take(abs(length) * unit, at)
    if any(text[-unit:]):
        raise Reject("value", r.pos - unit, "expected a NUL at the end")  # UPKG-NAME-6
    return {"text": text_tree(wtf8(text[:-2]) if unit == 2 else text[:-1]), "wide": unit == 2}


def write_name(tree, v):
    text = text_bytes(tree["text"])
    if v < 64 and (tree["wide"] or b"\0" in text):
        raise Reject("range", message="wide text, or text with a NUL")  # UPKG-NAME-10
    text = utf16(text) + b"\0\0" if tree["wide"] else text + b"\0"
    return (b"" if v < 64 else write_index(-(len(text) // 2) if tree["wide"] else len(text), v)) + text


# Field of the tree, type of an entry, its smallest size below version 50 and from there on, offset of the count in the header.
TABLES = [("names", "NameEntry", (5, 5), 12), ("exports", "ExportEntry", (8, 12), 20), ("imports", "ImportEntry", (4, 7), 28), ("heritages", "Guid", (16, 16), 36)]

# UPKG-PKG-10: least and greatest version, least and greatest licensee, game.
LICENSEES = [
    (100, 100, 0, 0, "a fork of Unreal Engine"), (100, 100, 9, 22, "Splinter Cell"), (102, 102, 28, 28, "Splinter Cell"),
    (141, 146, 61447, 61447, "Advent Rising"), (145, 151, 0, 0, "Unreal Championship 2"),
    (100, 102, 83, 65535, "Splinter Cell"), (117, 119, 28, 30, "Unreal Championship"), (119, 119, 37159, 37159, "Pariah"),
    (128, 128, 32, 33, "America's Army 2"), (130, 143, 56, 59, "BioShock"), (151, 159, 1, 1, "Republic Commando"),
]


def table_of(header, name):
    """Count and offset of a table."""
    if name != "heritages":
        return (int(header[name[:-1] + field]) for field in ("Count", "Offset"))
    if not HERITAGES_FROM <= int(header["version"]) < 68:
        return 0, 0  # UPKG-PKG-11
    return int(header["heritage"]["count"]), int(header["heritage"]["offset"])


def read_licensed(r, v):
    tree, fault = None, None
    try:
        tree = read_package(r, v)
    except Reject as e:
        fault = e
    if fault and fault.kind != "magic" and len(r.data) >= 8 or tree and tree["encodings"]:
        version, licensee = (int.from_bytes(r.data[at:at + 2], "little") for at in (4, 6))
        for first, last, least, most, game in LICENSEES:
            if first <= version <= last and least <= licensee <= most:
                raise Reject("unsupported", 6, f"a layout of {game}")
    if fault:
        raise fault
    return tree


def read_package(r, v):
    header = read("Header", r, v)
    version = int(header["version"])
    tree = {"header": header, "names": [], "imports": [], "exports": [], "heritages": [], "data": [], "encodings": None}
    spans, end = [(0, r.pos, 0)], 0
    r.kept = {}
    for name, kind, least, at in TABLES:
        count, start = table_of(header, name)
        if count:
            if start > r.end:
                raise Reject("reference", at + 4, f"{name} start after the end of the input")  # UPKG-PKG-3
            r.pos = start
            tree[name] = r.array(count, least[version >= GROUPS_FROM], at, lambda: read(kind, r, version))  # UPKG-PKG-4
            spans.append((start, r.pos, at + 4))
    for start, stop, at in sorted(spans, key=lambda s: s[0]) + [(r.end, r.end, 0)]:
        if start < end:
            raise Reject("reference", at, "tables or header overlap")  # UPKG-PKG-5
        if start > end:
            tree["data"].append({"offset": str(end), "bytes": r.data[end:start].hex()})  # UPKG-PKG-7
        end = stop
    r.pos = r.end
    if r.kept:
        tree["encodings"] = [{"offset": str(start), "bytes": stored.hex()} for start, stored in sorted(r.kept.items())]
    return tree


def write_rows(kind, rows, v, start, kept):
    """The bytes of a table, with the kept encodings at their offsets."""
    out = b""
    for row in rows:
        plain = write(kind, row, v)
        if not kept or kind not in RECORDS:
            out += plain
            continue
        for name, of, present in fields(kind, row, v):
            data = write(of, row[name], v) if present else b""
            stored = kept.pop(start + len(out), None) if present else None
            if stored is not None and (stored == data or not decodes_to(of, stored, v, row[name])):
                raise Reject("range", message="not another encoding of the value")  # UPKG-PKG-13
            out += data if stored is None else stored
    return out


def write_package(tree, v):  # UPKG-PKG-8
    header, out = tree["header"], b""
    encodings = tree["encodings"] or []
    kept = {int(e["offset"]): bytes.fromhex(e["bytes"]) for e in encodings}
    if [int(e["offset"]) for e in encodings] != sorted(kept):
        raise Reject("range", message="encodings are not in order")
    pieces = [(0, write("Header", header, v))]
    for name, kind, _, _ in TABLES:
        count, start = table_of(header, name)
        if count != len(tree[name]):
            raise Reject("range", message=f"expected {count} {name} as in the header, found {len(tree[name])}")
        if count:
            pieces.append((start, write_rows(kind, tree[name], int(header["version"]), start, kept)))
    if kept:
        raise Reject("range", message="an encoding is not at an index or a name")
    chunks = [(int(chunk["offset"]), bytes.fromhex(chunk["bytes"])) for chunk in tree["data"]]
    ends = [0] + [start + len(data) for start, data in chunks]
    if any(not data or start <= end for (start, data), end in zip(chunks, ends)):
        raise Reject("range", message="a chunk is empty, not in order, or adjacent to the one before it")
    for start, data in sorted(pieces + chunks):
        if start != len(out):
            raise Reject("range", message="parts overlap or leave a gap")
        out += data
    return out


NAMES = {**{f"upkg.Integer<{n}>": n for n in INTEGERS}, **{f"upkg.{n}": n for n in (
    "CompactIndex Name ObjectReference Header NameEntry ImportEntry ExportEntry Package".split())}}


def decode_all(kind, data, v):
    r = Reader(data)
    r.kept = None  # encodings in tables that a writer would not choose, by their offsets
    return r.finish(read(kind, r, v))


def decodes_to(kind, data, v, tree):
    try:
        return decode_all(kind, data, v) == tree
    except Reject:
        return False


def decode(name, data, context):
    return decode_all(NAMES[name], data, int(context.get("version", 69)))


def encode(name, tree, context):
    return write(NAMES[name], tree, int(context.get("version", 69)))


if __name__ == "__main__":
    serve({"name": "upkg", "profile": "observed", "types": list(NAMES)}, decode, encode)
