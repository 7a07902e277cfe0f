package ka

import (
	"reflect"
	"testing"

	"github.com/formatgauge/formatgauge/codec/wire"
	model "github.com/formatgauge/formatgauge/model/ka"
	"github.com/formatgauge/formatgauge/spec"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// TestRows compares the rows of value types with the model, the records and what
// the codec writes.
func TestRows(t *testing.T) {
	if len(rows) != len(model.Variants()) {
		t.Fatalf("%d rows, %d types of the model", len(rows), len(model.Variants()))
	}
	observed, documented := New(wire.Settings{}), New(wire.Settings{Profile: ids.Documented()})
	for i, zero := range model.Variants() {
		typ, r := model.Type(i), rows[i]
		if zero.Type() != typ {
			t.Errorf("row %d is %s, and its variant has type %s", i, typ, zero.Type())
		}
		structure := "ka." + reflect.TypeOf(zero).Name()
		for _, id := range []ids.Clause{r.clause, r.reference} {
			if clause, ok := spec.FindClause(id); (id != "" || id == r.clause) && (!ok || clause.Structure != structure) {
				t.Errorf("%s: %s has no clause %q", typ, structure, id)
			}
		}
		if f, ok := spec.FindFlag(r.flag); r.flag != "" && (!ok || !f.Switchable()) {
			t.Errorf("%s: flag %s has no sides", typ, r.flag)
		}
		c := observed
		if typ == model.TypeNone {
			c = documented
		}
		least := int(reflect.ValueOf(r.body).FieldByName("least").Int())
		switch typ {
		case model.TypeKeyedArchive:
			continue // its zero value has no encoding
		case model.TypeByteArray, model.TypeArray:
		default:
			if r.reference == "" && least != int(reflect.TypeOf(zero).Size()) {
				t.Errorf("%s: a body of %d bytes has another size in memory", typ, least)
			}
		}
		if b, err := c.Value().Append(nil, zero); err != nil || b[0] != byte(i) || len(b) != 1+least {
			t.Errorf("%s: a body of %d bytes is written as % x, %v", typ, least, b, err)
		}
	}
}
