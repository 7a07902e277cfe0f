package props

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/formatgauge/formatgauge/codec"
)

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

// TestArchives: an archive that follows the rules of a profile can be encoded
// under it, and has the properties that CheckValue checks.
func TestArchives(t *testing.T) {
	typ, _ := codec.Find("ka.Archive")
	rapid.Check(t, func(rt *rapid.T) {
		p := drawProfile(rt, "ka")
		c, err := Bind(typ, p, nil)
		if err != nil {
			rt.Fatal(err)
		}
		a := newKADraw(rt, p).archive(kaScope{}, true)
		if !CheckValue(rt, typ, c, a) {
			_, err := c.Append(nil, a)
			rt.Fatalf("under %s: %v", p, err)
		}
	})
}

// TestCanonicalArchives checks the canonical form of archives; see
// CheckCanonical.
func TestCanonicalArchives(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawProfile(rt, "ka")
		CheckCanonical(rt, p, newKADraw(rt, p).archive(kaScope{}, true))
	})
}
