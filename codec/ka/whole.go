package ka

var observed = New(Settings{}).Archive()

// DecodeArchive reads an archive that is the whole of src, under the observed profile
// and default limits. Errors are of type [*Error].
func DecodeArchive(src []byte) (Archive, error) { return observed.Decode(src) }

// AppendArchive appends the encoding of an archive to dst, under the observed profile
// and default limits. Errors are of type [*Error]; dst is then returned
// unchanged.
func AppendArchive(dst []byte, a Archive) ([]byte, error) { return observed.Append(dst, a) }
