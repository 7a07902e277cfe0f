package fuzz

import "testing"

func FuzzUassetPackage(f *testing.F)               { fuzz(f, "uasset.Package") }
func FuzzUassetSummary(f *testing.F)               { fuzz(f, "uasset.Summary") }
func FuzzUassetFString(f *testing.F)               { fuzz(f, "uasset.FString") }
func FuzzUassetFName(f *testing.F)                 { fuzz(f, "uasset.FName") }
func FuzzUassetNameEntry(f *testing.F)             { fuzz(f, "uasset.NameEntry") }
func FuzzUassetImport(f *testing.F)                { fuzz(f, "uasset.Import") }
func FuzzUassetExport(f *testing.F)                { fuzz(f, "uasset.Export") }
func FuzzUassetPadding(f *testing.F)               { fuzz(f, "uasset.Padding") }
func FuzzUassetObject(f *testing.F)                { fuzz(f, "uasset.Object") }
func FuzzUassetPropertyList(f *testing.F)          { fuzz(f, "uasset.PropertyList") }
func FuzzUassetProperty(f *testing.F)              { fuzz(f, "uasset.Property") }
func FuzzUassetBoolProperty(f *testing.F)          { fuzz(f, "uasset.BoolProperty") }
func FuzzUassetFloatProperty(f *testing.F)         { fuzz(f, "uasset.FloatProperty") }
func FuzzUassetNameProperty(f *testing.F)          { fuzz(f, "uasset.NameProperty") }
func FuzzUassetIntProperty(f *testing.F)           { fuzz(f, "uasset.IntProperty") }
func FuzzUassetStrProperty(f *testing.F)           { fuzz(f, "uasset.StrProperty") }
func FuzzUassetObjectProperty(f *testing.F)        { fuzz(f, "uasset.ObjectProperty") }
func FuzzUassetByteProperty(f *testing.F)          { fuzz(f, "uasset.ByteProperty") }
func FuzzUassetArrayProperty(f *testing.F)         { fuzz(f, "uasset.ArrayProperty") }
func FuzzUassetStructProperty(f *testing.F)        { fuzz(f, "uasset.StructProperty") }
func FuzzUassetOpaqueProperty(f *testing.F)        { fuzz(f, "uasset.OpaqueProperty") }
func FuzzUassetIntPoint(f *testing.F)              { fuzz(f, "uasset.IntPoint") }
func FuzzUassetGuid(f *testing.F)                  { fuzz(f, "uasset.Guid") }
func FuzzUassetColorMaterialInput(f *testing.F)    { fuzz(f, "uasset.ColorMaterialInput") }
func FuzzUassetScalarMaterialInput(f *testing.F)   { fuzz(f, "uasset.ScalarMaterialInput") }
func FuzzUassetTextureStreamingData(f *testing.F)  { fuzz(f, "uasset.TextureStreamingData") }
func FuzzUassetMaterialTextureInfo(f *testing.F)   { fuzz(f, "uasset.MaterialTextureInfo") }
func FuzzUassetFontCharacter(f *testing.F)         { fuzz(f, "uasset.FontCharacter") }
func FuzzUassetFontImportOptionsData(f *testing.F) { fuzz(f, "uasset.FontImportOptionsData") }
func FuzzUassetTexture2D(f *testing.F)             { fuzz(f, "uasset.Texture2D") }
func FuzzUassetMip(f *testing.F)                   { fuzz(f, "uasset.Mip") }
func FuzzUassetFooter(f *testing.F)                { fuzz(f, "uasset.Footer") }
