package fuzz

import "testing"

func FuzzUpkgIntegerUint8(f *testing.F)    { fuzz(f, "upkg.Integer<uint8>") }
func FuzzUpkgIntegerUint16(f *testing.F)   { fuzz(f, "upkg.Integer<uint16>") }
func FuzzUpkgIntegerUint32(f *testing.F)   { fuzz(f, "upkg.Integer<uint32>") }
func FuzzUpkgIntegerUint64(f *testing.F)   { fuzz(f, "upkg.Integer<uint64>") }
func FuzzUpkgIntegerInt8(f *testing.F)     { fuzz(f, "upkg.Integer<int8>") }
func FuzzUpkgIntegerInt16(f *testing.F)    { fuzz(f, "upkg.Integer<int16>") }
func FuzzUpkgIntegerInt32(f *testing.F)    { fuzz(f, "upkg.Integer<int32>") }
func FuzzUpkgIntegerInt64(f *testing.F)    { fuzz(f, "upkg.Integer<int64>") }
func FuzzUpkgCompactIndex(f *testing.F)    { fuzz(f, "upkg.CompactIndex") }
func FuzzUpkgName(f *testing.F)            { fuzz(f, "upkg.Name") }
func FuzzUpkgObjectReference(f *testing.F) { fuzz(f, "upkg.ObjectReference") }
func FuzzUpkgHeader(f *testing.F)          { fuzz(f, "upkg.Header") }
func FuzzUpkgNameEntry(f *testing.F)       { fuzz(f, "upkg.NameEntry") }
func FuzzUpkgImportEntry(f *testing.F)     { fuzz(f, "upkg.ImportEntry") }
func FuzzUpkgExportEntry(f *testing.F)     { fuzz(f, "upkg.ExportEntry") }
func FuzzUpkgPackage(f *testing.F)         { fuzz(f, "upkg.Package") }
