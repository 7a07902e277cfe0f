package upkg

var observed = New(Settings{}).Package()

// DecodePackage reads a package that is the whole of src, under the observed profile
// and default limits. Errors are of type [*Error].
func DecodePackage(src []byte) (Package, error) { return observed.Decode(src) }

// AppendPackage appends the encoding of a package to dst, under the observed profile
// and default limits. Errors are of type [*Error]; dst is then returned
// unchanged.
func AppendPackage(dst []byte, p Package) ([]byte, error) { return observed.Append(dst, p) }
