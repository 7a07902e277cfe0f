#!/usr/bin/env python3
"""Cooked packages of Unreal Engine 4.14 and 4.15 with textures, written from
the records of uasset alone. Follows the observed profile.

Types are names, values are trees. Names are rows of a table elsewhere and some
offsets are absolute, so there is a scope to everything.
"""
import re
from typing import NamedTuple

from protocol import Reject, serve
from values import Reader, number, read_fixed, text_bytes, text_tree, utf16, write_fixed, wtf8


class Scope(NamedTuple):
    names: tuple = ()  # the texts of the name table, bytes as characters of Latin-1
    rows: dict = {}  # and the first row of each, UA-FNM-3
    kind: str = ""  # the class of the object around, UA-PKG-11
    base: int = 0  # the absolute position of the first byte of the input
    outside: list = None  # payloads at the end of the file: OffsetInFile, size, where the mip begins
    level: int = 0  # of property lists, UA-LST-3

    def named(self, texts):
        names = tuple(text.decode("latin-1") for text in texts)
        return self._replace(names=names, rows={name: row for row, name in reversed([*enumerate(names)])})

    def deeper(self, at=None):
        if self.level == 64:
            raise Reject("limit", at, "more than 64 levels")
        return self._replace(level=self.level + 1)

    def text(self, name):
        """What a name says where its text decides: nothing if it has a number, UA-FNM-3."""
        return None if int(name["number"]) else self.names[int(name["index"])]

    def row(self, text):
        """The name that a writer takes for a text that the tree keeps in another way."""
        refuse(text not in self.rows, f"{text} is not among the names")
        return number(self.rows[text], 4) + bytes(4)


TAG = 0x9E2A83C1
RECORDS = {  # field:type; class!bytes and class@text are what has to stand there, and how it is refused otherwise
    "Summary": "magic!c1832a9e version!f9ffffff version!00000000 version!00000000 version!00000000 version!00000000 "
               "totalHeaderSize:u4 unsupported!050000004e6f6e6500 packageFlags:u4 nameCount:u4 nameOffset:u4 "
               "gatherableTextDataCount:u4 gatherableTextDataOffset:u4 exportCount:u4 exportOffset:u4 importCount:u4 "
               "importOffset:u4 dependsOffset:u4 softPackageReferencesCount:u4 softPackageReferencesOffset:u4 "
               "searchableNamesOffset:u4 thumbnailTableOffset:u4 packageGuid:Guid unsupported!01000000 "
               "generation:Generation savedByEngineVersion:EngineVersion compatibleWithEngineVersion:EngineVersion "
               "compressionFlags:u4 unsupported!00000000 packageSource:u4 unsupported!00000000 "
               "assetRegistryDataOffset:u4 bulkDataStartOffset:i8 worldTileInfoDataOffset:u4 unsupported!00000000 "
               "unsupported!ffffffff preloadDependencyOffset:u4",
    "Generation": "exportCount:u4 nameCount:u4",
    "EngineVersion": "major:u2 minor:u2 patch:u2 changelist:u4 unsupported!00000000",
    "NameEntry": "name:FString nonCasePreservingHash:u2 casePreservingHash:u2",
    "Import": "classPackage:FName className:FName outerIndex:i4 objectName:FName",
    "Export": "classIndex:i4 superIndex:i4 templateIndex:i4 outerIndex:i4 objectName:FName objectFlags:u4 "
              "serialSize:u4 serialOffset:u4 forcedExport:u4 notForClient:u4 notForServer:u4 packageGuid:Guid "
              "packageFlags:u4 notAlwaysLoadedForEditorGame:u4 isAsset:u4 firstExportDependency:i4 "
              "serializationBeforeSerializationDependencies:i4 createBeforeSerializationDependencies:i4 "
              "serializationBeforeCreateDependencies:i4 createBeforeCreateDependencies:i4",
    "IntPoint": "x:i4 y:i4",
    "TextureStreamingData": "first:u8 second:u8",
    "FontCharacter": "startU:i4 startV:i4 uSize:i4 vSize:i4 textureIndex:u1 verticalOffset:i4",
    "InnerTag": "name:FName kind@StructProperty size:u4 arrayIndex:i4 structName:FName structGuid:Guid "
                "propertyGuid:PropertyGuid",  # UA-ARR-3
    "StripFlags": "global:u1 class:u1",
    "TextureHead": "unsupported!00000000 textureStripFlags:StripFlags texture2DStripFlags:StripFlags value!01000000 "
                   "pixelFormat:PixelFormat skipOffset:u4 sizeX:u4 sizeY:u4 numSlices:u4",
    # What a type adds to the tag of a property.
    "BoolProperty": "value:Bool", "ByteProperty": "enumName:FName", "ArrayProperty": "innerType:FName",
    "StructProperty": "structName:FName structGuid:Guid",
}
RECORDS = {kind: [re.fullmatch("(.*)([:!@])(.*)", field).groups() for field in fields.split()]
           for kind, fields in RECORDS.items()}
