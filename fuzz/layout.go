package fuzz

// layout says what the documents say about each number, text and run of bytes.
// An [Oracle] compares it with what a codec reads. It is written from the clauses
// and repeats no code of a codec.
//
// A line consists of a clause, a field or several with commas, a kind, and then
// relations and conditions. The clause is the one that a span names, or - if it
// names none. The field is the end of the path of the span: a name, [] for an
// element, . for a type that has no fields, or two names such as tag.size. The
// fields of one part are listed in the order in which they are stored.
//
// Kinds: u1 to u8 and i1 to i8 are integers of that many bytes, f4 and f8 floats,
// ci a compact index, ref a reference in a compact index, ref4 one in four bytes,
// fname an index and a number, bool1 and bool2 truth values, raw any bytes, raw16
// that many, text the bytes of a text, textz also a NUL after them, utf16 and
// utf16z units, swizzled a text with its bits exchanged, type the type of a value
// of ka, and =HEX these bytes. A codec may compute a value from the field, so that
// the tree does not contain it: the kind of such a field ends with an exclamation
// mark.
//
// Relations are the functions of the map relations. Conditions are FLAG=SIDE, with
// a | between sides, and in=TYPE, with * at the end for all types that begin so.
const layout = `
UBI-MAGIC-1 . text
UBI-STR-1 len u4 bytes:s*1 ubi.string-utf16=observed
UBI-STR-4 len u4 bytes:s*2 ubi.string-utf16=documented
UBI-STR-1 s text ubi.string-utf16=observed
UBI-STR-1,UBI-STR-4 s utf16 ubi.string-utf16=documented
UBI-WSTR-1 len u4 bytes:s*2 ubi.wstring-unit=documented
UBI-WSTR-1,UBI-WSTR-5 len u4 bytes:s*1 ubi.wstring-unit=bytes
UBI-WSTR-1,UBI-WSTR-5 s utf16
UBI-ENC-1 len u4 bytes:s*1
UBI-ENC-1 s swizzled
UBI-VEC2-1 x,y f4
UBI-VEC3-1 x,y,z f4
UBI-VEC4-1 x,y,z,w f4
UBI-QUAT-1 x,y,z,w f4
UBI-COLOR-1 r,g,b,a f4
UBI-ARR-1,UBI-PARR-1 len u4 count:.
UBI-3U16-1 x,y,z u2 in=ubi.CompressedQuaternion3U16
UBI-3U16-1 x,y,z u2! in=ubi.CompressedQuaternion3U16.*
UBI-U32-2 .,[] u4!
- [] u1! in=ubi.Array<uint8>
- [] u2 in=ubi.Array<uint16>
- [] u4 in=ubi.Array<uint32>
- [] u4 in=ubi.Array<Array<uint32>>
- k,v u4 in=ubi.PairArray<uint32,uint32>
- k u4 in=ubi.Pair<uint32,float32>
- v f4 in=ubi.Pair<uint32,float32>

UPKG-INT-1 . u1 in=upkg.Integer<uint8>
UPKG-INT-1 . u2 in=upkg.Integer<uint16>
UPKG-INT-1 . u4 in=upkg.Integer<uint32>
UPKG-INT-1 . u8 in=upkg.Integer<uint64>
UPKG-INT-1 . i1 in=upkg.Integer<int8>
UPKG-INT-1 . i2 in=upkg.Integer<int16>
UPKG-INT-1 . i4 in=upkg.Integer<int32>
UPKG-INT-1 . i8 in=upkg.Integer<int64>
UPKG-CI-2,UPKG-CI-3 . ci
UPKG-REF-1 . ref
UPKG-NAME-1 text textz
UPKG-NAME-3 length ci bytes:text*1
UPKG-NAME-2 length u1 bytes:text*1
UPKG-NAME-2 text textz upkg.name-terminator=documented upkg.name-embedded-nul=documented
UPKG-NAME-5 text utf16z upkg.name-terminator=documented upkg.name-embedded-nul=documented
UPKG-NAME-2 text raw! upkg.name-terminator=keep|drop
UPKG-NAME-2 text raw! upkg.name-embedded-nul=cut
UPKG-NAME-5 text raw! upkg.name-terminator=keep|drop
UPKG-NAME-5 text raw! upkg.name-embedded-nul=cut
UPKG-HDR-2 signature =c1832a9e
UPKG-HDR-3 version u2
UPKG-HDR-1 licensee u2
UPKG-HDR-1 flags u4
UPKG-HDR-1 header.nameCount u4 count:/names
UPKG-HDR-1 header.nameOffset u4 start:/names
UPKG-HDR-1 header.exportCount u4 count:/exports
UPKG-HDR-1 header.exportOffset u4 start:/exports
UPKG-HDR-1 header.importCount u4 count:/imports
UPKG-HDR-1 header.importOffset u4 start:/imports
UPKG-HDR-1 nameCount,nameOffset,exportCount,exportOffset,importCount,importOffset u4
UPKG-HDR-4 count u4 heritages in=upkg.Package
UPKG-HDR-4 offset u4 start:/heritages in=upkg.Package
UPKG-HDR-4 count,offset u4 in=upkg.Header
UPKG-HDR-5 guid raw16
UPKG-HDR-5 generationCount u4 count:generations
UPKG-HDR-5 exportCount,nameCount u4
UPKG-NENT-1 flags u4
UPKG-IMP-1 classPackage,className ci
UPKG-IMP-2 package ref4 from:50
UPKG-IMP-3 packageName ci below:50
UPKG-IMP-1 objectName ci
UPKG-EXP-1 class,super ref
UPKG-EXP-2 group ref4 from:50
UPKG-EXP-1 objectName ci
UPKG-EXP-1 objectFlags u4
UPKG-EXP-1 serialSize ci serial
UPKG-EXP-3 serialOffset ci
UPKG-PKG-11 [] raw16
UPKG-PKG-7 bytes raw outside chunk

KA-PAIR-1,KA-VH-1 type type
KA-NEST-1 length u4 rest ka.nested-length-mismatch=documented ka.nested-fault=documented
KA-NEST-1 length u4!
KA-ARR-1 length u4 count:.
KA-HDR-1 tag =4b41
KA-HDR-2 version version ka.version-tag=documented
KA-HDR-2 version u2!
KA-V2-1 fastNameCount u4 count:fastNames
KA-FNS-1 length u2 bytes:text*1
KA-FNS-1 text text
KA-V2-1 id u4 apart
KA-V1-1 count u4 count:children ka.count-past-end=documented ka.duplicate-key=documented ka.nested-fault=documented
KA-V2-1,KA-V102-1 count u4 count:children ka.duplicate-key=documented ka.nested-fault=documented
KA-V1-1,KA-V2-1,KA-V102-1 count u4!
KA-BOOL-1 .,value,[] u1 ka.bool=documented|observed
KA-BOOL-1 .,value,[] u1!
KA-I8-1 .,value,[] i1
KA-U8-1 .,value,[] u1
KA-I16-1 .,value,[] i2
KA-U16-1 .,value,[] u2
KA-I32-1 .,value,[] i4
KA-U32-1 .,value,[] u4
KA-I64-1 .,value,[] i8
KA-U64-1 .,value,[] u8
KA-F32-1 .,value,[] f4
KA-F64-1 .,value,[] f8
KA-STR-1,KA-FN-2,KA-PATH-1 length u4 bytes:text*1
KA-STR-1,KA-FN-2,KA-PATH-1 text text
KA-WSTR-1 length u4 bytes:text*4 ka.wide-unit=observed
KA-WSTR-1 length u4 bytes:text*2 ka.wide-unit=documented
KA-WSTR-1 length u4 bytes:text*1 ka.wide-unit=bytes
KA-WSTR-1 text utf32 ka.wide-unit=observed
KA-WSTR-1 text utf16 ka.wide-unit=documented|bytes
KA-P2-1,KA-P102-1,KA-STR-3,KA-FN-1,KA-PATH-2,KA-WSTR-4 id u4 lookup ka.fastname-id=observed ka.duplicate-id=observed ka.registry-scope=observed ka.nested-fault=documented
KA-P2-1,KA-P102-1,KA-STR-3,KA-FN-1,KA-PATH-2,KA-WSTR-4 id u4
KA-BYTES-1 length u4 bytes:bytes*1
KA-BYTES-1 bytes raw
KA-VEC2-1,KA-BB2-1 x,y f4
KA-VEC3-1,KA-BB3-1 x,y,z f4
KA-VEC4-1,KA-QUAT-1,KA-TRF-1 x,y,z,w f4
KA-RECT-1 x,y,dx,dy f4
KA-COL-1 r,g,b,a f4
KA-MAT2-1,KA-MAT3-1,KA-MAT4-1 [] f4
KA-NEST-2 ignored raw! ka.nested-length-mismatch=slice|ignore

UA-SUM-1 tag =c1832a9e
UA-SUM-2 legacyFileVersion =f9ffffff
UA-SUM-3 legacyUE3Version,fileVersionUE4,fileVersionLicenseeUE4,customVersionCount =00000000
UA-SUM-4 summary.totalHeaderSize u4 end:/padding
UA-SUM-4 totalHeaderSize u4
UA-SUM-5 length =05000000
UA-SUM-5 text =4e6f6e6500
UA-SUM-6 packageFlags u4
UA-SUM-7 summary.nameCount u4 count:/names
UA-SUM-7 summary.nameOffset u4 end:/summary
UA-SUM-7 nameCount,nameOffset u4
UA-SUM-8 gatherableTextDataCount =00000000
UA-SUM-8 gatherableTextDataOffset u4
UA-SUM-8 summary.exportCount u4 count:/exports
UA-SUM-8 summary.exportOffset u4 table:/exports|/imports|/names|/summary
UA-SUM-8 summary.importCount u4 count:/imports
UA-SUM-8 summary.importOffset u4 table:/imports|/names|/summary
UA-SUM-8 exportCount,exportOffset,importCount,importOffset u4
UA-SUM-9 dependsOffset u4
UA-SUM-9 summary.softPackageReferencesCount u4 count:/softPackageReferences uasset.soft-references=observed
UA-SUM-9 softPackageReferencesCount u4
UA-SUM-9 summary.softPackageReferencesOffset u4 start:/softPackageReferences uasset.soft-references=observed
UA-SUM-9 softPackageReferencesOffset,searchableNamesOffset,thumbnailTableOffset u4
UA-SUM-10 packageGuid raw16
UA-SUM-10 generationCount =01000000
UA-SUM-10 exportCount,nameCount u4
UA-SUM-11 major,minor,patch u2
UA-SUM-11 changelist u4
UA-SUM-11 branchLength =00000000
UA-SUM-11 compressionFlags u4
UA-SUM-11 compressedChunkCount =00000000
UA-SUM-12 packageSource u4
UA-SUM-12 additionalPackagesToCookCount =00000000
UA-SUM-13 summary.assetRegistryDataOffset u4 start:/padding
UA-SUM-13 assetRegistryDataOffset u4
UA-SUM-14 summary.bulkDataStartOffset i8 end:/objects|/padding
UA-SUM-14 bulkDataStartOffset i8
UA-SUM-14 worldTileInfoDataOffset u4
UA-SUM-14 chunkIDCount =00000000
UA-SUM-15 preloadDependencyCount =ffffffff
UA-SUM-15 preloadDependencyOffset u4
UA-FNM-1 . fname
UA-NAM-1 nonCasePreservingHash,casePreservingHash u2
UA-IMP-1 classPackage,className fname
UA-IMP-1 outerIndex i4
UA-IMP-1 objectName fname
UA-EXP-1 classIndex,superIndex,templateIndex,outerIndex i4
UA-EXP-1 objectName fname
UA-EXP-1 objectFlags u4
UA-EXP-1 [].serialSize u4 extent
UA-EXP-1 [].serialOffset u4 chain
UA-EXP-1 serialSize,serialOffset,forcedExport,notForClient,notForServer u4
UA-EXP-1 packageGuid raw16
UA-EXP-1 packageFlags,notAlwaysLoadedForEditorGame,isAsset u4
UA-EXP-1 firstExportDependency,serializationBeforeSerializationDependencies,createBeforeSerializationDependencies,serializationBeforeCreateDependencies,createBeforeCreateDependencies i4
UA-EXP-5,UA-PKG-23 dependencyCount =00000000
UA-PAD-1 .,padding =00000000
UA-TAG-1,UA-ARR-3 name fname
UA-TAG-1 type fname! variant
UA-ARR-3 type fname! name:StructProperty
UA-TAG-1 tag.size u4 elements uasset.tag-array-index=observed uasset.struct-array-null=observed
UA-TAG-1 tag.size u4 uasset.tag-array-index=observed
UA-TAG-1 tag.size u8! elements uasset.tag-array-index=documented uasset.struct-array-null=observed
UA-TAG-1 tag.size u8!
UA-TAG-1 size u4 after:propertyGuid uasset.tag-array-index=observed uasset.bool-property=observed uasset.byte-property=observed uasset.object-property=observed uasset.font-import-options=observed
UA-TAG-1 size u4! uasset.tag-array-index=observed
UA-TAG-1 size u8! after:propertyGuid uasset.bool-property=observed uasset.byte-property=observed uasset.object-property=observed uasset.font-import-options=observed
UA-TAG-1 size u8!
UA-TAG-1 arrayIndex i4
UA-ARR-3,UA-STC-1 structName fname
UA-ARR-3,UA-STC-1 structGuid raw16
UA-BOOL-1 value bool1 uasset.bool-property=observed
UA-BOOL-1 value bool2
UA-TAG-2 propertyGuid guid within
UA-FLT-1 value f4
UA-NPR-1 value fname
UA-INT-1,UA-OPR-1 value i4
UA-BYTE-1 enumName fname
UA-BYTE-1 value u1
UA-BYTE-1 valueName fname
UA-BYTE-1 first raw
UA-BYTE-1 null =00
UA-BYTE-1 second raw
UA-ARR-1 innerType fname
UA-ARR-1 count u4 elementCount
UA-ARR-2 [] element
UA-BOOL-2 [] bool1
UA-ARR-2,UA-ARR-3 null =00
UA-STR-1 length i4 bytes:text*1 uasset.name-unicode=observed
UA-STR-1 length u4 bytes:text*1
UA-STR-1 text textz
UA-STR-3 text utf16z
UA-LST-1 end fname! name:None
UA-ARR-4,UA-ARR-5,UA-OBJ-3,UA-OBJ-4 data raw
UA-STC-2,UA-CMI-1,UA-SMI-1 .,value raw
UA-OPQ-1 names raw!
UA-OPQ-1 data raw
UA-IPT-1 x,y i4
UA-GUID-1 .,value,[] raw16
UA-TSD-1 first,second u8
UA-FCH-1 startU,startV,uSize,vSize i4
UA-FCH-1 textureIndex u1
UA-FCH-1 verticalOffset i4
UA-FCH-1 a,b,c u4
UA-FCH-1 d u8
UA-FIO-2 classID fname name:None
UA-FIO-2 null u4
UA-FIO-2 extraDataLength u4 count:extraData
UA-FIO-2 extraData raw!
UA-TEX-1 objectGuid =00000000
UA-TEX-1 global,class u1
UA-TEX-1 cooked =01000000
UA-TEX-2 pixelFormat fname! format
UA-TEX-3 skipOffset u4 start:end
UA-TEX-4 sizeX,sizeY,numSlices u4
UA-TEX-5 length u4! bytes:text*1
UA-TEX-5 text raw!
UA-TEX-6 firstMipToSerialize u4
UA-TEX-6 mipCount u4 count:mips
UA-MIP-1 cooked =01000000
UA-MIP-2 bulkDataFlags u4
UA-MIP-1 size u4 mip
UA-MIP-1 sizeOnDisk u4 same:size
UA-MIP-3 offsetInFile i8 payload
UA-MIP-5 data raw
UA-MIP-1 sizeX,sizeY u4
UA-PKG-9 payload raw! outside
UA-PKG-9 bulkData raw! outside
UA-TEX-7 end fname! name:None uasset.mip-tail=observed
UA-TEX-7 end u4! count:mips
UA-TEX-7 endNull =00000000
UA-TEX-8 tail u8
UA-FTR-1 .,footer =c1832a9e
`
