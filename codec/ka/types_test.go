package ka

import (
	"reflect"
	"testing"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// TestTypes compares the table of value types with the records and with what
// the codec writes.
func TestTypes(t *testing.T) {
	observed, documented := New(wire.Settings{}), New(wire.Settings{Profile: ids.Documented()})
	for i, info := range model.Types() {
		typ := model.Type(i)
		if info.Zero.Type() != typ || typ.String() != info.Name {
			t.Errorf("row %d is %s, and its variant has type %s", i, info.Name, info.Zero.Type())
		}
		structure := "ka." + reflect.TypeOf(info.Zero).Name()
		for _, id := range []string{info.Clause, info.ReferenceClause} {
			if clause, ok := spec.FindClause(ids.Clause(id)); id != "" && (!ok || clause.Structure != structure) {
				t.Errorf("%s: %s has no clause %s", info.Name, structure, id)
			}
		}
		if f, ok := spec.FindFlag(ids.Flag(info.Flag)); info.Flag != "" && (!ok || !f.Switchable()) {
			t.Errorf("%s: flag %s has no sides", info.Name, info.Flag)
		}
		if info.Size == model.Varies {
			continue
		}
		c := observed
		if typ == model.TypeNone {
			c = documented
		}
		if b, err := c.Value().Append(nil, info.Zero); err != nil || b[0] != byte(i) || len(b) != 1+info.Size {
			t.Errorf("%s: a body of %d bytes is written as % x, %v", info.Name, info.Size, b, err)
		}
		if info.Size > 0 && info.Size%info.Width != 0 {
			t.Errorf("%s: numbers of %d bytes do not fill %d", info.Name, info.Width, info.Size)
		}
	}
}
