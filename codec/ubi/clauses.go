package ubi

import "github.com/formatgauge/formatgauge/spec/ids"

type clauseID = ids.Clause

// The clauses that errors and spans cite.
const (
	clauseMagic      clauseID = "UBI-MAGIC-1"
	clauseMagicValue clauseID = "UBI-MAGIC-2"
	clauseMagicShort clauseID = "UBI-MAGIC-3"
	clauseMagicRange clauseID = "UBI-MAGIC-4"
	clauseTrailing   clauseID = "UBI-MAGIC-7"
	clauseShort      clauseID = "UBI-MAGIC-8"

	clauseString       clauseID = "UBI-STR-1"
	clauseStringLength clauseID = "UBI-STR-3"
	clauseStringUTF16  clauseID = "UBI-STR-4"

	clauseWString       clauseID = "UBI-WSTR-1"
	clauseWStringLength clauseID = "UBI-WSTR-3"
	clauseWStringWTF8   clauseID = "UBI-WSTR-4"
	clauseWStringUnit   clauseID = "UBI-WSTR-5"

	clauseEncrypted       clauseID = "UBI-ENC-1"
	clauseEncryptedLength clauseID = "UBI-ENC-4"

	clauseVector2    clauseID = "UBI-VEC2-1"
	clauseVector3    clauseID = "UBI-VEC3-1"
	clauseVector4    clauseID = "UBI-VEC4-1"
	clauseQuaternion clauseID = "UBI-QUAT-1"
	clauseColor      clauseID = "UBI-COLOR-1"

	clauseArray      clauseID = "UBI-ARR-1"
	clauseArrayCount clauseID = "UBI-ARR-2"
	clausePairArray  clauseID = "UBI-PARR-1"

	clause3U16      clauseID = "UBI-3U16-1"
	clause3U16Range clauseID = "UBI-3U16Q-4"

	clauseU32Bits      clauseID = "UBI-U32-2"
	clauseU32NaN       clauseID = "UBI-U32Q-5"
	clauseU32Normalize clauseID = "UBI-U32Q-7"
)

// The flags that the dialect resolves.
const (
	flagStringUTF16    ids.Flag = "ubi.string-utf16"
	flagWStringUnit    ids.Flag = "ubi.wstring-unit"
	flagU32Arithmetic  ids.Flag = "ubi.quat-u32-arithmetic"
	flagU32RepeatsA    ids.Flag = "ubi.quat-u32-repeats-a"
	flagU32NaN         ids.Flag = "ubi.quat-u32-nan"
	flag3U16Arithmetic ids.Flag = "ubi.quat-3u16-arithmetic"
)
