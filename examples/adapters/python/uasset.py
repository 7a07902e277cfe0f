#!/usr/bin/env python3
"""Cooked packages of Unreal Engine 4.14 and 4.15 with textures, written from
the records of uasset alone. Follows the observed profile.

What is read is what is written, field by field and under the same conditions.
So each structure is one function for both: io is what is read from or written
to, tree the value to write, None in reading; the value is what comes back.
"""
import re

from protocol import Reject, serve
from values import Reader, number, read_fixed, text_bytes, text_tree, utf16, write_fixed, wtf8

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
    "BytePropertyTag": "enumName:FName", "ArrayPropertyTag": "innerType:FName",
    "InnerTag": "name:FName kind@StructProperty size:u4 arrayIndex:i4 structName:FName structGuid:Guid "
                "propertyGuid:PropertyGuid",  # UA-ARR-3
    "IntPoint": "x:i4 y:i4",
    "TextureStreamingData": "first:u8 second:u8",
    "FontCharacter": "startU:i4 startV:i4 uSize:i4 vSize:i4 textureIndex:u1 verticalOffset:i4",
    "TextureHead": "unsupported!00000000 textureStripFlags:StripFlags texture2DStripFlags:StripFlags value!01000000 "
                   "pixelFormat:PixelFormat skipOffset:u4 sizeX:u4 sizeY:u4 numSlices:u4",
    "StripFlags": "global:u1 class:u1",
}
RECORDS = {kind: [re.fullmatch("(.*)([:!@])(.*)", field).groups() for field in fields.split()]
           for kind, fields in RECORDS.items()}

# Properties: type of the value where nothing is added to the tag; sizes where they are fixed, UA-TAG-3; names that
# are added to the tags of types that are kept as bytes, UA-OPQ-1.
PLAIN = {"FloatProperty": "f4", "IntProperty": "i4", "NameProperty": "FName", "ObjectProperty": "i4",
         "StrProperty": "FString"}
SIZES = {"BoolProperty": (0,), "FloatProperty": (4,), "IntProperty": (4,), "NameProperty": (8,),
         "ObjectProperty": (4,), "ByteProperty": (1, 8)}
LISTED = {*PLAIN, *SIZES, "ArrayProperty", "StructProperty"}
ADDED = {"EnumProperty": 1, "SetProperty": 1, "MapProperty": 2}

# Structs that are told apart, UA-STC-2, with sizes where they are fixed; in arrays, UA-ARR-4, with the least size.
STRUCTS = {"IntPoint": 8, "Guid": 16, "TextureStreamingData": 16, "FontCharacter": 21, "ColorMaterialInput": None,
           "ScalarMaterialInput": None, "MaterialTextureInfo": None, "FontImportOptionsData": None}
IN_ARRAYS = {"IntPoint": 8, "Guid": 16, "TextureStreamingData": 16, "FontCharacter": 21, "MaterialTextureInfo": 8}
ELEMENTS = {"FloatProperty": ("Floats", "f4", 4), "IntProperty": ("Ints", "i4", 4),
            "NameProperty": ("Names", "FName", 8), "ObjectProperty": ("Objects", "i4", 4),
            "BoolProperty": ("Bools", "Bool", 1),
            "StrProperty": ("Strs", "FString", 4)}  # UA-ARR-2: name of the list, type and least size of an element

TEXTURES = ("Texture2D", "TextureCube")
FORMATS = {"PF_DXT1": (4, 8), "PF_DXT3": (4, 16), "PF_DXT5": (4, 16), "PF_BC5": (4, 16), "PF_B8G8R8A8": (1, 4),
           "PF_G8": (1, 1)}  # side and bytes of a block, UA-MIP-4


class Around:
    """What a value does not tell itself, UA-PKG-16."""

    def __init__(self, names=(), kind="", base=0):
        self.kind, self.base = kind, base  # class of the object around, absolute position of the first byte
        self.level = 0  # of property lists
        self.outside = []  # payloads at the end of the file: OffsetInFile, size, and where the mip begins
        self.table(names)

    def table(self, names):
        self.names = list(names)
        self.rows = {text: row for row, text in reversed([*enumerate(self.names)])}  # the first of each

    def text(self, name):
        """What a name says where its text decides what follows: nothing if it has a number, UA-FNM-3."""
        return None if int(name["number"]) else self.names[int(name["index"])]