ONE_VALUE = {"Padding": ("unsupported", 0), "Footer": ("magic", TAG)}
KEPT = ("ColorMaterialInput", "ScalarMaterialInput", "OpaqueStruct")  # bytes up to the end of the window
LISTS = ("PropertyList", "MaterialTextureInfo")

PLAIN = {"FloatProperty": "f4", "IntProperty": "i4", "NameProperty": "FName", "ObjectProperty": "i4",
         "StrProperty": "FString"}
SIZES = {"BoolProperty": (0,), "FloatProperty": (4,), "IntProperty": (4,), "NameProperty": (8,),
         "ObjectProperty": (4,), "ByteProperty": (1, 8)}  # UA-TAG-3
LISTED = {*PLAIN, *SIZES, "ArrayProperty", "StructProperty"}
ADDED = {"EnumProperty": 1, "SetProperty": 1, "MapProperty": 2}  # names in the tag, UA-OPQ-1
STRUCTS = {"IntPoint": 8, "Guid": 16, "TextureStreamingData": 16, "FontCharacter": 21, "ColorMaterialInput": None,
           "ScalarMaterialInput": None, "MaterialTextureInfo": None, "FontImportOptionsData": None}  # UA-STC-2
APART = {**{struct: size for struct, size in STRUCTS.items() if size}, "MaterialTextureInfo": 8}  # UA-ARR-4
ELEMENTS = {"FloatProperty": ("Floats", "f4", 4), "IntProperty": ("Ints", "i4", 4), "NameProperty": ("Names", "FName", 8),
            "ObjectProperty": ("Objects", "i4", 4), "BoolProperty": ("Bools", "Bool", 1),
            "StrProperty": ("Strs", "FString", 4)}  # UA-ARR-2: name of the list, type and fewest bytes of an element

TEXTURES = ("Texture2D", "TextureCube")
FORMATS = {"PF_DXT1": (4, 8), "PF_DXT3": (4, 16), "PF_DXT5": (4, 16), "PF_BC5": (4, 16), "PF_B8G8R8A8": (1, 4),
           "PF_G8": (1, 1)}  # side and bytes of a block, UA-MIP-4


def refuse(condition, message):
    if condition:
        raise Reject("range", message=message)


def name_offset(tree):
    return None if tree["nameOffset"] in ("189", "193") else "reference"


def export_region(tree):  # UA-SUM-13
    count, size = int(tree["exportCount"]), int(tree["assetRegistryDataOffset"]) - int(tree["exportOffset"])
    if not count or size == 100 * count:
        return None
    return "unsupported" if size in (76 * count, 108 * count) else "reference"


CHECKS = {"nameOffset": name_offset, "assetRegistryDataOffset": export_region}  # the class of what is wrong


def absent(name, tree):  # uasset.header-4-14
    return name == "searchableNamesOffset" and tree["nameOffset"] == "189"


def expect(r, problem, wanted):
    at = r.pos
    if r.take(len(wanted)) != wanted:
        raise Reject(problem, at, f"{wanted.hex()} has to stand here")


def window(r, size, at, one):
    """A value that has to fill a size, UA-TAG-3."""
    r.promise(size, at)
    around, r.end = r.end, r.pos + size
    value = r.finish(one())
    r.end = around
    return value


