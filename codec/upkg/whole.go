package upkg

import model "github.com/formatgauge/formatgauge/model/upkg"

var observed = New(Settings{}).Package()

// DecodePackage reads a package that is the whole of src, under the observed profile
// and default limits. Errors are of type [*Error].
func DecodePackage(src []byte) (Package, error) { return observed.Decode(src) }

// AppendPackage appends the encoding of a package to dst, under the observed profile
// and default limits. Errors are of type [*Error]; dst is then returned
// unchanged.
func AppendPackage(dst []byte, p Package) ([]byte, error) { return observed.Append(dst, p) }

// NewPackage returns a package without names, imports and exports. The caller adds them,
// and [Codec.Rebuild] computes where they are.
func NewPackage(version, licensee uint16) Package {
	p := Package{Header: model.Header{Signature: model.Signature, Version: version, Licensee: licensee}}
	if version < identityFrom {
		p.Header.Heritage = &model.Heritage{}
	} else {
		p.Header.Identity = &model.Identity{}
	}
	return p
}