class In(Reader, Around):
    writing = False

    def __init__(self, data, *around):
        Reader.__init__(self, data)
        Around.__init__(self, *around)

    def check(self, fine, problem, at, message):
        """What has to hold; in writing, anything else is out of range."""
        if not fine:
            raise Reject(problem, at, message)

    def fixed(self, kind, _=None):
        return read_fixed(kind, self)

    def hex(self, size, _=None, at=None):
        """Bytes that are kept; without a size, all there are."""
        return self.take(self.left() if size is None else size, at).hex()

    def constant(self, problem, wanted, place=None):
        at = self.pos if place is None else place
        self.check(self.take(len(wanted)) == wanted, problem, at, f"{wanted.hex()} has to stand here")

    def each(self, trees, count):
        return [None] * count

    def window(self, size, at, one):
        """A value that has to fill a size, UA-TAG-3."""
        self.promise(size, at)
        around, self.end = self.end, self.pos + size
        tree = self.finish(one())
        self.end = around
        return tree


class Out(Around):
    writing = True

    def __init__(self, *around):
        super().__init__(*around)
        self.data = bytearray()

    pos = property(lambda self: len(self.data))

    def check(self, fine, _, __, message):
        refuse(not fine, message)

    def promise(self, size, at):
        pass

    def fixed(self, kind, tree):
        self.data += write_fixed(kind, tree)
        return tree

    def hex(self, size, tree, at=None):
        data = bytes.fromhex(tree)
        refuse(size not in (None, len(data)), f"{len(data)} bytes, not {size}")
        self.data += data
        return tree

    def constant(self, _, wanted, place=None):
        self.data += wanted

    def each(self, trees, count):
        refuse(len(trees) != count, f"{len(trees)} values, not {count}")
        return trees

    def window(self, _, at, one):
        start, tree = self.pos, one()
        self.data[at:at + 4] = number(self.pos - start, 4)
        return tree


def refuse(condition, message):
    """What nothing that was read can be, but a tree can."""
    if condition:
        raise Reject("range", message=message)


def item(io, kind, tree=None):
    if kind in KINDS:
        return KINDS[kind](io, tree)
    return record(io, kind, tree) if kind in RECORDS else io.fixed(kind, tree)


def item_of(io, kind, tree=None):
    """A value that is one of several types: the tree says which."""
    refuse(io.writing and tree["type"] != kind, f"not a {kind}")  # UA-STC-3
    return {"type": kind, "value": item(io, kind, tree["value"] if io.writing else None)}


def record(io, kind, tree=None):
    tree = tree if io.writing else {}
    for name, sign, of in RECORDS[kind]:
        at = io.pos
        if sign == "!":
            io.constant(name, bytes.fromhex(of))
        elif sign == "@":
            row_of(io, of, name)
        elif name == "searchableNamesOffset" and tree["nameOffset"] == "189":  # uasset.header-4-14
            refuse(tree.setdefault(name) is not None, f"{name} is not stored in 4.14")
        else:
            tree[name] = item(io, of, tree.get(name))
            problem = name in CHECKS and CHECKS[name](tree)
            io.check(not problem, problem, at, f"{name} is {tree[name]}")
    return tree


def export_region(tree):  # UA-SUM-13
    count, size = int(tree["exportCount"]), int(tree["assetRegistryDataOffset"]) - int(tree["exportOffset"])
    if not count or size == 100 * count:
        return None
    return "unsupported" if size in (76 * count, 108 * count) else "reference"


# The class of what is wrong with a field.
CHECKS = {"nameOffset": lambda tree: tree["nameOffset"] not in ("189", "193") and "reference",
          "assetRegistryDataOffset": export_region}


def summary(io, tree):
    io.check(io.writing or io.data[:4] != TAG.to_bytes(4, "big"), "unsupported", 0, "a big-endian package")  # UA-SUM-1
    return record(io, "Summary", tree)


def only(problem, value):
    """A number of which there is one."""
    def one(io, tree):
        refuse(io.writing and int(tree) != value, f"{tree} is not {value}")
        io.constant(problem, number(value, 4))
        return str(value)
    return one


def boolean(io, tree):
    refuse(io.writing and not isinstance(tree, bool), f"{tree} is no truth value")
    return int(io.fixed("u1", tree)) > 0  # UA-BOOL-2


