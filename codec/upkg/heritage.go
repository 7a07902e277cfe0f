package upkg

import (
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/upkg"
)

// heritageOf returns the location of the stored heritages. The count is 0 below
// version 42 and from version 68.
func heritageOf(h model.Header) model.Heritage {
	if h.Heritage == nil || h.Version < heritagesFrom {
		return model.Heritage{}
	}
	return *h.Heritage
}

const guidSize = 16

// readGUID reads a row of the heritage table.
func readGUID(r *wire.Reader, g *[guidSize]byte) { copy(g[:], r.Bytes(guidSize, "", "UPKG-PKG-11")) }

func writeGUID(w *wire.Writer, g *[guidSize]byte) { w.Bytes(g[:]) }
