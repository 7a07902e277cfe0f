#!/usr/bin/env python3
"""Adapter for the package and texture reader of UE4-DDS-Tools.

    adapter.py FOLDER    the folder of UE4-DDS-Tools

The reader is imported as it is; it reads and writes everything. It has to be
told the version of the engine: it is told 4.15, and 4.14 if that fails, as its
own search for a version does. What it keeps as bytes (properties, engine
versions, the rest of an export row) is null in the tree.
"""
import contextlib
import io
import pathlib
import re
import struct
import sys
import tempfile
import traceback
from urllib.parse import unquote

sys.dont_write_bytecode = True  # the implementation's folder is left as it is
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples/adapters/python"))
from protocol import Reject, serve  # noqa: E402

sys.path.insert(0, str(pathlib.Path(sys.argv[1], "src")))
from unreal.archive import ArchiveRead, ArchiveWrite, String  # noqa: E402
from unreal.file_summary import UassetFileSummary  # noqa: E402
from unreal.import_export import ExportBase, UassetExport, UassetImport, UassetName  # noqa: E402
from unreal.uasset import Uasset, Uunknown  # noqa: E402
from unreal.umipmap import Umipmap  # noqa: E402
from unreal.utexture import Utexture  # noqa: E402
from unreal.version import VersionInfo  # noqa: E402

VERSIONS = ("4.15", "4.14")
FOLDER = tempfile.TemporaryDirectory()
FILE = str(pathlib.Path(FOLDER.name, "input.uasset"))


class Surroundings:
    """What a part asks of the package that it is in."""
    file_name, data_resources = "input", []
    is_ucas, context_verbose, context_valid = False, False, True
    check_tag, get_ar_context = Uasset.check_tag, Uasset.get_ar_context

    def __init__(self, version, start):
        self.version, self.start = VersionInfo(version), start

    def get_size(self):  # of the header: objects begin there
        return self.start


def archive(kind, data, around):
    return kind(io.BytesIO(data), context=around.get_ar_context())


class Tree(dict):
    """A tree, and how to write what the peer has in its place."""
    write = None


# What the peer keeps, as a tree.

def text(s):
    """The peer writes a text in UTF-16 unless it is ASCII; None for a length of 0."""
    return {"text": s or "", "form": "absent" if s is None else "bytes" if s.isascii() else "utf16"}


def name(row):
    ignoring, keeping = struct.unpack("<HH", row.hash)  # crc.strcrc puts them together
    return {"name": text(row.name), "nonCasePreservingHash": str(ignoring), "casePreservingHash": str(keeping)}


def fname(index, number):
    return {"index": str(index), "number": str(number)}


def import_row(row):
    return {"classPackage": fname(row.class_package_name_id, row.class_package_name_number),
            "className": fname(row.class_name_id, row.class_name_number),
            "outerIndex": str(row.class_package_import_id), "objectName": fname(row.name_id, row.name_number)}


def export_row(row):  # the last 60 bytes are kept together
    return {"classIndex": str(row.class_index), "superIndex": str(row.super_index),
            "templateIndex": str(row.template_index), "outerIndex": str(row.outer_index),
            "objectName": fname(row.name_id, row.name_number), "objectFlags": str(row.object_flags),
            "serialSize": str(row.size), "serialOffset": str(row.offset)}


def summary(head):
    old = head.version == "4.14"
    return {
        "totalHeaderSize": str(head.uasset_size), "packageFlags": str(head.pkg_flags),
        "nameCount": str(head.name_count), "nameOffset": str(head.name_map_offset),
        # The peer demands 0.
        **dict.fromkeys(("gatherableTextDataCount", "gatherableTextDataOffset", "softPackageReferencesCount",
                         "thumbnailTableOffset", "worldTileInfoDataOffset"), "0"),
        "searchableNamesOffset": None if old else "0",
        "softPackageReferencesOffset": str(head.string_asset_offset) if old else "0",
        "exportCount": str(head.export_count), "exportOffset": str(head.export_offset),
        "importCount": str(head.import_count), "importOffset": str(head.import_offset),
        "dependsOffset": str(head.depends_offset), "packageGuid": head.guid.hex(),
        "generations": [{"exportCount": str(exports), "nameCount": str(names)}
                        for exports, names in zip(head.generation_data[::2], head.generation_data[1::2])],
        "packageSource": str(head.package_source), "additionalPackagesToCook": [], "chunkIDs": [],
        "assetRegistryDataOffset": str(head.asset_registry_data_offset), "bulkDataStartOffset": str(head.bulk_offset),
        "preloadDependencyOffset": str(head.preload_dependency_offset)}


