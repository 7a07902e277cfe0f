package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"image/png"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/uasset/texture"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/report"
	"github.com/formatgauge/formatgauge/internal/printable"
)

//go:embed schema/uasset-info.json
var uassetInfoSchema []byte

// uassetInfo is the JSON form; schema/uasset-info.json describes it.
type uassetInfo struct {
	Engine          string               `json:"engine"`
	Flags           uint32               `json:"flags"`
	Names           int                  `json:"names"`
	Imports         int                  `json:"imports"`
	BulkData        int                  `json:"bulkData"` // in bytes
	SoftReferences  []string             `json:"softReferences"`
	Objects         []uassetObject       `json:"objects"`
	Inconsistencies []wire.Inconsistency `json:"inconsistencies"`
}

type uassetObject struct {
	Name     string         `json:"name"`
	Class    string         `json:"class"`
	Offset   uint32         `json:"offset"`
	Bytes    uint32         `json:"bytes"`
	Contents string         `json:"contents"`
	Texture  *uassetTexture `json:"texture,omitempty"`
}

type uassetTexture struct {
	Format string      `json:"format"`
	Width  uint32      `json:"width"`
	Height uint32      `json:"height"`
	Slices uint32      `json:"slices"`
	Mips   []uassetMip `json:"mips"`
}

type uassetMip struct {
	Width  uint32 `json:"width"`
	Height uint32 `json:"height"`
	Bytes  uint32 `json:"bytes"`
	Offset int64  `json:"offset"`
	Stored string `json:"stored"`
	Flags  uint32 `json:"flags"`
}

func describeUasset(f *uasset.Package, _ int) any {
	out := &uassetInfo{
		Engine: f.Engine(), Flags: f.Summary.PackageFlags, Names: len(f.Names), Imports: len(f.Imports),
		BulkData: len(f.BulkData), SoftReferences: []string{}, Objects: []uassetObject{},
		Inconsistencies: slices.AppendSeq([]wire.Inconsistency{}, uasset.Inconsistencies(f)),
	}
	for i := range f.SoftPackageReferences {
		out.SoftReferences = append(out.SoftReferences, f.SoftPackageReferences[i].Text)
	}
	for i := range f.Exports {
		e := &f.Exports[i]
		class := f.ClassName(e)
		if row, ok := e.ClassIndex.Export(); ok {
			class = f.NameText(f.Exports[row].ObjectName)
		}
		out.Objects = append(out.Objects, uassetObject{
			f.NameText(e.ObjectName), class, e.SerialOffset, e.SerialSize, describeObject(f, i), describeTexture(f.Objects[i].Texture),
		})
	}
	return out
}

func describeTexture(t *uasset.Texture2D) *uassetTexture {
	if t == nil {
		return nil
	}
	out := &uassetTexture{string(t.PixelFormat), t.SizeX, t.SizeY, t.NumSlices, []uassetMip{}}
	for i := range t.Mips {
		m := &t.Mips[i]
		stored := "inline"
		if uint64(len(m.Data)) < uint64(m.Size) {
			stored = "bulk data"
		}
		out.Mips = append(out.Mips, uassetMip{m.SizeX, m.SizeY, m.Size, m.OffsetInFile, stored, m.BulkDataFlags})
	}
	return out
}

func describeObject(f *uasset.Package, row int) string {
	o := &f.Objects[row]
	if o.Properties == nil {
		return report.Plural(len(o.Data), "opaque byte")
	}
	parts := []string{"properties: " + strconv.Itoa(len(*o.Properties))}
	if o.Texture != nil {
		parts = append(parts, "texture")
	}
	if format, ok := uasset.UnreadFormat(f, row); ok {
		parts = append(parts, "texture in "+printable.Quoted(format)+", which is not supported")
	}
	if len(o.Data) > 0 {
		parts = append(parts, report.Plural(len(o.Data), "opaque byte"))
	}
	return strings.Join(parts, ", ")
}

// textureRun is formatgauge uasset texture.
type textureRun struct {
	profileFlags
	inputFlag
	outputFlag
	Export string
	Mip    int
}

