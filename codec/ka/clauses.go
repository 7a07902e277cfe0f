package ka

import (
	model "github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/spec/ids"
)

type clauseID = ids.Clause

// The clauses that errors and spans cite.
const (
	clauseBounds     clauseID = "KA-ARC-3"
	clauseDuplicate  clauseID = "KA-ARC-4"
	clauseHeaderless clauseID = "KA-ARC-5"
	clauseDepth      clauseID = "KA-ARC-6"
	clauseCount      clauseID = "KA-ARC-7"
	clauseOrphan     clauseID = "KA-ARC-9"
	clauseWrite      clauseID = "KA-ARC-10"

	clauseHash clauseID = "KA-CAN-1"

	clauseTag     clauseID = "KA-HDR-1"
	clauseVersion clauseID = "KA-HDR-2"
	clauseAlone   clauseID = "KA-HDR-4"

	clauseBody1     clauseID = "KA-V1-1"
	clausePastEnd   clauseID = "KA-V1-2"
	clauseBody2     clauseID = "KA-V2-1"
	clauseCount2    clauseID = "KA-V2-2"
	clauseUnknownID clauseID = "KA-V2-6"
	clauseBody102   clauseID = "KA-V102-1"

	clauseName      clauseID = "KA-FNS-1"
	clauseNameRange clauseID = "KA-FNS-3"

	clausePair    clauseID = "KA-PAIR-1"
	clauseKey     clauseID = "KA-PAIR-2"
	clauseKey2    clauseID = "KA-P2-1"
	clauseKey102  clauseID = "KA-P102-1"
	clauseValue   clauseID = "KA-VAL-1"
	clauseForm    clauseID = "KA-VAL-3"
	clauseType    clauseID = "KA-VH-1"
	clauseTypes   clauseID = "KA-VH-2"
	clauseNoType  clauseID = "KA-VH-3"
	clauseNone    clauseID = "KA-NONE-2"
	clauseBoolean clauseID = "KA-BOOL-1"
	clauseInt32   clauseID = "KA-I32-1"
	clauseFloat   clauseID = "KA-F32-1"

	clauseString     clauseID = "KA-STR-1"
	clauseStringID   clauseID = "KA-STR-3"
	clauseTextOfID   clauseID = "KA-STR-4"
	clauseWide       clauseID = "KA-WSTR-1"
	clauseWideUnit   clauseID = "KA-WSTR-3"
	clauseWideID     clauseID = "KA-WSTR-4"
	clauseWideRange  clauseID = "KA-WSTR-5"
	clauseByteArray  clauseID = "KA-BYTES-1"
	clauseUint32     clauseID = "KA-U32-1"
	clauseNested     clauseID = "KA-NEST-1"
	clauseNestedFit  clauseID = "KA-NEST-2"
	clauseInt64      clauseID = "KA-I64-1"
	clauseUint64     clauseID = "KA-U64-1"
	clauseVector2    clauseID = "KA-VEC2-1"
	clauseVector3    clauseID = "KA-VEC3-1"
	clauseVector4    clauseID = "KA-VEC4-1"
	clauseMatrix2    clauseID = "KA-MAT2-1"
	clauseMatrix3    clauseID = "KA-MAT3-1"
	clauseMatrix4    clauseID = "KA-MAT4-1"
	clauseColor      clauseID = "KA-COL-1"
	clauseFastNameID clauseID = "KA-FN-1"
	clauseFastName   clauseID = "KA-FN-2"
	clauseAABBox3    clauseID = "KA-BB3-1"
	clauseFilePath   clauseID = "KA-PATH-1"
	clauseFilePathID clauseID = "KA-PATH-2"
	clauseFloat64    clauseID = "KA-F64-1"
	clauseInt8       clauseID = "KA-I8-1"
	clauseUint8      clauseID = "KA-U8-1"
	clauseInt16      clauseID = "KA-I16-1"
	clauseUint16     clauseID = "KA-U16-1"
	clauseRect       clauseID = "KA-RECT-1"
	clauseArray      clauseID = "KA-ARR-1"
	clauseArrayCount clauseID = "KA-ARR-2"
	clauseQuaternion clauseID = "KA-QUAT-1"
	clauseTransform  clauseID = "KA-TRF-1"
	clauseAABBox2    clauseID = "KA-BB2-1"
)

// clausesOfText are the clauses of the types that hold text: in place, and as
// a number.
var clausesOfText = [...]struct{ inPlace, number clauseID }{
	model.TypeString:     {clauseString, clauseStringID},
	model.TypeWideString: {clauseWide, clauseWideID},
	model.TypeFastName:   {clauseFastName, clauseFastNameID},
	model.TypeFilePath:   {clauseFilePath, clauseFilePathID},
}

// The flags that the dialect is made from.
const (
	flagMagic          ids.Flag = "ka.magic"
	flagKeyType        ids.Flag = "ka.key-type"
	flagDuplicateKey   ids.Flag = "ka.duplicate-key"
	flagCountPastEnd   ids.Flag = "ka.count-past-end"
	flagRegistryScope  ids.Flag = "ka.registry-scope"
	flagFastNameID     ids.Flag = "ka.fastname-id"
	flagDuplicateID    ids.Flag = "ka.duplicate-id"
	flagUnknownID      ids.Flag = "ka.unknown-id"
	flagStringV2       ids.Flag = "ka.string-v2"
	flagFilePathV2     ids.Flag = "ka.filepath-v2"
	flagWideV2         ids.Flag = "ka.wide-v2"
	flagWideUnit       ids.Flag = "ka.wide-unit"
	flagTypes          ids.Flag = "ka.types-26-28-30"
	flagNone           ids.Flag = "ka.none"
	flagBool           ids.Flag = "ka.bool"
	flagNestedLength   ids.Flag = "ka.nested-length"
	flagLengthMismatch ids.Flag = "ka.nested-length-mismatch"
	flagColor          ids.Flag = "ka.color"
	flagFastNameV1     ids.Flag = "ka.fastname-v1"
	flagTransformOrder ids.Flag = "ka.transform-order"
)
