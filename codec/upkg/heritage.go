package upkg

import (
	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/upkg"
)

// heritageOf returns the location of the heritages, with count 0 from version 68.
func heritageOf(h model.Header) model.Heritage {
	if h.Heritage == nil {
		return model.Heritage{}
	}
	return *h.Heritage
}

// guid is a row of the heritage table.
func (c *Codec) guid() wire.Structure[[16]byte] {
	return structure(c, "Guid", 16,
		func(r *wire.Reader) (g [16]byte) {
			copy(g[:], r.Bytes(len(g), "", clauseHeritageRow))
			return g
		},
		func(w *wire.Writer, g [16]byte) { w.Bytes(g[:]) })
}
