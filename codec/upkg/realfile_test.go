package upkg_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/internal/realfile"
	"github.com/formatgauge/formatgauge/internal/testrun"
	model "github.com/formatgauge/formatgauge/model/upkg"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// TestRealPackages: packages that engines wrote are read and written again
// byte for byte. Every reference is inside its table.
func TestRealPackages(t *testing.T) {
	strict := testrun.Must(ids.ParseProfile("observed,upkg.ci-minus-zero=strict,upkg.ci-non-minimal=strict," +
		"upkg.ci-fifth-high-bits=strict,upkg.ref-range=strict"))
	for _, c := range []struct {
		file                    string
		version, licensee       uint16
		names, imports, exports int
	}{
		{"upkg/TestUC1.u", 69, 0, 106, 26, 102},
		{"upkg/TestUC2.u", 128, 29, 150, 32, 146},
	} {
		t.Run(c.file, func(t *testing.T) {
			src := realfile.Read(t, c.file)
			for _, p := range []ids.Profile{ids.Observed(), strict} {
				codec := upkg.New(wire.Settings{Profile: p}).Package()
				pkg := testrun.Must(codec.Decode(src))
				if pkg.Header.Version != c.version || pkg.Header.Licensee != c.licensee ||
					len(pkg.Names) != c.names || len(pkg.Imports) != c.imports || len(pkg.Exports) != c.exports {
					t.Errorf("version %d/%d, %d names, %d imports, %d exports", pkg.Header.Version, pkg.Header.Licensee,
						len(pkg.Names), len(pkg.Imports), len(pkg.Exports))
				}
				again, err := codec.Append(nil, pkg)
				if err != nil || !bytes.Equal(again, src) {
					t.Errorf("the package is not written byte for byte: %v", err)
				}
				for i := range pkg.Exports {
					checkExport(t, &pkg, i, src)
				}
			}
		})
	}
}

// checkExport: the class has a name, no table covers the object, and its data are those of the
// file.
func checkExport(t *testing.T, p *model.Package, i int, src []byte) {
	t.Helper()
	e := &p.Exports[i]
	if name, ok := p.ClassName(e); !ok || name == "" {
		t.Errorf("export %d has no class", i)
	}
	data, ok := p.ObjectData(e)
	if ok != (e.SerialOffset != nil) || ok != (e.SerialSize > 0) ||
		ok && !bytes.Equal(data, src[*e.SerialOffset:*e.SerialOffset+e.SerialSize]) {
		t.Errorf("export %d: %v, %d bytes", i, ok, len(data))
	}
}

func TestCorruptPackage(t *testing.T) {
	src := realfile.Read(t, "upkg/load_umx_invalid_objname.umx")
	_, err := upkg.New(wire.Settings{}).Package().Decode(src)
	e, ok := errors.AsType[*wire.Error](err)
	if !ok || e.Class != wire.Truncated || e.Offset != 12 || e.Path != "header.nameCount" || e.Clause == "" {
		t.Errorf("error %#v", err)
	}
}