def property_guid(io, tree):  # UA-TAG-2
    at, there = io.pos, int(io.fixed("u1", int(tree is not None)))
    io.check(there < 2, "value", at, f"a GUID byte of {there}")
    return io.hex(16, tree) if there else None


def string(io, tree):
    at, data, length = io.pos, b"", 0
    if io.writing:  # UA-STR-5
        form, data = tree["form"], text_bytes(tree["text"])
        refuse(form not in ("bytes", "utf16") and (form != "absent" or data), f"a text of form {form}")
        data = utf16(data) + b"\0\0" if form == "utf16" else data + b"\0" if form == "bytes" else data
        length = -(len(data) // 2) if form == "utf16" else len(data)
    length = int(io.fixed("i4", length))
    if length == 0:
        return {"text": "", "form": "absent"}  # UA-STR-2
    unit = 1 if length > 0 else 2  # UA-STR-3
    data = bytes.fromhex(io.hex(abs(length) * unit, data.hex(), at))
    io.check(not any(data[-unit:]), "value", io.pos - unit, "no NUL at the end")  # UA-STR-4
    return {"text": text_tree(data[:-1] if unit == 1 else wtf8(data[:-2])), "form": "bytes" if unit == 1 else "utf16"}


def name(io, tree=None):
    at, tree = io.pos, tree or {}
    io.promise(8, at)
    tree = {field: io.fixed("u4", tree.get(field)) for field in ("index", "number")}
    io.check(0 <= int(tree["index"]) < len(io.names), "reference", at, f"no name {tree['index']}")  # UA-FNM-2
    return tree


def row_of(io, text, problem=None):
    """A name that the tree has no field for: its text has to be this, and its first row is written, UA-FNM-3."""
    at = io.pos
    refuse(io.writing and text not in io.rows, f"{text} is not among the names")
    found = name(io, {"index": io.rows.get(text), "number": 0})
    io.check(io.text(found) == text, problem, at, f"{text} has to stand here")


def pixel_format(io, tree):
    at, text = io.pos, tree if io.writing else io.text(name(io))
    io.check(text in FORMATS, "unsupported", at, f"pixel format {text}")  # UA-TEX-2
    if io.writing:
        row_of(io, text)
    return text


def properties(io, tree=None):
    at, io.level = io.pos, io.level + 1
    if io.level > 64:  # UA-LST-3
        raise Reject("limit", None if io.writing else at, "more than 64 levels")
    if io.writing:
        for one in tree:
            tagged(io, one)
        row_of(io, "None")
    else:
        tree = []
        while io.text(name(io)) != "None":  # UA-LST-1
            io.pos -= 8
            tree.append(tagged(io))
    io.level -= 1
    return tree


def tagged(io, tree=None, wanted=None):
    """A property: tag and value."""
    at, tree = io.pos, tree if io.writing else {}
    tree["name"] = name(io, tree.get("name"))
    io.check(io.text(tree["name"]) != "None", "value", at, "None ends a list")  # UA-TAG-1
    kind, value = (tree["value"]["type"], tree["value"]["value"]) if io.writing else (None, None)
    if kind in LISTED:
        row_of(io, kind)  # UA-TAG-4
    else:
        of = name(io, value and value["type"])
        found = io.text(of) if io.text(of) in LISTED else "OpaqueProperty"
        refuse(kind not in (None, found), f"{kind} under a type of another")  # UA-OPQ-2
        kind = found
    io.check(wanted in (None, kind), "kind", at + 8, f"a {kind}")  # UA-TAG-5
    size, tree["arrayIndex"] = int(io.fixed("u4", 0)), io.fixed("i4", tree.get("arrayIndex"))
    fits = lambda sizes: io.check(io.writing or size in sizes, "value", at + 16, f"a {kind} of {size} bytes")
    fits(SIZES.get(kind, [size]))
    fixed = kind in SIZES
    if kind == "OpaqueProperty":
        names = io.each(value and value["names"], ADDED.get(io.text(of), 0))
        value = {"type": of, "names": [name(io, one) for one in names], "data": value and value["data"]}
    elif kind == "BoolProperty":
        value = boolean(io, value)
    elif kind == "StructProperty":
        value = value or {}
        value["structName"] = name(io, value.get("structName"))
        fixed = STRUCTS.get(io.text(value["structName"]))
        fits([fixed or size])
        value["structGuid"] = io.hex(16, value.get("structGuid"))
    elif kind not in PLAIN:
        value = record(io, kind + "Tag", value)
    tree["propertyGuid"] = property_guid(io, tree.get("propertyGuid"))
    inside = lambda: untagged(io, kind, value, size)
    # Where the size is fixed it promises nothing: a field is cut then.
    tree["value"] = {"type": kind, "value": inside() if fixed and not io.writing else io.window(size, at + 16, inside)}
    return tree


def untagged(io, kind, tree, size):
    """What fills the size of a property. The tree holds what the tag told of it."""
    if kind in PLAIN:
        return item(io, PLAIN[kind], tree)
    if kind == "OpaqueProperty":
        tree["data"] = io.hex(None, tree["data"])
    elif kind == "ByteProperty":
        if io.writing:
            refuse((tree.get("value") is None) == (tree.get("valueName") is None), "a byte or a name")
            size = 1 if tree.get("valueName") is None else 8
        tree["value"] = io.fixed("u1", tree.get("value")) if size == 1 else None
        tree["valueName"] = name(io, tree.get("valueName")) if size == 8 else None
    elif kind == "StructProperty":
        struct = io.text(tree["structName"])
        tree["value"] = item_of(io, struct if struct in STRUCTS else "OpaqueStruct", tree.get("value"))
    elif kind == "ArrayProperty":
        tree["elements"] = elements(io, io.text(tree["innerType"]), tree.get("elements"))
    return tree


def many(io, least, one, trees):
    at, count = io.pos, int(io.fixed("u4", len(trees) if io.writing else None))
    io.promise(count * least, at)
    return [one(tree) for tree in io.each(trees, count)]


def elements(io, inner, tree):
    at, (kind, tree) = io.pos, (tree["type"], tree["value"]) if io.writing else (None, {})
    same = lambda wanted: refuse(kind not in (None, wanted), f"{kind} in an array of {inner}")
    if inner in ELEMENTS:
        plural, of, least = ELEMENTS[inner]
        same(plural)
        return {"type": plural, "value": many(io, least, lambda one: item(io, of, one), tree)}
    count = io.fixed("u4", len(tree["elements"]) if kind == "Structs" else tree.get("count"))
    if inner != "StructProperty":  # UA-ARR-5
        same("OpaqueElements")
        return {"type": "OpaqueElements", "value": {"count": count, "data": io.hex(None, tree.get("data"))}}
    tag = record(io, "InnerTag", tree.get("tag"))
    struct, size, start = io.text(tag["structName"]), int(tag["size"]), io.pos
    io.check(io.writing or size == io.left(), "value", at + 20, f"an inner size of {size}")  # uasset.struct-array-null
    io.promise(int(count) * IN_ARRAYS.get(struct, 0), at)
    if struct in IN_ARRAYS:
        same("Structs")
        rest = {"elements": [item_of(io, struct, one) for one in io.each(tree.get("elements"), int(count))]}
    else:
        same("OpaqueStructs")
        rest = {"count": count, "data": io.hex(None, tree.get("data"))}
    refuse(io.writing and io.pos - start != size, f"an inner size of {size}")
    return {"type": "Structs" if struct in IN_ARRAYS else "OpaqueStructs", "value": {"tag": tag, **rest}}


def font_import_options(io, tree):  # UA-FIO-1
    refuse(io.writing and tree.get("tail") is not None, "nothing follows the list")
    return {"properties": properties(io, tree and tree["properties"]), "tail": None}


def begins_texture(io, data):
    """Whether a texture follows the properties of an object, UA-OBJ-2."""
    row, zero = (int.from_bytes(data[at:at + 4], "little") for at in (12, 16))
    return io.kind in TEXTURES and len(data) >= 20 and not zero and row < len(io.names) and io.names[row] in FORMATS


def read_body(io):
    tree, at, end, level = {"properties": None, "texture": None}, io.pos, io.end, io.level
    try:
        tree["properties"] = properties(io)
    except Reject as fault:
        if io.kind in TEXTURES or fault.kind == "limit":
            raise
        io.pos, io.end, io.level = at, end, level  # UA-OBJ-4
    if tree["properties"] is not None and begins_texture(io, io.data[io.pos:min(io.end, io.pos + 20)]):
        tree["texture"] = texture(io)
    return {**tree, "data": io.hex(None)}


def write_body(io, tree):
    """Data may not read as the list or the texture that is not there, or they come back as such."""
    listed, textured = (tree.get(part) is not None for part in ("properties", "texture"))
    data = In(bytes.fromhex(tree["data"]), io.names)
    refuse(textured and io.kind not in TEXTURES or not listed and (textured or io.kind in TEXTURES),
           "a texture has a class and properties, and its class has properties")
    if listed:
        properties(io, tree["properties"])
        refuse(not textured and begins_texture(io, data.data), "the data are a texture")
    else:
        try:
            listed = read_body(data)["properties"] is not None
        except Reject:
            listed = True  # deeper than this reader goes
        refuse(listed, "the data are properties")
    if textured:
        texture(io, tree["texture"])
    io.hex(None, tree["data"])
    return tree


def texture(io, tree=None):
    at, tree = io.pos, record(io, "TextureHead", tree)
    text = tree["pixelFormat"].encode() + b"\0"
    io.constant("value", number(len(text), 4))
    io.constant("value", text, at + 36)  # UA-TEX-5
    tree["firstMipToSerialize"] = io.fixed("u4", tree.get("firstMipToSerialize"))
    tree["mips"] = many(io, 32, lambda one: mip(io, one, tree["pixelFormat"], int(tree["numSlices"])), tree.get("mips"))
    end = io.base + io.pos
    io.check(int(tree["skipOffset"]) == end, "reference", at + 20, f"the list ends at {end}")  # UA-TEX-3
    row_of(io, "None", "unsupported")  # UA-TEX-7
    refuse(tree.setdefault("tail") is not None, "nothing follows the list of formats")
    return tree


def mip(io, tree, pixels, slices):
    at, tree = io.pos, tree if io.writing else {}
    field = lambda key, kind="u4": tree.__setitem__(key, io.fixed(kind, tree.get(key))) or int(tree[key])
    io.constant("value", number(1, 4))
    inline = {0x40: True, 0x01: False}.get(field("bulkDataFlags") & 0x1E3)  # UA-MIP-2
    io.check(inline is not None, "unsupported", at + 4, f"flags {tree['bulkDataFlags']}")
    size = field("size")
    io.constant("value", number(size, 4))
    offset, start = field("offsetInFile", "i8"), io.base + io.pos
    io.check(not inline or offset == start, "reference", at + 16, f"the payload stands at {start}")  # UA-MIP-3
    tree["data"] = io.hex(size if inline else 0, tree.get("data"), at + 8)
    width, height, (side, block) = field("sizeX"), field("sizeY"), FORMATS[pixels]
    wanted = slices * block * -(-width // side) * -(-height // side)
    io.check(size == wanted, "value", at + 8, f"{size} bytes for pixels of {wanted}")  # UA-MIP-4
    if not inline:
        io.outside.append((offset, size, at))
    return tree


# Field of the tree, type of a row, its fewest bytes, offset of the count in the summary; behind it that of the table.
TABLES = [("names", "NameEntry", 8, 41), ("imports", "Import", 28, 65), ("exports", "Export", 100, 57)]
INDEXES = [("imports", 28, {"outerIndex": 16}),  # of a row of that many bytes, with offsets in it
           ("exports", 96, {"classIndex": 0, "superIndex": 4, "templateIndex": 8, "outerIndex": 12})]


def package(io, tree):
    tree, start = tree if io.writing else {}, {}
    tree["summary"] = summary(io, tree.get("summary"))
    value = lambda field: int(tree["summary"][field])
    place = lambda field, at, what: io.check(value(field) == io.pos, "reference", at, f"the {what} at {io.pos}")
    later = value("nameOffset") - 193  # in 4.14 what follows SearchableNamesOffset stands earlier
    for table, kind, least, at in TABLES:
        count, start[table] = value(table[:-1] + "Count"), io.pos
        if count or value(table[:-1] + "Offset"):
            place(table[:-1] + "Offset", at + 4, f"{table} begin")  # UA-PKG-2
        io.promise(count * least, at)  # UA-PKG-3
        tree[table] = [item(io, kind, row) for row in io.each(tree.get(table), count)]
        if table == "names":
            io.table(text_bytes(row["name"]["text"]).decode("latin-1") for row in tree["names"])
    for _ in tree["exports"]:
        io.constant("value", bytes(4))  # UA-PKG-4
    place("assetRegistryDataOffset", 165 + later, "padding begins")  # UA-PKG-5
    io.constant("unsupported", bytes(4))
    place("totalHeaderSize", 24, "header ends")
    for table, size, fields in INDEXES:  # UA-PKG-10
        for i, row in enumerate(tree[table]):
            for field, at in fields.items():
                fine = -len(tree["imports"]) <= int(row[field]) <= len(tree["exports"])
                io.check(fine, "reference", start[table] + size * i + at, f"{field} points to nothing")
    split = not io.writing and not io.left() and any(int(export["serialSize"]) for export in tree["exports"])
    io.check(not split, "unsupported", 24, "the objects are in another file")  # UA-PKG-6
    objects(io, tree, start["exports"])
    place("bulkDataStartOffset", 169 + later, "objects end")  # UA-PKG-8
    tree["bulkData"] = io.hex(None if io.writing else max(io.left() - 4, 0), tree.get("bulkData"))
    end, length = 0, len(tree["bulkData"]) // 2
    for offset, size, at in io.outside:  # UA-PKG-9
        io.check(end <= offset <= length, "reference", at + 16, "the payload is not behind the one before it")
        end = offset + size
        io.check(end <= length, "truncated", at + 8, "the payload reaches past the bulk data")
    io.constant("magic", number(TAG, 4))
    return tree


def objects(io, tree, start):  # UA-PKG-7
    bodies = io.each(tree.get("objects"), len(tree["exports"]))
    tree["objects"] = []
    for i, (export, one) in enumerate(zip(tree["exports"], bodies)):
        index, size, begin, at = int(export["classIndex"]), int(export["serialSize"]), io.pos, start + 96 * i
        io.kind = (io.text(tree["imports"][~index]["objectName"]) or "") if index < 0 else ""  # UA-PKG-11
        io.check(int(export["serialOffset"]) == begin, "reference", at + 32, f"the object begins at {begin}")
        io.promise(size and size + 4, at + 28)
        tree["objects"].append(write_body(io, one) if io.writing else io.window(size, at + 28, lambda: read_body(io)))
        refuse(io.pos - begin != size, f"an object of {io.pos - begin} bytes")


def kept(io, tree):
    return io.hex(None, tree)


KINDS = {
    "Package": package, "Summary": summary, "FString": string, "FName": name, "Padding": only("unsupported", 0),
    "Footer": only("magic", TAG), "PropertyList": properties, "Property": tagged, "Bool": boolean,
    "Object": lambda io, tree: write_body(io, tree) if io.writing else read_body(io), "PropertyGuid": property_guid,
    "Guid": lambda io, tree: io.hex(16, tree), "ColorMaterialInput": kept, "ScalarMaterialInput": kept,
    "OpaqueStruct": kept, "MaterialTextureInfo": properties, "FontImportOptionsData": font_import_options,
    "PixelFormat": pixel_format, "Texture2D": texture,
    **{kind: lambda io, tree, kind=kind: tagged(io, tree, kind) for kind in (*LISTED, "OpaqueProperty")},  # UA-TAG-5
}
TYPES = """Package Summary FString FName NameEntry Import Export Padding Object PropertyList Property BoolProperty
    FloatProperty NameProperty IntProperty StrProperty ObjectProperty ByteProperty ArrayProperty StructProperty
    OpaqueProperty IntPoint Guid ColorMaterialInput ScalarMaterialInput TextureStreamingData MaterialTextureInfo
    FontCharacter FontImportOptionsData Texture2D Mip Footer""".split()


def alone(io, kind, context, tree=None):
    if kind == "Mip":
        return mip(io, tree, context.get("format", "PF_DXT1"), int(context.get("slices", 1)))
    return (item_of if kind == "FontCharacter" else item)(io, kind, tree)  # UA-FCH-1


def told(context):
    names = context["names"].encode().decode("latin-1").split("|") if context.get("names") else []
    return names, context.get("class", ""), int(context.get("offset", 0))


def decode(kind, data, context):
    io = In(data, *told(context))
    return io.finish(alone(io, kind[7:], context))


def encode(kind, tree, context):
    io = Out(*told(context))
    try:
        alone(io, kind[7:], context, tree)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as e:
        raise Reject("range", message=f"no tree of {kind}: {e!r}") from e
    return io.data


if __name__ == "__main__":
    serve({"name": "uasset", "profile": "observed", "types": ["uasset." + t for t in TYPES]}, decode, encode)