def read(kind, r, s):
    at = r.pos
    if kind in RECORDS and kind not in LISTED:
        return read_record(kind, r, s)
    if re.fullmatch("[fiu][1248]", kind):
        return read_fixed(kind, r)
    if kind in ONE_VALUE:
        problem, value = ONE_VALUE[kind]
        expect(r, problem, number(value, 4))
        return str(value)
    if kind == "Bool":
        return r.number(1) > 0  # UA-BOOL-2
    if kind == "Guid":
        return r.take(16).hex()
    if kind == "PropertyGuid":  # UA-TAG-2
        there = r.number(1)
        if there > 1:
            raise Reject("value", at, f"a GUID byte of {there}")
        return r.take(16).hex() if there else None
    if kind == "FName":
        r.promise(8, at)
        name = {"index": str(r.number(4)), "number": str(r.number(4))}
        if int(name["index"]) >= len(s.names):
            raise Reject("reference", at, f"no name {name['index']}")  # UA-FNM-2
        return name
    if kind == "FString":
        return read_string(r)
    if kind == "PixelFormat":
        text = s.text(read("FName", r, s))
        if text not in FORMATS:
            raise Reject("unsupported", at, f"pixel format {text}")  # UA-TEX-2
        return text
    if kind in KEPT:
        return r.take(r.left()).hex()
    if kind in LISTS:
        return read_list(r, s.deeper(at))
    if kind == "FontImportOptionsData":
        return {"properties": read("PropertyList", r, s), "tail": None}
    if kind.endswith("Property"):
        return read_property(r, s, kind)
    return {"Object": read_object, "Texture2D": read_texture, "Package": read_package}[kind](r, s)


def read_record(kind, r, s):
    tree = {}
    if kind == "Summary" and r.data[:4] == TAG.to_bytes(4, "big"):
        raise Reject("unsupported", 0, "a big-endian package")  # UA-SUM-1
    for name, sign, of in RECORDS[kind]:
        at = r.pos
        if sign == "!":
            expect(r, name, bytes.fromhex(of))
        elif sign == "@":
            if s.text(read("FName", r, s)) != of:
                raise Reject(name, at, f"{of} has to stand here")
        else:
            tree[name] = None if absent(name, tree) else read(of, r, s)
            problem = CHECKS.get(name, lambda _: None)(tree)
            if problem:
                raise Reject(problem, at, f"{name} is {tree[name]}")
    return tree


def read_string(r):
    at = r.pos
    length = r.number(4, signed=True)
    if length == 0:
        return {"text": "", "form": "absent"}  # UA-STR-2
    unit = 1 if length > 0 else 2  # UA-STR-3
    text = r.take(abs(length) * unit, at)
    if any(text[-unit:]):
        raise Reject("value", r.pos - unit, "no NUL at the end")  # UA-STR-4
    text = text[:-unit]
    return {"text": text_tree(text if unit == 1 else wtf8(text)), "form": "bytes" if unit == 1 else "utf16"}


def read_list(r, s):
    tree = []
    while True:
        at = r.pos
        if s.text(read("FName", r, s)) == "None":  # UA-LST-1
            return tree
        r.pos = at
        tree.append(read("Property", r, s))


def listed(name, s):
    """The kind of value that a type announces."""
    return s.text(name) if s.text(name) in LISTED else "OpaqueProperty"


def struct_kind(name, s):
    return s.text(name) if s.text(name) in STRUCTS else "OpaqueStruct"


def read_property(r, s, wanted):
    at = r.pos
    tree = {"name": read("FName", r, s)}
    if s.text(tree["name"]) == "None":
        raise Reject("value", at, "None ends a list")  # UA-TAG-1
    of = read("FName", r, s)
    kind = listed(of, s)
    if wanted not in ("Property", kind):
        raise Reject("kind", at + 8, f"a {kind}")  # UA-TAG-5
    size, tree["arrayIndex"] = r.number(4), read("i4", r, s)
    if size not in SIZES.get(kind, (size,)):
        raise Reject("value", at + 16, f"a {kind} of {size} bytes")
    if kind == "OpaqueProperty":
        value = {"type": of, "names": [read("FName", r, s) for _ in range(ADDED.get(s.text(of), 0))]}
    else:
        value = read_record(kind, r, s) if kind in RECORDS else {}
    if kind == "StructProperty" and STRUCTS.get(struct_kind(value["structName"], s)) not in (None, size):
        raise Reject("value", at + 16, f"a struct of {size} bytes")
    tree["propertyGuid"] = read("PropertyGuid", r, s)
    tree["value"] = {"type": kind, "value": window(r, size, at + 16, lambda: read_value(kind, value, size, r, s))}
    return tree