def mip(one):
    resource = one.data_resource
    return {"bulkDataFlags": str(resource.bulk_flags), "size": str(resource.data_size),
            "offsetInFile": str(resource.offset), "data": one.data.hex() if one.has_uexp_bulk() else "",
            "sizeX": str(one.width), "sizeY": str(one.height)}


STRIPPED = {"global": "1", "class": "0"}  # the peer searches for these bytes


def texture(one):
    return {"textureStripFlags": STRIPPED, "texture2DStripFlags": STRIPPED, "pixelFormat": one.pixel_format or "",
            "skipOffset": str(one.skip_offset), "sizeX": str(one.imported_width), "sizeY": str(one.imported_height),
            "numSlices": str(one.num_slices), "firstMipToSerialize": str(one.first_mip_to_serialize),
            "mips": [mip(level) for level in one.mipmaps], "tail": None}


def body(one):
    if isinstance(one, Utexture):
        return {"properties": None, "texture": texture(one), "data": ""}
    return {"properties": None, "texture": None, "data": one.bin.hex()}


# Parts, read and written by the peer's classes for them.

class LoneTexture(Utexture):
    """A texture without the end of the file, where the pixels of large mips are."""

    def serialize(self, ar):
        self._Utexture__serialize_uexp(ar)


class LoneMip(Umipmap):
    def serialize(self, ar):
        ar.args = (ar.uasset.get_size(), ar.uasset.data_resources)
        super().serialize(ar)


class AnyRow:
    """Rows for the references of a lone row."""
    name_id, name = 0, ""

    def __getitem__(self, _):
        return self


# How a lone row is given its names. In a package the tool does so itself.
NAMED = {
    "uasset.Import": lambda one, names: one.name_import(AnyRow(), names),
    "uasset.Export": lambda one, names: one.name_export(AnyRow(), AnyRow(), names),
}


def lone_object(around, context, size):
    kind = context.get("class", "")
    return LoneTexture(around, class_name=kind) if kind in ExportBase.TEXTURE_CLASSES else Uunknown(around, size)


# Of a type: the peer's object, and its tree.
PARTS = {
    "uasset.Summary": (lambda *_: UassetFileSummary(), summary),
    "uasset.NameEntry": (lambda *_: UassetName(), name),
    "uasset.Import": (lambda *_: UassetImport(), import_row),
    "uasset.Export": (lambda *_: UassetExport(), export_row),
    "uasset.Object": (lone_object, body),
    "uasset.Texture2D": (lambda around, *_: LoneTexture(around), texture),
    "uasset.Mip": (lambda *_: LoneMip(), mip),
}


def part(kind, data, context, version):
    around = Surroundings(version, int(context.get("offset", 0)))
    ar = archive(ArchiveRead, data, around)
    if kind == "uasset.FString":
        one = String.read(ar)
        tree, write = Tree(text(one)), lambda out: String.write(out, one)
    else:
        make, form = PARTS[kind]
        one = make(around, context, len(data))
        if kind == "uasset.Summary":
            around.check_tag(ar)
        one.version = around.version
        one.serialize(ar)
        tree, write = Tree(form(one)), lambda out: one.serialize(out)
    if ar.tell() < len(data):
        raise Reject("trailing", ar.tell(), "the peer read to here")
    if kind in NAMED:
        NAMED[kind](one, [unquote(n) for n in context.get("names", "").split("|")])

    def written():
        out = archive(ArchiveWrite, b"", around)
        write(out)
        return out.io.getvalue()

    tree.write = written
    return tree


