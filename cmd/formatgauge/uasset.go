package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	codec "github.com/formatgauge/formatgauge/codec/uasset"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/bcn"
	"github.com/formatgauge/formatgauge/internal/dds"
	model "github.com/formatgauge/formatgauge/model/uasset"
)

func newUasset() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "uasset",
		Short: "Look into Unreal Engine 4 packages, and take textures out",
		Long: `Uasset looks into cooked all-in-one packages of Unreal Engine 4.14 and 4.15.
A file that is something else is refused with what it is.`,
		Example: `  formatgauge uasset info T_Rock.uasset
  formatgauge uasset texture T_Rock.uasset -o rock.png`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newUassetInfo(), newUassetTexture())
	return cmd
}

// readPackage reads a package file, or says why it cannot.
func (d *dialectFlags) readPackage(cmd *cobra.Command, args []string) (*model.Package, error) {
	p, err := d.parse()
	if err != nil {
		return nil, err
	}
	src, err := input(cmd, args)
	if err != nil {
		return nil, err
	}
	f, err := codec.New(wire.Settings{Profile: p}).Package().Decode(src)
	if err != nil {
		return nil, reject(cmd, src, err)
	}
	return &f, nil
}

func newUassetInfo() *cobra.Command {
	var d dialectFlags
	cmd := &cobra.Command{
		Use:   "info [FILE]",
		Short: "Show what a package holds: its objects and the mips of its textures",
		Long: `Info shows the tables of a package in short, then each object, and for each
texture its mips: where their pixels stand, and how many bytes they take.`,
		Example: `  formatgauge uasset info T_Rock.uasset`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := d.readPackage(cmd, args)
			if err != nil {
				return err
			}
			return output(cmd, "", describePackage(f))
		},
	}
	d.registerProfile(cmd)
	return cmd
}

func describePackage(f *model.Package) []byte {
	var b bytes.Buffer
	engine := "4.15"
	if f.Summary.SearchableNamesOffset == nil {
		engine = "4.14"
	}
	fmt.Fprintf(&b, "a package of Unreal Engine %s, flags %08x: %s, %s, %s, %s of bulk data\n\n",
		engine, f.Summary.PackageFlags, count(len(f.Names), "name"), count(len(f.Imports), "import"),
		count(len(f.Exports), "export"), count(len(f.BulkData), "byte"))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "row\texport\tclass\toffset\tbytes\tholds")
	for i := range f.Exports {
		e := &f.Exports[i]
		fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%d\t%s\n", i, printable(nameText(f, e.ObjectName)), printable(codec.Class(f, e)), e.SerialOffset, e.SerialSize, describeObject(&f.Objects[i]))
	}
	w.Flush()
	for i := range f.Objects {
		t := f.Objects[i].Texture
		if t == nil {
			continue
		}
		fmt.Fprintf(&b, "\n%s: %s, %d by %d pixels", printable(nameText(f, f.Exports[i].ObjectName)), t.PixelFormat, t.SizeX, t.SizeY)
		if t.NumSlices != 1 {
			fmt.Fprintf(&b, ", %d slices", t.NumSlices)
		}
		b.WriteByte('\n')
		fmt.Fprintln(w, "  mip\twidth\theight\tbytes\toffset\tplace\tflags")
		for j := range t.Mips {
			m := &t.Mips[j]
			place := "inline"
			if len(m.Data) < int(m.Size) {
				place = "bulk data"
			}
			fmt.Fprintf(w, "  %d\t%d\t%d\t%d\t%d\t%s\t%#x\n", j, m.SizeX, m.SizeY, m.Size, m.OffsetInFile, place, m.BulkDataFlags)
		}
		w.Flush()
	}
	return b.Bytes()
}

func describeObject(o *model.Object) string {
	if o.Properties == nil {
		return count(len(o.Data), "byte") + ", kept"
	}
	parts := []string{"properties: " + strconv.Itoa(len(*o.Properties))}
	if o.Texture != nil {
		parts = append(parts, "a texture")
	}
	if len(o.Data) > 0 {
		parts = append(parts, count(len(o.Data), "byte")+", kept")
	}
	return strings.Join(parts, ", ")
}

// count writes a number and the thing that it counts.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// nameText writes a name as the engine shows it: number n is the suffix _(n-1).
func nameText(f *model.Package, n model.FName) string {
	text := f.Names[n.Index].Name.Text
	if n.Number > 0 {
		text += "_" + strconv.FormatUint(uint64(n.Number)-1, 10)
	}
	return text
}

// printable quotes a text that would upset a table or a terminal.
func printable(s string) string {
	if q := strconv.Quote(s); q != `"`+s+`"` || s == "" {
		return q
	}
	return s
}