def read_value(kind, tree, size, r, s):
    """What fills the size of a property; tree is what the tag told of it."""
    if kind in PLAIN:
        return read(PLAIN[kind], r, s)
    if kind == "BoolProperty":
        return tree["value"]
    if kind == "ByteProperty":
        return {**tree, "value": read("u1", r, s) if size == 1 else None,
                "valueName": read("FName", r, s) if size == 8 else None}
    if kind == "StructProperty":
        struct = struct_kind(tree["structName"], s)
        return {**tree, "value": {"type": struct, "value": read(struct, r, s)}}
    if kind == "ArrayProperty":
        return {**tree, "elements": read_elements(s.text(tree["innerType"]), r, s)}
    return {**tree, "data": r.take(size).hex()}


def read_elements(inner, r, s):
    at = r.pos
    count = r.number(4)
    if inner in ELEMENTS:
        kind, of, least = ELEMENTS[inner]
        return {"type": kind, "value": r.many(count, least, at, lambda: read(of, r, s))}
    if inner != "StructProperty":
        return {"type": "OpaqueElements", "value": {"count": str(count), "data": r.take(r.left()).hex()}}  # UA-ARR-5
    tag = read("InnerTag", r, s)
    struct = s.text(tag["structName"])
    if struct in APART:
        r.promise(count * APART[struct], at)
    if int(tag["size"]) != r.left():
        raise Reject("value", at + 20, f"{tag['size']} bytes, {r.left()} are there")  # uasset.struct-array-null
    if struct in APART:
        elements = [{"type": struct, "value": read(struct, r, s)} for _ in range(count)]
        return {"type": "Structs", "value": {"tag": tag, "elements": elements}}
    data = r.take(r.left()).hex()
    return {"type": "OpaqueStructs", "value": {"tag": tag, "count": str(count), "data": data}}


def begins_texture(data, s):
    """Whether a texture follows the properties of an object, UA-OBJ-2."""
    row, zero = (int.from_bytes(data[at:at + 4], "little") for at in (12, 16))
    return s.kind in TEXTURES and len(data) >= 20 and not zero and row < len(s.names) and s.names[row] in FORMATS


def read_object(r, s):
    tree, at, end = {"properties": None, "texture": None}, r.pos, r.end
    try:
        tree["properties"] = read("PropertyList", r, s)
    except Reject:
        if s.kind in TEXTURES:
            raise
        r.pos, r.end = at, end  # UA-OBJ-4
    if tree["properties"] is not None and begins_texture(r.data[r.pos:r.end], s):
        tree["texture"] = read("Texture2D", r, s)
    return {**tree, "data": r.take(r.left()).hex()}


def read_texture(r, s):
    at = r.pos
    tree = read("TextureHead", r, s)
    name = tree["pixelFormat"].encode()
    if r.number(4) != len(name) + 1 or r.take(len(name)) != name:
        raise Reject("value", at + 36, f"{tree['pixelFormat']} has to stand here")  # UA-TEX-5
    expect(r, "value", b"\0")
    tree["firstMipToSerialize"] = read("u4", r, s)
    count_at = r.pos
    tree["mips"] = r.many(r.number(4), 32, count_at, lambda: read_mip(r, s, tree["pixelFormat"], int(tree["numSlices"])))
    if int(tree["skipOffset"]) != s.base + r.pos:
        raise Reject("reference", at + 20, f"the list ends at {s.base + r.pos}")  # UA-TEX-3
    none_at = r.pos
    if s.text(read("FName", r, s)) != "None":
        raise Reject("unsupported", none_at, "another format")  # UA-TEX-7
    return {**tree, "tail": None}


def inline(flags):
    """Whether the payload stands in the mip; None if the flags leave it open or ask for more, UA-MIP-2."""
    return {0x40: True, 0x01: False}.get(flags & 0x1E3)


