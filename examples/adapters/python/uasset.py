#!/usr/bin/env python3
"""Cooked packages of Unreal Engine 4.14 and 4.15 with textures, written only
from the records of uasset. The profile is observed, without counted parts.

Decoding and encoding process the same fields under the same conditions. So each
structure has one function for both. io is the input or the output. tree is the
value to encode, or None for decoding. The function returns the tree.
"""
import re
from urllib.parse import unquote_to_bytes

from protocol import Reject, serve
from values import Reader, number, read_fixed, text_bytes, text_tree, utf16, write_fixed, wtf8

TAG = 0x9E2A83C1
RECORDS = {  # field:type, class!bytes for a constant, class@text for a constant name; class is that of a rejection
    "Summary": "magic!c1832a9e version!f9ffffff version!00000000 version!00000000 version!00000000 version!00000000 "
               "totalHeaderSize:u4 unsupported!050000004e6f6e6500 packageFlags:u4 nameCount:u4 nameOffset:u4 "
               "gatherableTextDataCount:u4 gatherableTextDataOffset:u4 exportCount:u4 exportOffset:u4 importCount:u4 "
               "importOffset:u4 dependsOffset:u4 softPackageReferencesCount:u4 softPackageReferencesOffset:u4 "
               "searchableNamesOffset:u4 thumbnailTableOffset:u4 packageGuid:Guid unsupported!01000000 "
               "generations:Generations savedByEngineVersion:EngineVersion compatibleWithEngineVersion:EngineVersion "
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

# Properties: types of values without further fields in the tag; fixed sizes, UA-TAG-3; number of further names in
# the tags of types whose value is opaque, UA-OPQ-1.
PLAIN = {"FloatProperty": "f4", "IntProperty": "i4", "NameProperty": "FName", "ObjectProperty": "i4",
         "StrProperty": "FString"}
SIZES = {"BoolProperty": (0,), "FloatProperty": (4,), "IntProperty": (4,), "NameProperty": (8,),
         "ObjectProperty": (4,), "ByteProperty": (1, 8)}
LISTED = {*PLAIN, *SIZES, "ArrayProperty", "StructProperty"}
ADDED = {"EnumProperty": 1, "SetProperty": 1, "MapProperty": 2}

# Structs that are decoded, UA-STC-2, with sizes if they are fixed; in arrays, UA-ARR-4, with the smallest size.
STRUCTS = {"IntPoint": 8, "Guid": 16, "TextureStreamingData": 16, "FontCharacter": 21, "ColorMaterialInput": None,
           "ScalarMaterialInput": None, "MaterialTextureInfo": None, "FontImportOptionsData": None}
IN_ARRAYS = {"IntPoint": 8, "Guid": 16, "TextureStreamingData": 16, "FontCharacter": 21, "MaterialTextureInfo": 8}
ELEMENTS = {"FloatProperty": ("Floats", "f4", 4), "IntProperty": ("Ints", "i4", 4),
            "NameProperty": ("Names", "FName", 8), "ObjectProperty": ("Objects", "i4", 4),
            "BoolProperty": ("Bools", "Bool", 1),
            "StrProperty": ("Strs", "FString", 4)}  # UA-ARR-2: name of the list, type and smallest size of an element

TEXTURES = ("Texture2D", "TextureCube", "LightMapTexture2D", "ShadowMapTexture2D")
FORMATS = {"PF_DXT1": (4, 8), "PF_DXT3": (4, 16), "PF_DXT5": (4, 16), "PF_BC5": (4, 16), "PF_B8G8R8A8": (1, 4),
           "PF_G8": (1, 1)}  # pixels per side and bytes of a block, UA-MIP-4


class Context:
    """What a value needs from outside, UA-PKG-16."""

    def __init__(self, names=(), kind="", base=0):
        self.kind, self.base = kind, base  # class of the object, absolute offset of the first byte
        self.level = 0  # depth of nested property lists
        self.outside = []  # payloads at the end of the file: OffsetInFile, size, offset of the mip
        self.set_names(names)

    def set_names(self, names):
        self.names = list(names)
        self.rows = {text: row for row, text in reversed([*enumerate(self.names)])}  # first row of each text

    def text(self, name):
        """The text of a name that selects a type: None if the name has a number, UA-FNM-3."""
        return None if int(name["number"]) else self.names[int(name["index"])]


class Input(Reader, Context):
    writing = False

    def __init__(self, data, *context):
        Reader.__init__(self, data)
        Context.__init__(self, *context)

    def check(self, valid, error_class, at, message):
        """Rejects invalid input; for an Output it rejects an invalid value, with class range."""
        if not valid:
            raise Reject(error_class, at, message)

    def fixed(self, kind, _=None):
        return read_fixed(kind, self)

    def hex(self, size, _=None, at=None):
        """size opaque bytes; all remaining bytes if size is None."""
        return self.take(self.remaining() if size is None else size, at).hex()

    def constant(self, error_class, expected, at=None):
        at = self.pos if at is None else at
        self.check(self.take(len(expected)) == expected, error_class, at, f"expected {expected.hex()}")

    def each(self, trees, count):
        """The trees of count elements: None for decoding."""
        return [None] * count

    def sized(self, size, at, item):
        """A value that has exactly size bytes, UA-TAG-3. at is the offset of the size."""
        self.require(size, at)
        outer_end, self.end = self.end, self.pos + size
        tree = self.finish(item())
        self.end = outer_end
        return tree


class Output(Context):
    writing = True

    def __init__(self, *context):
        super().__init__(*context)
        self.data = bytearray()

    pos = property(lambda self: len(self.data))

    def check(self, valid, _, __, message):
        reject_if(not valid, message)

    def require(self, size, at):
        pass

    def fixed(self, kind, tree):
        self.data += write_fixed(kind, tree)
        return tree

    def hex(self, size, tree, at=None):
        data = bytes.fromhex(tree)
        reject_if(size not in (None, len(data)), f"expected {size} bytes, found {len(data)}")
        self.data += data
        return tree

    def constant(self, _, expected, at=None):
        self.data += expected

    def each(self, trees, count):
        reject_if(len(trees) != count, f"expected {count} elements, found {len(trees)}")
        return trees

    def sized(self, _, at, item):
        start, tree = self.pos, item()
        self.data[at:at + 4] = number(self.pos - start, 4)
        return tree


def reject_if(condition, message):
    """Rejects a tree that no input decodes to."""
    if condition:
        raise Reject("range", message=message)


def item(io, kind, tree=None):
    if kind in KINDS:
        return KINDS[kind](io, tree)
    return record(io, kind, tree) if kind in RECORDS else io.fixed(kind, tree)


def item_of(io, kind, tree=None):
    """A value of one of several types. Its tree contains the type."""
    reject_if(io.writing and tree["type"] != kind, f"expected a {kind}")  # UA-STC-3
    return {"type": kind, "value": item(io, kind, tree["value"] if io.writing else None)}


def record(io, kind, tree=None):
    tree = tree if io.writing else {}
    for name, sign, of in RECORDS[kind]:  # for ! and @ name is a class
        at = io.pos
        if sign == "!":
            io.constant(name, bytes.fromhex(of))
        elif sign == "@":
            constant_name(io, of, name)
        elif name == "searchableNamesOffset" and tree["nameOffset"] == "189":  # uasset.header-4-14
            reject_if(tree.setdefault(name) is not None, f"{name} does not exist in 4.14")
        else:
            tree[name] = item(io, of, tree.get(name))
            error_class = name in CHECKS and CHECKS[name](tree)
            io.check(not error_class, error_class, at, f"invalid {name} {tree[name]}")
    return tree


def export_region(references, end):  # UA-SUM-13
    """The class of a rejection if the export region ends in the field end of a package with or without references."""
    def check(tree):
        count, size = int(tree["exportCount"]), int(tree[end]) - int(tree["exportOffset"])
        if not count or size == 100 * count or references != has_references(tree):
            return None
        return "unsupported" if size in (76 * count, 108 * count) else "reference"
    return check


def has_references(tree):  # UA-PKG-17
    return tree["softPackageReferencesCount"] != "0"


# The class of a rejection if a field is invalid.
CHECKS = {"nameOffset": lambda tree: tree["nameOffset"] not in ("189", "193") and "reference",
          "gatherableTextDataCount": lambda tree: tree["gatherableTextDataCount"] != "0" and "unsupported",
          "softPackageReferencesOffset": export_region(True, "softPackageReferencesOffset"),
          "assetRegistryDataOffset": export_region(False, "assetRegistryDataOffset")}


def generations(io, tree):
    reject_if(io.writing and len(tree) != 1, "expected one generation")
    return [record(io, "Generation", tree[0] if io.writing else None)]


def summary(io, tree):
    if io.writing:  # uasset.counted-parts=documented
        reject_if(tree["additionalPackagesToCook"] or tree["chunkIDs"] or
                  any(tree[version].get("branch") is not None
                      for version in ("savedByEngineVersion", "compatibleWithEngineVersion")), "a part that is not supported")
    io.check(io.writing or io.data[:4] != TAG.to_bytes(4, "big"), "unsupported", 0, "big-endian package")  # UA-SUM-1
    return {"additionalPackagesToCook": [], "chunkIDs": []} | record(io, "Summary", tree)


def constant_number(error_class, value):
    """A type with one value."""
    def item(io, tree):
        reject_if(io.writing and int(tree) != value, f"expected {value}, found {tree}")
        io.constant(error_class, number(value, 4))
        return str(value)
    return item


def boolean(io, tree):
    reject_if(io.writing and not isinstance(tree, bool), f"expected a boolean, found {tree}")
    return int(io.fixed("u1", tree)) > 0  # UA-BOOL-2


def property_guid(io, tree):  # UA-TAG-2
    at, present = io.pos, int(io.fixed("u1", int(tree is not None)))
    io.check(present < 2, "value", at, f"expected 0 or 1 before the GUID, found {present}")
    return io.hex(16, tree) if present else None


def string(io, tree):
    at, data, length = io.pos, b"", 0
    if io.writing:  # UA-STR-5
        form, data = tree["form"], text_bytes(tree["text"])
        reject_if(form not in ("bytes", "utf16") and (form != "absent" or data), f"invalid form {form} of a text")
        data = utf16(data) + b"\0\0" if form == "utf16" else data + b"\0" if form == "bytes" else data
        length = -(len(data) // 2) if form == "utf16" else len(data)
    length = int(io.fixed("i4", length))
    if length == 0:
        return {"text": "", "form": "absent"}  # UA-STR-2
    unit = 1 if length > 0 else 2  # UA-STR-3
    data = bytes.fromhex(io.hex(abs(length) * unit, data.hex(), at))
    io.check(not any(data[-unit:]), "value", io.pos - unit, "expected a NUL at the end")  # UA-STR-4
    return {"text": text_tree(data[:-1] if unit == 1 else wtf8(data[:-2])), "form": "bytes" if unit == 1 else "utf16"}


def name(io, tree=None):
    at, tree = io.pos, tree or {}
    io.require(8, at)
    tree = {field: io.fixed("u4", tree.get(field)) for field in ("index", "number")}
    io.check(0 <= int(tree["index"]) < len(io.names), "reference", at, "the name does not exist")  # UA-FNM-2
    return tree


def constant_name(io, text, error_class=None):
    """A name that is not in the tree. Its text is constant; the first row with it is encoded, UA-FNM-3."""
    at = io.pos
    reject_if(io.writing and text not in io.rows, f"the table of names does not contain {text}")
    found = name(io, {"index": io.rows.get(text), "number": 0})
    io.check(io.text(found) == text, error_class, at, f"expected the name {text}")


def pixel_format(io, tree):
    at, text = io.pos, tree if io.writing else io.text(name(io))
    io.check(text in FORMATS, "unsupported", at, f"pixel format {text}")  # UA-TEX-2
    if io.writing:
        constant_name(io, text)
    return text


def properties(io, tree=None):
    at, io.level = io.pos, io.level + 1
    if io.level > 64:  # UA-LST-3
        raise Reject("limit", None if io.writing else at, "more than 64 levels")
    if io.writing:
        for one in tree:
            tagged(io, one)
        constant_name(io, "None")
    else:
        tree = []
        while io.text(name(io)) != "None":  # UA-LST-1
            io.pos -= 8
            tree.append(tagged(io))
    io.level -= 1
    return tree


def tagged(io, tree=None, expected=None):
    """A property: its tag and its value. expected is its type, or None for any."""
    at, tree = io.pos, tree if io.writing else {}
    tree["name"] = name(io, tree.get("name"))
    io.check(io.text(tree["name"]) != "None", "value", at, "a property with the name None")  # UA-TAG-1
    kind, value = (tree["value"]["type"], tree["value"]["value"]) if io.writing else (None, None)
    if kind in LISTED:
        constant_name(io, kind)  # UA-TAG-4
    else:
        of = name(io, value and value["type"])
        found = io.text(of) if io.text(of) in LISTED else "OpaqueProperty"
        reject_if(kind not in (None, found), f"expected a {found}, found {kind}")  # UA-OPQ-2
        kind = found
    io.check(expected in (None, kind), "kind", at + 8, f"expected a {expected}, found {kind}")  # UA-TAG-5
    size, tree["arrayIndex"] = int(io.fixed("u4", 0)), io.fixed("i4", tree.get("arrayIndex"))
    check_size = lambda sizes: io.check(io.writing or size in sizes, "value", at + 16, f"{kind}: invalid size {size}")
    check_size(SIZES.get(kind, [size]))
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
        check_size([fixed or size])
        value["structGuid"] = io.hex(16, value.get("structGuid"))
    elif kind not in PLAIN:
        value = record(io, kind + "Tag", value)
    tree["propertyGuid"] = property_guid(io, tree.get("propertyGuid"))
    content = lambda: untagged(io, kind, value, size)
    # With a fixed size, a truncated input is rejected at the field, not at the size.
    tree["value"] = {"type": kind, "value": content() if fixed and not io.writing else io.sized(size, at + 16, content)}
    return tree


def untagged(io, kind, tree, size):
    """The value of a property after its tag. tree contains the fields from the tag."""
    if kind in PLAIN:
        return item(io, PLAIN[kind], tree)
    if kind == "OpaqueProperty":
        tree["data"] = io.hex(None, tree["data"])
    elif kind == "ByteProperty":
        if io.writing:
            reject_if((tree.get("value") is None) == (tree.get("valueName") is None), "expected a byte or a name")
            size = 1 if tree.get("valueName") is None else 8
        tree["value"] = io.fixed("u1", tree.get("value")) if size == 1 else None
        tree["valueName"] = name(io, tree.get("valueName")) if size == 8 else None
    elif kind == "StructProperty":
        struct = io.text(tree["structName"])
        tree["value"] = item_of(io, struct if struct in STRUCTS else "OpaqueStruct", tree.get("value"))
    elif kind == "ArrayProperty":
        tree["elements"] = elements(io, io.text(tree["innerType"]), tree.get("elements"))
    return tree


def counted(io, least, element, trees):
    """A count, then elements of at least least bytes each."""
    at, count = io.pos, int(io.fixed("u4", len(trees) if io.writing else None))
    io.require(count * least, at)
    return [element(tree) for tree in io.each(trees, count)]


def elements(io, inner, tree):
    at, (kind, tree) = io.pos, (tree["type"], tree["value"]) if io.writing else (None, {})
    check_kind = lambda expected: reject_if(kind not in (None, expected), f"{kind} in an array of {inner}")
    if inner in ELEMENTS:
        plural, of, least = ELEMENTS[inner]
        check_kind(plural)
        return {"type": plural, "value": counted(io, least, lambda one: item(io, of, one), tree)}
    count = io.fixed("u4", len(tree["elements"]) if kind == "Structs" else tree.get("count"))
    if inner != "StructProperty":  # UA-ARR-5
        check_kind("OpaqueElements")
        return {"type": "OpaqueElements", "value": {"count": count, "data": io.hex(None, tree.get("data"))}}
    tag = record(io, "InnerTag", tree.get("tag"))
    struct, size, start = io.text(tag["structName"]), int(tag["size"]), io.pos
    # uasset.struct-array-null
    io.check(io.writing or size == io.remaining(), "value", at + 20, f"invalid inner size {size}")
    io.require(int(count) * IN_ARRAYS.get(struct, 0), at)
    if struct in IN_ARRAYS:
        check_kind("Structs")
        rest = {"elements": [item_of(io, struct, one) for one in io.each(tree.get("elements"), int(count))]}
    else:
        check_kind("OpaqueStructs")
        rest = {"count": count, "data": io.hex(None, tree.get("data"))}
    reject_if(io.writing and io.pos - start != size, f"expected an inner size of {io.pos - start}, found {size}")
    return {"type": "Structs" if struct in IN_ARRAYS else "OpaqueStructs", "value": {"tag": tag, **rest}}


def font_import_options(io, tree):  # UA-FIO-1
    reject_if(io.writing and tree.get("tail") is not None, "data after the list")
    return {"properties": properties(io, tree and tree["properties"]), "tail": None}


def begins_texture(io, data):
    """Whether the data after the properties of an object are a texture, UA-OBJ-2."""
    row, zero = (int.from_bytes(data[at:at + 4], "little") for at in (12, 16))
    return io.kind in TEXTURES and len(data) >= 20 and not zero and row < len(io.names) and io.names[row] in FORMATS


def read_body(io):
    tree, at, end, level = {"properties": None, "texture": None}, io.pos, io.end, io.level
    try:
        tree["properties"] = properties(io)
    except Reject as e:
        if io.kind in TEXTURES or e.kind == "limit":
            raise
        io.pos, io.end, io.level = at, end, level  # UA-OBJ-4
    if tree["properties"] is not None and begins_texture(io, io.data[io.pos:min(io.end, io.pos + 20)]):
        tree["texture"] = texture(io)
    return {**tree, "data": io.hex(None)}


def write_body(io, tree):
    """Rejects data that would be decoded as the absent properties or the absent texture."""
    has_properties, has_texture = (tree.get(part) is not None for part in ("properties", "texture"))
    data = Input(bytes.fromhex(tree["data"]), io.names)
    reject_if(has_texture and io.kind not in TEXTURES or not has_properties and (has_texture or io.kind in TEXTURES),
              "a texture must have a texture class, and an object of such a class must have properties")
    if has_properties:
        properties(io, tree["properties"])
        reject_if(not has_texture and begins_texture(io, data.data), "the data are a texture")
    else:
        try:
            decodable = read_body(data)["properties"] is not None
        except Reject:
            decodable = True  # too many nested lists for this reader
        reject_if(decodable, "the data are properties")
    if has_texture:
        texture(io, tree["texture"])
    io.hex(None, tree["data"])
    return tree


def texture(io, tree=None):
    at, tree = io.pos, record(io, "TextureHead", tree)
    text = tree["pixelFormat"].encode() + b"\0"
    io.constant("value", number(len(text), 4))
    io.constant("value", text, at + 36)  # UA-TEX-5
    tree["firstMipToSerialize"] = io.fixed("u4", tree.get("firstMipToSerialize"))
    mip_of = lambda one: mip(io, one, tree["pixelFormat"], int(tree["numSlices"]))
    tree["mips"] = counted(io, 32, mip_of, tree.get("mips"))
    end = io.base + io.pos
    io.check(int(tree["skipOffset"]) == end, "reference", at + 20, f"the list ends at {end}")  # UA-TEX-3
    constant_name(io, "None", "unsupported")  # UA-TEX-7
    reject_if(tree.setdefault("tail") is not None, "data after the list of formats")
    return tree


def mip(io, tree, pixels, slices):
    at, tree = io.pos, tree if io.writing else {}
    field = lambda key, kind="u4": tree.__setitem__(key, io.fixed(kind, tree.get(key))) or int(tree[key])
    io.constant("value", number(1, 4))
    inline = {0x40: True, 0x01: False}.get(field("bulkDataFlags") & 0x1E3)  # UA-MIP-2
    io.check(inline is not None, "unsupported", at + 4, f"unsupported flags {tree['bulkDataFlags']}")
    size = field("size")
    io.constant("value", number(size, 4))
    offset, start = field("offsetInFile", "i8"), io.base + io.pos
    io.check(not inline or offset == start, "reference", at + 16, f"the payload is at {start}")  # UA-MIP-3
    tree["data"] = io.hex(size if inline else 0, tree.get("data"), at + 8)
    width, height, (side, block) = field("sizeX"), field("sizeY"), FORMATS[pixels]
    expected = slices * block * -(-width // side) * -(-height // side)
    io.check(size == expected, "value", at + 8, f"expected {expected} bytes of pixels, found {size}")  # UA-MIP-4
    if not inline:
        io.outside.append((offset, size, at))
    return tree


# Field of the tree, type of an entry, its smallest size, offset of the count in the summary. The offset of the table
# follows the count.
TABLES = [("names", "NameEntry", 8, 41), ("imports", "Import", 28, 65), ("exports", "Export", 100, 57)]
INDEXES = [("imports", 28, {"outerIndex": 16}),  # table, size of an entry, offsets of its indexes
           ("exports", 96, {"classIndex": 0, "superIndex": 4, "templateIndex": 8, "outerIndex": 12})]


def package(io, tree):
    tree, start = tree if io.writing else {}, {}
    tree["summary"] = summary(io, tree.get("summary"))
    value = lambda field: int(tree["summary"][field])
    check_offset = lambda field, at: io.check(value(field) == io.pos, "reference", at, f"{field}: expected {io.pos}")
    shift = value("nameOffset") - 193  # in 4.14 the fields after SearchableNamesOffset have smaller offsets
    for table, kind, least, at in TABLES:
        count, start[table] = value(table[:-1] + "Count"), io.pos
        if count or value(table[:-1] + "Offset"):
            check_offset(table[:-1] + "Offset", at + 4)  # UA-PKG-2
        io.require(count * least, at)  # UA-PKG-3
        tree[table] = [item(io, kind, row) for row in io.each(tree.get(table), count)]
        if table == "names":
            io.set_names(text_bytes(row["name"]["text"]).decode("latin-1") for row in tree["names"])
    for _ in tree["exports"]:
        io.constant("value", bytes(4))  # UA-PKG-4
    references = int(tree["summary"]["softPackageReferencesCount"])
    if references:  # UA-PKG-17
        check_offset("softPackageReferencesOffset", 81)
        io.require(references * 4, 77)
    strings = io.each(tree.get("softPackageReferences"), references)
    tree["softPackageReferences"] = [string(io, one) for one in strings]
    check_offset("assetRegistryDataOffset", 165 + shift)  # UA-PKG-5
    io.constant("unsupported", bytes(4))
    check_offset("totalHeaderSize", 24)
    for table, size, fields in INDEXES:  # UA-PKG-10
        for i, row in enumerate(tree[table]):
            for field, at in fields.items():
                exists = -len(tree["imports"]) <= int(row[field]) <= len(tree["exports"])
                io.check(exists, "reference", start[table] + size * i + at, f"{field}: {row[field]} does not exist")
    split = not io.writing and not io.remaining() and any(int(export["serialSize"]) for export in tree["exports"])
    io.check(not split, "unsupported", 24, "the objects are in another file")  # UA-PKG-6
    objects(io, tree, start["exports"])
    check_offset("bulkDataStartOffset", 169 + shift)  # UA-PKG-8
    tree["bulkData"] = io.hex(None if io.writing else max(io.remaining() - 4, 0), tree.get("bulkData"))
    end, length = 0, len(tree["bulkData"]) // 2
    for offset, size, at in io.outside:  # UA-PKG-9
        io.check(end <= offset <= length, "reference", at + 16, "payloads are not in order or overlap")
        end = offset + size
        io.check(end <= length, "truncated", at + 8, "the payload exceeds the bulk data")
    io.constant("magic", number(TAG, 4))
    return tree


def objects(io, tree, start):  # UA-PKG-7
    bodies = io.each(tree.get("objects"), len(tree["exports"]))
    tree["objects"] = []
    for i, (export, one) in enumerate(zip(tree["exports"], bodies)):
        index, size, begin, at = int(export["classIndex"]), int(export["serialSize"]), io.pos, start + 96 * i
        io.kind = (io.text(tree["imports"][~index]["objectName"]) or "") if index < 0 else ""  # UA-PKG-11
        io.check(int(export["serialOffset"]) == begin, "reference", at + 32, f"the object is at {begin}")
        io.require(size and size + 4, at + 28)
        tree["objects"].append(write_body(io, one) if io.writing else io.sized(size, at + 28, lambda: read_body(io)))
        reject_if(io.pos - begin != size, f"expected an object of {size} bytes, found {io.pos - begin}")


def opaque(io, tree):
    return io.hex(None, tree)


KINDS = {
    "Package": package, "Summary": summary, "Generations": generations,
    "FString": string, "FName": name, "PropertyList": properties,
    "Padding": constant_number("unsupported", 0), "Footer": constant_number("magic", TAG), "Property": tagged,
    "Bool": boolean,
    "Object": lambda io, tree: write_body(io, tree) if io.writing else read_body(io), "PropertyGuid": property_guid,
    "Guid": lambda io, tree: io.hex(16, tree), "ColorMaterialInput": opaque, "ScalarMaterialInput": opaque,
    "OpaqueStruct": opaque, "MaterialTextureInfo": properties, "FontImportOptionsData": font_import_options,
    "PixelFormat": pixel_format, "Texture2D": texture,
    **{kind: lambda io, tree, kind=kind: tagged(io, tree, kind) for kind in (*LISTED, "OpaqueProperty")},  # UA-TAG-5
}
TYPES = """Package Summary FString FName NameEntry Import Export Padding Object PropertyList Property BoolProperty
    FloatProperty NameProperty IntProperty StrProperty ObjectProperty ByteProperty ArrayProperty StructProperty
    OpaqueProperty IntPoint Guid ColorMaterialInput ScalarMaterialInput TextureStreamingData MaterialTextureInfo
    FontCharacter FontImportOptionsData Texture2D Mip Footer""".split()


def single(io, kind, context, tree=None):
    """A value that is not part of a package."""
    if kind == "Mip":
        return mip(io, tree, context.get("format", "PF_DXT1"), int(context.get("slices", 1)))
    return (item_of if kind == "FontCharacter" else item)(io, kind, tree)  # UA-FCH-1


def context_of(context):
    """The arguments of Context from the context of a request."""
    names = context["names"].split("|") if context.get("names") else []  # UA-PKG-16
    names = [unquote_to_bytes(n).decode("latin-1") for n in names]
    return names, context.get("class", ""), int(context.get("offset", 0))


def decode(kind, data, context):
    io = Input(data, *context_of(context))
    return io.finish(single(io, kind[7:], context))


def encode(kind, tree, context):
    io = Output(*context_of(context))
    try:
        single(io, kind[7:], context, tree)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as e:
        raise Reject("range", message=f"not a tree of {kind}: {e!r}") from e
    return io.data


if __name__ == "__main__":
    serve({"name": "uasset", "profile": "observed,uasset.counted-parts=documented", "types": ["uasset." + t for t in TYPES]}, decode, encode)