func newUassetTexture() *cobra.Command {
	var d dialectFlags
	var to, export string
	mip := -1
	cmd := &cobra.Command{
		Use:   "texture FILE -o OUT.png|OUT.dds",
		Short: "Take a texture out of a package",
		Long: `Texture writes the pixels of a texture as a picture (.png: one mip; the slices
of a cube one below the other; blue of PF_BC5 worked out from red and green) or
just as they are stored (.dds: all mips, or the one that is asked for).`,
		Example: `  formatgauge uasset texture T_Rock.uasset -o rock.png
  formatgauge uasset texture T_Rock.uasset -o rock.dds
  formatgauge uasset texture Two.uasset --export T_Rock_N --mip 2 -o small.png`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var write func(*model.Package, *model.Texture2D, int) ([]byte, error)
			switch ext := strings.ToLower(filepath.Ext(to)); ext {
			case ".png":
				write = writePNG
			case ".dds":
				write = writeDDS
			default:
				return fmt.Errorf("-o names a file with the ending .png or .dds, not %q", to)
			}
			if mip < 0 && cmd.Flags().Changed("mip") {
				return fmt.Errorf("mips are counted from 0, and %d is asked for", mip)
			}
			f, err := d.readPackage(cmd, args)
			if err != nil {
				return err
			}
			t, err := findTexture(f, export)
			if err != nil {
				return failed(err)
			}
			if mip >= len(t.Mips) {
				return failed(fmt.Errorf("the texture has %d mips, from 0, and %d is asked for", len(t.Mips), mip))
			}
			out, err := write(f, t, mip)
			if err != nil {
				return failed(err)
			}
			return output(cmd, to, out)
		},
	}
	d.registerProfile(cmd)
	cmd.Flags().StringVarP(&to, "output", "o", "", "file to write, .png or .dds")
	cmd.Flags().StringVar(&export, "export", "", "name or row of the texture, if there are several")
	cmd.Flags().IntVar(&mip, "mip", -1, "which mip, from 0, the greatest; left out: 0 for .png, all for .dds")
	_ = cmd.MarkFlagRequired("output")
	return cmd
}

// findTexture finds the texture of a name or row, or the only one.
func findTexture(f *model.Package, export string) (*model.Texture2D, error) {
	var names []string
	var found []*model.Texture2D
	row, err := strconv.Atoi(export)
	isRow := err == nil && row >= 0 && row < len(f.Objects)
	for i := range f.Objects {
		t := f.Objects[i].Texture
		if t == nil {
			continue
		}
		name := nameText(f, f.Exports[i].ObjectName)
		names = append(names, fmt.Sprintf("%s (row %d)", printable(name), i))
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
	case len(names) == 0:
		return nil, errors.New("the package holds no texture that is read here; formatgauge uasset info shows what it holds")
	case len(found) == 0:
		return nil, fmt.Errorf("no texture %q; there are %s", export, strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("--export NAME or ROW chooses one of %d textures: %s", len(found), strings.Join(names, ", "))
}

// stored says how a pixel format is decoded, and what DDS calls it.
var stored = map[model.PixelFormat]struct {
	bcn bcn.Format
	dds dds.Format
}{
	model.DXT1:     {bcn.BC1, dds.DXT1},
	model.DXT3:     {bcn.BC2, dds.DXT3},
	model.DXT5:     {bcn.BC3, dds.DXT5},
	model.BC5:      {bcn.BC5, dds.BC5},
	model.B8G8R8A8: {bcn.BGRA, dds.BGRA},
	model.G8:       {bcn.Gray, dds.Gray},
}

// slicesOf returns the pixels of a mip, slice by slice.
func slicesOf(f *model.Package, t *model.Texture2D, m *model.Mip) ([][]byte, error) {
	all, ok := codec.Payload(f, m)
	size, _ := t.PixelFormat.PayloadSize(m.SizeX, m.SizeY)
	if !ok || size == 0 || uint64(len(all)) != size*uint64(t.NumSlices) || t.NumSlices == 0 {
		return nil, fmt.Errorf("a mip of %d by %d pixels in %d slices has no picture", m.SizeX, m.SizeY, t.NumSlices)
	}
	out := make([][]byte, t.NumSlices)
	for i := range out {
		out[i] = all[uint64(i)*size : uint64(i+1)*size]
	}
	return out, nil
}

func writePNG(f *model.Package, t *model.Texture2D, mip int) ([]byte, error) {
	if len(t.Mips) == 0 {
		return nil, errors.New("the texture has no mips")
	}
	m := &t.Mips[max(0, mip)]
	parts, err := slicesOf(f, t, m)
	if err != nil {
		return nil, err
	}
	width, height := int(m.SizeX), int(m.SizeY)
	var all *image.NRGBA
	for i, part := range parts {
		img, err := bcn.Decode(stored[t.PixelFormat].bcn, width, height, part)
		if err != nil {
			return nil, err
		}
		if len(parts) == 1 {
			all = img
			break
		}
		if all == nil {
			all = image.NewNRGBA(image.Rect(0, 0, width, height*len(parts)))
		}
		draw.Draw(all, img.Rect.Add(image.Pt(0, i*height)), img, image.Point{}, draw.Src)
	}
	var b bytes.Buffer
	err = png.Encode(&b, all)
	return b.Bytes(), err
}

// faces is the number of slices of a cube.
const faces = 6

func writeDDS(f *model.Package, t *model.Texture2D, mip int) ([]byte, error) {
	mips := t.Mips
	if mip >= 0 {
		mips = mips[mip : mip+1]
	}
	if len(mips) == 0 {
		return nil, errors.New("the texture has no mips")
	}
	if t.NumSlices != 1 && t.NumSlices != faces {
		return nil, fmt.Errorf("%d slices are neither one picture nor the six of a cube", t.NumSlices)
	}
	b, err := dds.Append(nil, dds.Header{
		Format: stored[t.PixelFormat].dds, Width: mips[0].SizeX, Height: mips[0].SizeY, Mips: uint32(len(mips)), Cube: t.NumSlices == faces,
	})
	if err != nil {
		return nil, err
	}
	parts := make([][][]byte, len(mips))
	for i := range mips {
		if parts[i], err = slicesOf(f, t, &mips[i]); err != nil {
			return nil, err
		}
	}
	// A package has all faces of one mip together, DDS all mips of one face.
	for face := range t.NumSlices {
		for i := range parts {
			b = append(b, parts[i][face]...)
		}
	}
	return b, nil
}