def payload_size(tree, pixel_format, slices):
    side, size = FORMATS[pixel_format]
    return slices * size * -(-int(tree["sizeX"]) // side) * -(-int(tree["sizeY"]) // side)  # UA-MIP-4


def read_mip(r, s, pixel_format, slices):
    at = r.pos
    expect(r, "value", number(1, 4))
    tree = {"bulkDataFlags": read("u4", r, s)}
    here = inline(int(tree["bulkDataFlags"]))
    if here is None:
        raise Reject("unsupported", at + 4, f"flags {tree['bulkDataFlags']}")
    tree["size"] = read("u4", r, s)
    size = int(tree["size"])
    expect(r, "value", number(size, 4))
    tree["offsetInFile"] = read("i8", r, s)
    if here and int(tree["offsetInFile"]) != s.base + r.pos:
        raise Reject("reference", at + 16, f"the payload stands at {s.base + r.pos}")  # UA-MIP-3
    tree["data"] = r.take(size, at + 8).hex() if here else ""
    tree["sizeX"], tree["sizeY"] = read("u4", r, s), read("u4", r, s)
    if size != payload_size(tree, pixel_format, slices):
        raise Reject("value", at + 8, f"{size} bytes of pixels")
    if not here:
        s.outside.append((int(tree["offsetInFile"]), size, at))
    return tree


def nowhere(tree):
    """Where a package index points outside the tables, UA-PKG-10: table, row, offset in the row."""
    exports = {"classIndex": 0, "superIndex": 4, "templateIndex": 8, "outerIndex": 12}
    for table, fields in ("imports", {"outerIndex": 16}), ("exports", exports):
        for i, row in enumerate(tree[table]):
            for field, at in fields.items():
                if not -len(tree["imports"]) <= int(row[field]) <= len(tree["exports"]):
                    return table, i, at
    return None


def misplaced(payloads, length):
    """What is wrong with payloads at the end of the file, UA-PKG-9, and where."""
    end = 0
    for offset, size, at in payloads:
        if not end <= offset <= length:
            return "reference", at + 16
        end = offset + size
        if end > length:
            return "truncated", at + 8
    return None


def object_class(export, tree, s):  # UA-PKG-11
    index = int(export["classIndex"])
    return (s.text(tree["imports"][~index]["objectName"]) or "") if index < 0 else ""


def texts(names):
    return [text_bytes(row["name"]["text"]) for row in names]


TABLES = [("names", "NameEntry", 8, 41), ("imports", "Import", 28, 65), ("exports", "Export", 100, 57)]
# Field of the tree, type of a row, fewest bytes, offset of the count in the summary; that of the table is behind it.


def read_package(r, s):
    tree = {"summary": read("Summary", r, s)}
    summary, start = tree["summary"], {}
    value = lambda field: int(summary[field])
    later = value("nameOffset") - 193  # in 4.14 what follows SearchableNamesOffset stands earlier
    for name, kind, least, at in TABLES:
        count, offset, start[name] = value(name[:-1] + "Count"), value(name[:-1] + "Offset"), r.pos
        if offset != r.pos and (offset or count):
            raise Reject("reference", at + 4, f"the {name} begin at {r.pos}")  # UA-PKG-2
        tree[name] = r.many(count, least, at, lambda: read(kind, r, s))  # UA-PKG-3
        s = s.named(texts(tree["names"]))
    for _ in tree["exports"]:
        expect(r, "value", bytes(4))  # UA-PKG-4
    if value("assetRegistryDataOffset") != r.pos:
        raise Reject("reference", 165 + later, f"the tables end at {r.pos}")
    read("Padding", r, s)
    if value("totalHeaderSize") != r.pos:
        raise Reject("reference", 24, f"the padding ends at {r.pos}")  # UA-PKG-5
    wrong = nowhere(tree)
    if wrong:
        table, row, at = wrong
        raise Reject("reference", start[table] + row * (28 if table == "imports" else 96) + at, "an index to nothing")
    if not r.left() and any(int(export["serialSize"]) for export in tree["exports"]):
        raise Reject("unsupported", 24, "the objects are in another file")  # UA-PKG-6
    tree["objects"] = []
    for i, export in enumerate(tree["exports"]):
        at, size, end = start["exports"] + 96 * i, int(export["serialSize"]), r.end
        if int(export["serialOffset"]) != r.pos:
            raise Reject("reference", at + 32, f"the object before ends at {r.pos}")  # UA-PKG-7
        r.promise(size + 4, at + 28)
        scope = s._replace(kind=object_class(export, tree, s))
        tree["objects"].append(window(r, size, at + 28, lambda: read_object(r, scope)))
    if value("bulkDataStartOffset") != r.pos:
        raise Reject("reference", 169 + later, f"the objects end at {r.pos}")  # UA-PKG-8
    bulk = r.take(max(r.left() - 4, 0))
    wrong = misplaced(s.outside, len(bulk))
    if wrong:
        raise Reject(*wrong, "a payload does not stand within the bulk data")
    read("Footer", r, s)
    return {**tree, "bulkData": bulk.hex()}


def write(kind, tree, s, at=0):
    """The bytes of a value; at is their absolute position, for what keeps it."""
    if kind in RECORDS and kind not in LISTED:
        return write_record(kind, tree, s)
    if re.fullmatch("[fiu][1248]", kind):
        return write_fixed(kind, tree)
    if kind in ONE_VALUE:
        refuse(int(tree) != ONE_VALUE[kind][1], f"{kind} is {tree}")
        return number(tree, 4)
    if kind == "Bool":
        refuse(not isinstance(tree, bool), f"{tree} is no truth value")
        return number(tree, 1)
    if kind == "Guid":
        data = bytes.fromhex(tree)
        refuse(len(data) != 16, "a GUID has 16 bytes")
        return data
    if kind == "PropertyGuid":
        return b"\0" if tree is None else b"\1" + write("Guid", tree, s)
    if kind == "FName":
        refuse(not 0 <= int(tree["index"]) < len(s.names), f"no name {tree['index']}")
        return number(tree["index"], 4) + number(tree["number"], 4)
    if kind == "FString":
        return write_string(tree)
    if kind == "PixelFormat":
        refuse(tree not in FORMATS, f"pixel format {tree}")
        return s.row(tree)
    if kind in KEPT:
        return bytes.fromhex(tree)
    if kind in LISTS:
        s = s.deeper()
        return b"".join(write("Property", item, s) for item in tree) + s.row("None")
    if kind == "FontImportOptionsData":
        refuse(tree.get("tail") is not None, "nothing follows the list")  # UA-FIO-1
        return write("PropertyList", tree["properties"], s)
    if kind.endswith("Property"):
        return write_property(tree, s, kind)
    return {"Object": write_object, "Texture2D": write_texture, "Package": write_package}[kind](tree, s, at)


def write_record(kind, tree, s):
    out = b""
    for name, sign, of in RECORDS[kind]:
        if sign == "!":
            out += bytes.fromhex(of)
        elif sign == "@":
            out += s.row(of)
        elif absent(name, tree):
            refuse(tree.get(name) is not None, f"{name} is not stored in 4.14")
        else:
            refuse(name in CHECKS and CHECKS[name](tree), f"{name} is {tree[name]}")
            refuse(tree.get(name) is None and of != "PropertyGuid", f"no {name}")
            out += write(of, tree.get(name), s)
    return out


def write_string(tree):  # UA-STR-5
    text, form = text_bytes(tree["text"]), tree["form"]
    refuse(form not in ("absent", "bytes", "utf16"), f"no form {form}")
    if form == "absent":
        refuse(text, "an absent text is empty")
        return bytes(4)
    data = text + b"\0" if form == "bytes" else utf16(text) + b"\0\0"
    return number(len(data) if form == "bytes" else -(len(data) // 2), 4, signed=True) + data


def write_property(tree, s, wanted):
    kind, value = tree["value"]["type"], tree["value"]["value"]
    refuse(wanted not in ("Property", kind), f"a {kind} for a {wanted}")
    refuse(kind not in LISTED and kind != "OpaqueProperty", f"no kind {kind}")
    name = write("FName", tree["name"], s)
    refuse(s.text(tree["name"]) == "None", "None ends a list")
    if kind == "OpaqueProperty":  # UA-OPQ-2
        of, names = write("FName", value["type"], s), value["names"]
        refuse(listed(value["type"], s) != kind, "bytes under a listed type")
        refuse(len(names) != ADDED.get(s.text(value["type"]), 0), "wrong number of names")
        added = b"".join(write("FName", item, s) for item in names)
    else:
        of = s.row(kind)
        added = write("Bool", value, s) if kind == "BoolProperty" else b""
        if kind in RECORDS and not added:
            added = write_record(kind, value, s)
    data = write_value(kind, value, s)
    index, guid = write("i4", tree["arrayIndex"], s), write("PropertyGuid", tree.get("propertyGuid"), s)
    return name + of + number(len(data), 4) + index + added + guid + data


def write_value(kind, tree, s):
    if kind in PLAIN:
        return write(PLAIN[kind], tree, s)
    if kind == "BoolProperty":
        return b""
    if kind == "ByteProperty":
        byte, name = tree.get("value"), tree.get("valueName")
        refuse((byte is None) == (name is None), "a byte or a name")  # UA-BYTE-1
        return write("u1", byte, s) if name is None else write("FName", name, s)
    if kind == "StructProperty":
        struct = tree["value"]["type"]
        refuse(struct != struct_kind(tree["structName"], s), f"{struct} under another name")  # UA-STC-3
        return write(struct, tree["value"]["value"], s)
    if kind == "ArrayProperty":
        return write_elements(s.text(tree["innerType"]), tree["elements"]["type"], tree["elements"]["value"], s)
    return bytes.fromhex(tree["data"])


def write_elements(inner, kind, tree, s):
    if inner in ELEMENTS:
        of, listed_kind = ELEMENTS[inner][1], ELEMENTS[inner][0]
        refuse(kind != listed_kind, f"{kind} in an array of {inner}")
        return number(len(tree), 4) + b"".join(write(of, item, s) for item in tree)
    if inner != "StructProperty":
        refuse(kind != "OpaqueElements", f"{kind} in an array of {inner}")
        return number(tree["count"], 4) + bytes.fromhex(tree["data"])
    tag = write("InnerTag", tree["tag"], s)
    struct = s.text(tree["tag"]["structName"])
    refuse(kind != ("Structs" if struct in APART else "OpaqueStructs"), f"{kind} in an array of {struct}")
    if kind == "Structs":
        refuse(any(item["type"] != struct for item in tree["elements"]), f"not all are {struct}")
        count, data = len(tree["elements"]), b"".join(write(struct, item["value"], s) for item in tree["elements"])
    else:
        count, data = tree["count"], bytes.fromhex(tree["data"])
    refuse(int(tree["tag"]["size"]) != len(data), f"{len(data)} bytes of elements")
    return number(count, 4) + tag + data


def is_list(data, s):
    try:
        read("PropertyList", Reader(data), s)
    except Reject:
        return False
    return True


def write_object(tree, s, at):
    """What has no list or no texture may not read as if it had, so that it comes back."""
    properties, texture, data = tree.get("properties"), tree.get("texture"), bytes.fromhex(tree["data"])
    if properties is None:
        refuse(s.kind in TEXTURES or texture is not None, "a texture has properties")  # UA-OBJ-4
        refuse(is_list(data, s), "the data are properties")
        return data
    out = write("PropertyList", properties, s)
    if texture is None:
        refuse(begins_texture(data, s), "the data are a texture")
        return out + data
    refuse(s.kind not in TEXTURES, "a texture in an object of another class")
    return out + write("Texture2D", texture, s, at + len(out)) + data


def write_texture(tree, s, at):
    name = tree["pixelFormat"]
    refuse(tree.get("tail") is not None, "nothing follows the list of formats")
    out = write("TextureHead", tree, s) + number(len(name) + 1, 4) + name.encode() + b"\0"
    out += write("u4", tree["firstMipToSerialize"], s) + number(len(tree["mips"]), 4)
    for mip in tree["mips"]:
        out += write_mip(mip, s, at + len(out), name, int(tree["numSlices"]))
    refuse(int(tree["skipOffset"]) != at + len(out), f"the list ends at {at + len(out)}")
    return out + s.row("None")


def write_mip(tree, s, at, pixel_format, slices):
    here, size, offset = inline(int(tree["bulkDataFlags"])), int(tree["size"]), int(tree["offsetInFile"])
    data = bytes.fromhex(tree["data"])
    refuse(here is None, f"flags {tree['bulkDataFlags']}")
    refuse(size != payload_size(tree, pixel_format, slices), f"{size} bytes of pixels")
    refuse(len(data) != (size if here else 0), f"{len(data)} bytes in the mip")
    refuse(here and offset != at + 24, f"the payload stands at {at + 24}")
    if not here:
        s.outside.append((offset, size, 0))
    out = number(1, 4) + write("u4", tree["bulkDataFlags"], s) + number(size, 4) * 2 + number(offset, 8, signed=True)
    return out + data + write("u4", tree["sizeX"], s) + write("u4", tree["sizeY"], s)


def write_package(tree, s, at):  # UA-PKG-13
    summary, exports = tree["summary"], tree["exports"]
    s = s.named(texts(tree["names"]))
    out = write("Summary", summary, s)
    for name, kind, _, _ in TABLES:
        count, offset = int(summary[name[:-1] + "Count"]), int(summary[name[:-1] + "Offset"])
        refuse(count != len(tree[name]), f"{len(tree[name])} {name}")
        refuse(offset != len(out) and (offset or count), f"the {name} begin at {len(out)}")
        out += b"".join(write(kind, row, s) for row in tree[name])
    out += bytes(4 * len(exports))
    refuse(int(summary["assetRegistryDataOffset"]) != len(out), f"the tables end at {len(out)}")
    out += bytes(4)
    refuse(int(summary["totalHeaderSize"]) != len(out), f"the padding ends at {len(out)}")
    refuse(nowhere(tree), "a package index points to nothing")
    refuse(len(tree["objects"]) != len(exports), "an object for each export")
    for export, item in zip(exports, tree["objects"]):
        data = write("Object", item, s._replace(kind=object_class(export, tree, s)), len(out))
        refuse(int(export["serialOffset"]) != len(out) or int(export["serialSize"]) != len(data), "not where it says")
        out += data
    refuse(int(summary["bulkDataStartOffset"]) != len(out), f"the objects end at {len(out)}")
    bulk = bytes.fromhex(tree["bulkData"])
    refuse(misplaced(s.outside, len(bulk)), "a payload does not stand within the bulk data")
    return out + bulk + number(TAG, 4)


TYPES = """Package Summary FString FName NameEntry Import Export Padding Object PropertyList Property BoolProperty
    FloatProperty NameProperty IntProperty StrProperty ObjectProperty ByteProperty ArrayProperty StructProperty
    OpaqueProperty IntPoint Guid ColorMaterialInput ScalarMaterialInput TextureStreamingData MaterialTextureInfo
    FontCharacter FontImportOptionsData Texture2D Mip Footer""".split()


def told(context):
    """The scope of a part read alone, and what a mip has to know, UA-PKG-16."""
    names = context.get("names")
    s = Scope(kind=context.get("class", ""), base=int(context.get("offset", 0)), outside=[])
    s = s.named(name.encode() for name in names.split("|")) if names else s
    return s, (context.get("format", "PF_DXT1"), int(context.get("slices", 1)))


def decode(name, data, context):
    kind, r, (s, mip) = name[7:], Reader(data), told(context)
    tree = read_mip(r, s, *mip) if kind == "Mip" else read(kind, r, s)
    return r.finish({"type": kind, "value": tree} if kind == "FontCharacter" else tree)  # UA-FCH-1


def encode(name, tree, context):
    kind, (s, mip) = name[7:], told(context)
    try:
        if kind == "FontCharacter":
            refuse(tree["type"] != kind, f"{tree['type']} for a {kind}")
            tree = tree["value"]
        return write_mip(tree, s, s.base, *mip) if kind == "Mip" else write(kind, tree, s, s.base)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as e:
        raise Reject("range", message=f"no tree of {name}: {e!r}") from e


if __name__ == "__main__":
    serve({"name": "uasset", "profile": "observed", "types": ["uasset." + t for t in TYPES]}, decode, encode)