def package(_kind, data, _context, version):
    pathlib.Path(FILE).write_bytes(data)
    asset = Uasset(FILE, version=version)
    asset.header.version = asset.version
    tree = Tree({
        "summary": summary(asset.header), "names": [name(row) for row in asset.name_list],
        "imports": [import_row(row) for row in asset.imports], "exports": [export_row(row) for row in asset.exports],
        "softPackageReferences": [],  # the peer demands a count of 0
        "objects": [body(row.object) for row in asset.exports], "bulkData": asset.bin_dict["ubulk"].hex()})

    def written():
        asset.save(FILE, valid=True)
        return pathlib.Path(FILE).read_bytes()

    tree.write = written
    return tree


# What the peer says of a fault: mostly a RuntimeError with a message.
FAULTS = {
    r"There is no buffer that has specified size\. \(Offset: (?P<offset>\d+)": "truncated",
    r"Invalid tag detected": "magic",
    r"Unexpected value for tail_tag": "magic",
    r"Unexpected value for header.file_version": "version",
    r"Unexpected value for .*(_count|_offset|ChunkID|_cook|registry_data)\.": "unsupported",  # 0 is demanded
    r"Unexpected value": "value",
    r"Unsupported file format": "unsupported",
    r"BULKDATA_UsesIODispatcher is not supported": "unsupported",
    r"Parse failed": "value",  # no strip flags found
}
EXCEPTIONS = {UnicodeDecodeError: "value", IndexError: "reference", struct.error: "truncated"}


def refusal(error, said):
    message = f"{type(error).__name__}: {error}".replace(FOLDER.name, "")
    if kind := EXCEPTIONS.get(type(error)):
        return Reject(kind, None, message)
    if isinstance(error, RuntimeError):
        if str(error).startswith("Parse failed") and "expected: " in said:
            return Reject("reference", None, message)  # an offset was compared with the position
        for pattern, kind in FAULTS.items():
            if found := re.match(pattern, str(error)):
                told = found.groupdict().get("offset")
                if str(error).startswith("Unexpected value for"):  # printed: where the value is
                    told = re.search(r"offset: (\d+)", said)[1]
                # In the objects the peer counts from the first of them.
                within = any(frame.name == "read_export_objects" for frame in traceback.extract_tb(error.__traceback__))
                return Reject(kind, int(told) if told and not within else None, message)
    return error


def decode(kind, data, context):
    read, rejected = package if kind == "uasset.Package" else part, None
    for version in VERSIONS if kind in ("uasset.Package", "uasset.Summary") else VERSIONS[:1]:
        with contextlib.redirect_stdout(io.StringIO()) as said:
            try:
                return read(kind, data, context, version)
            except Reject:
                raise
            except Exception as error:
                rejected = rejected or refusal(error, said.getvalue())
    raise rejected


def encode(_kind, tree, _context):
    with contextlib.redirect_stdout(io.StringIO()):
        return tree.write()


BYTES = "kept as bytes, with the properties around it"
serve({
    "name": "ue4-dds-tools",
    "version": "10bf27e",
    "types": ["uasset.Package", "uasset.FString", *PARTS],
    "operations": ["decode", "roundtrip"],
    "profile": "observed",
    "views": ["uasset.raw-properties", "uasset.short-tables"],
    "skips": [
        *({"type": "uasset." + kind, "reason": BYTES} for kind in """PropertyList Property BoolProperty FloatProperty
            NameProperty IntProperty StrProperty ObjectProperty ByteProperty ArrayProperty StructProperty OpaqueProperty
            IntPoint Guid ColorMaterialInput ScalarMaterialInput TextureStreamingData MaterialTextureInfo FontCharacter
            FontImportOptionsData""".split()),
        *({"type": "uasset." + kind, "reason": "read only inside other structures"} for kind in ("FName", "Padding", "Footer")),
    ],
}, decode, encode)
