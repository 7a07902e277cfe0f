package upkg

import "github.com/formatgauge/formatgauge/spec/ids"

type clauseID = ids.Clause

// The clauses that errors and spans cite.
const (
	clauseInteger  clauseID = "UPKG-INT-1"
	clauseShort    clauseID = "UPKG-INT-3"
	clauseTrailing clauseID = "UPKG-INT-4"

	clauseIndexFirst     clauseID = "UPKG-CI-2"
	clauseIndex          clauseID = "UPKG-CI-3"
	clauseIndexFifth     clauseID = "UPKG-CI-5"
	clauseIndexMinimal   clauseID = "UPKG-CI-6"
	clauseIndexRange     clauseID = "UPKG-CI-7"
	clauseIndexMinusZero clauseID = "UPKG-CI-8"
	clauseIndexPadded    clauseID = "UPKG-CI-9"
	clauseIndexTruncated clauseID = "UPKG-CI-10"

	clauseNameTerminated  clauseID = "UPKG-NAME-1"
	clauseNamePrefixed    clauseID = "UPKG-NAME-2"
	clauseNameLength      clauseID = "UPKG-NAME-3"
	clauseNameZero        clauseID = "UPKG-NAME-4"
	clauseNameUnicode     clauseID = "UPKG-NAME-5"
	clauseNameTerminator  clauseID = "UPKG-NAME-6"
	clauseNameEmbeddedNUL clauseID = "UPKG-NAME-7"
	clauseNameBounds      clauseID = "UPKG-NAME-9"
	clauseNameRange       clauseID = "UPKG-NAME-10"

	clauseReference      clauseID = "UPKG-REF-1"
	clauseReferenceRange clauseID = "UPKG-REF-6"

	clauseHeader       clauseID = "UPKG-HDR-1"
	clauseSignature    clauseID = "UPKG-HDR-2"
	clauseVersion      clauseID = "UPKG-HDR-3"
	clauseHeritage     clauseID = "UPKG-HDR-4"
	clauseIdentity     clauseID = "UPKG-HDR-5"
	clauseHeaderBounds clauseID = "UPKG-HDR-6"
	clauseHeaderRange  clauseID = "UPKG-HDR-7"

	clauseNameEntry         clauseID = "UPKG-NENT-1"
	clauseImport            clauseID = "UPKG-IMP-1"
	clauseImportPackage     clauseID = "UPKG-IMP-2"
	clauseImportPackageName clauseID = "UPKG-IMP-3"
	clauseExport            clauseID = "UPKG-EXP-1"
	clauseExportGroup       clauseID = "UPKG-EXP-2"
	clauseSerialOffset      clauseID = "UPKG-EXP-3"
	clauseSerialSize        clauseID = "UPKG-EXP-4"

	clauseTableOffset  clauseID = "UPKG-PKG-3"
	clauseTableCount   clauseID = "UPKG-PKG-4"
	clauseTableOverlap clauseID = "UPKG-PKG-5"
	clauseData         clauseID = "UPKG-PKG-7"
	clauseLayout       clauseID = "UPKG-PKG-8"
	clauseInsideTable  clauseID = "UPKG-PKG-9"
	clauseLicensee     clauseID = "UPKG-PKG-10"
	clauseHeritageRow  clauseID = "UPKG-PKG-11"
	clauseRebuild      clauseID = "UPKG-PKG-12"
	clauseEncodings    clauseID = "UPKG-PKG-13"
)

// The flags that the dialect resolves.
const (
	flagIndexRange      ids.Flag = "upkg.ci-range"
	flagIndexFifth      ids.Flag = "upkg.ci-fifth-high-bits"
	flagIndexMinusZero  ids.Flag = "upkg.ci-minus-zero"
	flagIndexNonMinimal ids.Flag = "upkg.ci-non-minimal"
	flagNameLengthKind  ids.Flag = "upkg.name-length-kind"
	flagNameLengthZero  ids.Flag = "upkg.name-length-zero"
	flagNameUnicode     ids.Flag = "upkg.name-unicode"
	flagNameTerminator  ids.Flag = "upkg.name-terminator"
	flagNameEmbeddedNUL ids.Flag = "upkg.name-embedded-nul"
	flagRefRange        ids.Flag = "upkg.ref-range"
	flagSerialOffset    ids.Flag = "upkg.serial-offset"
)