func (r *textureRun) run(cmd *cobra.Command, args []string) error {
	var write func(*uasset.Package, *uasset.Texture2D, int) ([]byte, error)
	switch ext := strings.ToLower(filepath.Ext(r.Output)); ext {
	case ".png":
		write = writePNG
	case ".dds":
		write = writeDDS
	default:
		return fmt.Errorf("--output: expected a file name that ends with .png or .dds, found %q", r.Output)
	}
	if err := notNegative("--mip", r.Mip); err != nil {
		return err
	}
	if !cmd.Flags().Changed("mip") {
		r.Mip = -1
	}
	f, _, err := decodeAs[uasset.Package](cmd, r.profileFlags, "uasset.Package", args)
	if err != nil {
		return err
	}
	t, err := findTexture(&f, r.Export)
	if err != nil {
		return err
	}
	if r.Mip >= len(t.Mips) {
		return fmt.Errorf("--mip: expected less than %d, the number of mips, found %d", len(t.Mips), r.Mip)
	}
	out, err := write(&f, t, r.Mip)
	if err != nil {
		return rejected(err)
	}
	return writeBinary(cmd, r.Output, out)
}

// findTexture finds the texture with a name or row, or the only one for "".
func findTexture(f *uasset.Package, export string) (*uasset.Texture2D, error) {
	var names, unread []string
	var found []*uasset.Texture2D
	row, err := strconv.Atoi(export)
	isRow := err == nil && row >= 0 && row < len(f.Objects)
	for i := range f.Objects {
		t := f.Objects[i].Texture
		name := f.NameText(f.Exports[i].ObjectName)
		if format, ok := uasset.UnreadFormat(f, i); ok {
			unread = append(unread, fmt.Sprintf("%s (row %d) is in %s", printable.Quoted(name), i, printable.Quoted(format)))
		}
		if t == nil {
			continue
		}
		names = append(names, fmt.Sprintf("%s (row %d)", printable.Quoted(name), i))
		if export == "" || name == export {
			found = append(found, t)
		}
	}
	if len(found) == 0 && isRow && f.Objects[row].Texture != nil {
		found = append(found, f.Objects[row].Texture)
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(names) == 0 && len(unread) > 0:
		return nil, rejected(fmt.Errorf("the package contains no texture in a supported format: %s; supported are %s, "+
			"%s, %s, %s, %s and %s", strings.Join(unread, ", "), uasset.DXT1, uasset.DXT3, uasset.DXT5, uasset.BC5,
			uasset.B8G8R8A8, uasset.G8))
	case len(names) == 0:
		return nil, rejected(errors.New("the package contains no texture: see formatgauge uasset info"))
	case len(found) == 0:
		return nil, fmt.Errorf("--export: expected one of %s, found %q", strings.Join(names, ", "), export)
	}
	return nil, fmt.Errorf("the package contains %d textures, select one with --export NAME or ROW: %s", len(found),
		strings.Join(names, ", "))
}

// writePNG encodes one mip as PNG: mip, or 0 if mip is negative.
func writePNG(f *uasset.Package, t *uasset.Texture2D, mip int) ([]byte, error) {
	if len(t.Mips) == 0 {
		return nil, errors.New("the texture has no mips")
	}
	img, err := texture.Picture(f, t, max(0, mip))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = png.Encode(&b, img)
	return b.Bytes(), err
}

// cubeFaces is the number of slices of a cube.
const cubeFaces = 6

// writeDDS encodes one mip as DDS, or all if mip is negative.
func writeDDS(f *uasset.Package, t *uasset.Texture2D, mip int) ([]byte, error) {
	mips := t.Mips
	if mip >= 0 {
		mips = mips[mip : mip+1]
	}
	if len(mips) == 0 {
		return nil, errors.New("the texture has no mips")
	}
	if t.NumSlices != 1 && t.NumSlices != cubeFaces {
		return nil, fmt.Errorf("cannot export %d slices as .dds: expected 1, or %d of a cube", t.NumSlices, cubeFaces)
	}
	header := texture.Header{
		Format: t.PixelFormat, Width: mips[0].SizeX, Height: mips[0].SizeY, Mips: uint32(len(mips)),
		Cube: t.NumSlices == cubeFaces,
	}
	b, err := header.Append(nil)
	if err != nil {
		return nil, err
	}
	parts := make([][][]byte, len(mips))
	for i := range mips {
		if parts[i], err = texture.Slices(f, t, &mips[i]); err != nil {
			return nil, err
		}
	}
	// A package stores all faces of one mip together, DDS all mips of one face.
	for face := range t.NumSlices {
		for i := range parts {
			b = append(b, parts[i][face]...)
		}
	}
	return b, nil
}
