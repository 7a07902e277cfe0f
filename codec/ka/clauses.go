package ka

import "github.com/formatgauge/formatgauge/spec/ids"

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
	clauseUnwritten clauseID = "KA-V2-7"
	clauseBody102   clauseID = "KA-V102-1"

	clauseName      clauseID = "KA-FNS-1"
	clauseNameRange clauseID = "KA-FNS-3"

	clausePair   clauseID = "KA-PAIR-1"
	clauseKey    clauseID = "KA-PAIR-2"
	clauseKey2   clauseID = "KA-P2-1"
	clauseKey102 clauseID = "KA-P102-1"
	clauseValue  clauseID = "KA-VAL-1"
	clauseForm   clauseID = "KA-VAL-3"
	clauseType   clauseID = "KA-VH-1"
	clauseTypes  clauseID = "KA-VH-2"
	clauseNoType clauseID = "KA-VH-3"
	clauseNone   clauseID = "KA-NONE-2"

	clauseTextOfID   clauseID = "KA-STR-4"
	clauseWideUnit   clauseID = "KA-WSTR-3"
	clauseWideRange  clauseID = "KA-WSTR-5"
	clauseNestedFit  clauseID = "KA-NEST-2"
	clauseFastName   clauseID = "KA-FN-2"
	clauseArrayCount clauseID = "KA-ARR-2"
)

// The flags that the dialect resolves.
const (
	flagMagic          ids.Flag = "ka.magic"
	flagVersionTag     ids.Flag = "ka.version-tag"
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
	flagNestedFault    ids.Flag = "ka.nested-fault"
	flagColor          ids.Flag = "ka.color"
	flagFastNameV1     ids.Flag = "ka.fastname-v1"
	flagTransformOrder ids.Flag = "ka.transform-order"
)
