package mutate

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/formatgauge/formatgauge/codec"
	uassetcodec "github.com/formatgauge/formatgauge/codec/uasset"
	upkgcodec "github.com/formatgauge/formatgauge/codec/upkg"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/model/uasset"
	"github.com/formatgauge/formatgauge/model/upkg"
	"github.com/formatgauge/formatgauge/spec/ids"
)

// A stock has what the vectors of a family contain.
type stock struct {
	values   map[string][]value     // by type
	parts    map[string][]tree.Node // by what they can replace: see partKey
	elements map[string]string      // the keys of elements, by the place of their list
	nullable map[string]bool        // the places of parts that are null
	names    []string               // the table to which the indices of all names refer
}

// A value is that of a vector.
type value struct {
	tree.Node
	context map[string]string // with the common table of names
}

const (
	// maxVector is the greatest length in bytes of a vector, or of its context, of which
	// parts are used.
	maxVector = 2 << 10
	// maxNames is the number of names in a table.
	maxNames = 80
	// maxChanges limits the number of changes of a value that is drawn.
	maxChanges = 24
	// maxDoubled is the greatest length of lists and texts that are doubled.
	maxDoubled = 8 << 10
)

// stocks has a function for each family of which values were asked.
var stocks sync.Map

// stockOf returns the stock of a family. Callers do not change it.
func stockOf(family string) *stock {
	f, _ := stocks.LoadOrStore(family, sync.OnceValue(func() *stock { return newStock(family) }))
	return f.(func() *stock)()
}

func newStock(family string) *stock {
	s := &stock{
		values: map[string][]value{}, parts: map[string][]tree.Node{}, elements: map[string]string{}, nullable: map[string]bool{},
	}
	vectors, err := corpus.Of(family)
	if err != nil {
		panic(err) // the corpus has no such vector
	}
	vectors = slices.DeleteFunc(slices.Clone(vectors), func(v *corpus.Vector) bool {
		return v.EncodeOnly() || len(v.Bytes)+len(corpus.ContextText(v.Context)) > maxVector
	})
	names := map[string]int{}
	for _, v := range vectors {
		own, err := codec.SplitNames(v.Context["names"])
		if err != nil {
			panic(err) // the corpus has no such vector
		}
		for _, name := range append(own, v.Context["class"]) {
			names[name]++
		}
	}
	delete(names, "")
	s.names = mostFrequent(names, maxNames)
	for _, v := range vectors {
		t, ok := codec.Find(v.Type)
		for _, p := range []ids.Profile{ids.Observed(), ids.Documented()} {
			c, err := t.Bind(wire.Settings{Profile: p}, v.Context)
			if !ok || err != nil {
				break // lint finds it
			}
			model, err := c.Decode(v.Bytes)
			if err != nil {
				continue
			}
			if n, err := tree.FromModel(model); err == nil {
				n = s.rename(n, v.Context["names"])
				context := maps.Clone(v.Context)
				if _, ok := t.Context["names"]; ok {
					context["names"] = codec.JoinNames(s.names)
				}
				s.values[v.Type] = append(s.values[v.Type], value{n, context})
				s.findElements(n, v.Type)
			}
		}
	}
	known := map[string]bool{}
	for _, typ := range slices.Sorted(maps.Keys(s.values)) {
		for _, v := range s.values[typ] {
			s.addParts(v.Node, typ, known)
		}
	}
	return s
}

// findElements sets what the lists in a part have as elements.
func (s *stock) findElements(n tree.Node, place string) {
	if n.Kind == tree.List && len(n.Items) > 0 {
		s.elements[place] = s.partKey(n.Items[0], place+"[]")
	}
	for i, item := range n.Items {
		s.findElements(item, PlaceIn(n, place, i))
	}
}

// mostFrequent returns the keys with the greatest counts.
func mostFrequent(times map[string]int, most int) []string {
	out := slices.SortedFunc(maps.Keys(times), func(a, b string) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a, b))
	})
	return out[:min(most, len(out))]
}

// Contexts returns the most frequent contexts of the vectors of a type, in order.
func Contexts(t *codec.Type, most int) (out []map[string]string) {
	vectors, err := corpus.Of(t.Name)
	if err != nil {
		panic(err)
	}
	times, contexts := map[string]int{}, map[string]map[string]string{}
	for _, v := range vectors {
		if text := corpus.ContextText(v.Context); text != "" && v.Type == t.Name && len(text) <= maxVector {
			times[text]++
			contexts[text] = v.Context
		}
	}
	for _, text := range mostFrequent(times, most) {
		out = append(out, contexts[text])
	}
	return out
}

// rename returns a value in which indices of names refer to the common table. Names that
// it lacks become its last one.
func (s *stock) rename(n tree.Node, context string) tree.Node {
	if len(s.names) == 0 {
		return n
	}
	own, _ := codec.SplitNames(context)
	if i := n.Index("names"); i >= 0 {
		own = nil
		for _, e := range n.Items[i].Items {
			own = append(own, e.Field("name").Field("text").Text)
		}
		n.Items[i].Items = nil // Next adds all names
	}
	var visit func(n tree.Node) tree.Node
	visit = func(n tree.Node) tree.Node {
		n.Items = slices.Clone(n.Items)
		for i := range n.Items {
			n.Items[i] = visit(n.Items[i])
		}
		if len(n.Names) == 2 && n.Names[0] == "index" {
			if i, err := strconv.Atoi(n.Items[0].Text); err == nil && i < len(own) {
				at := slices.Index(s.names, own[i])
				n.Items[0].Text = strconv.Itoa((at + len(s.names)) % len(s.names))
			}
		}
		return n
	}
	return visit(n)
}

// addParts adds a value that is at a place, and what it contains.
func (s *stock) addParts(n tree.Node, place string, known map[string]bool) {
	if n.Kind == tree.Null {
		s.nullable[place] = true
	}
	key := s.partKey(n, place)
	if text := key + n.String(); !known[text] {
		known[text] = true
		s.parts[key] = append(s.parts[key], n)
	}
	for i, item := range n.Items {
		s.addParts(item, PlaceIn(n, place, i), known)
	}
}

// partKey is the same for parts that can replace each other: structures with the same
// fields, lists of such, other parts at the same place.
func (s *stock) partKey(n tree.Node, place string) string {
	switch {
	case n.Kind == tree.List && s.elements[place] != "":
		return s.elements[place] + "[]"
	case n.Kind == tree.Object && !IsVariant(n):
		return strings.Join(n.Names, ",")
	}
	return place
}

// IsVariant reports whether a part of a tree is a value that can have several types.
func IsVariant(n tree.Node) bool { return slices.Equal(n.Names, []string{"type", "value"}) }

// PlaceIn returns the place of an item of a part that is at a place: the field of its
// structure, whatever contains that. A type of values has places of its own.
func PlaceIn(n tree.Node, place string, i int) string {
	switch {
	case n.Kind == tree.List:
		return place + "[]"
	case IsVariant(n):
		return n.Items[0].Text + "." + n.Names[i]
	}
	return strings.Join(n.Names, ",") + "." + n.Names[i]
}

// Dice is a source of random numbers.
type Dice interface{ IntN(n int) int }

// Values draws values of one type: values of vectors, in which parts are changed.
type Values struct {
	// Dice can be replaced at any time.
	Dice Dice

	t     *codec.Type
	stock *stock
}

// ValuesOf returns a source of values.
func ValuesOf(t *codec.Type, d Dice) *Values { return &Values{d, t, stockOf(t.Family())} }

// Context returns the context for which values are drawn. It contains only the keys
// that do not have their default.
func (v *Values) Context() map[string]string {
	context := map[string]string{}
	if _, ok := v.t.Context["names"]; ok {
		context["names"] = codec.JoinNames(v.stock.names)
	}
	return context
}

// Nullable reports whether a part at a place can be null. Elsewhere null is not a value
// of the type, and implementations may handle it in any way.
func (v *Values) Nullable(place string) bool { return v.stock.nullable[place] }

// OneIn returns true with a probability of 1/n.
func (v *Values) OneIn(n int) bool { return v.Dice.IntN(n) == 0 }

func (v *Values) bits() uint64 {
	return (uint64(v.Dice.IntN(1<<31))<<33 ^ uint64(v.Dice.IntN(1<<31))<<16 ^ uint64(v.Dice.IntN(1<<16)))
}

// Next draws a value, in the form that [codec.Codec] takes, and the context of its
// vector. Not every value can be written in this context or under every profile. The
// tables and offsets of packages match.
func (v *Values) Next() (any, map[string]string) {
	all := v.stock.values[v.t.Name]
	from := all[v.Dice.IntN(len(all))]
	n := from.Node
	for range v.Dice.IntN(1 + v.Dice.IntN(min(maxChanges, 4+2*weight(&n)))) {
		changed := v.Change(n)
		if _, err := tree.Value(v.t, changed); err == nil {
			n = changed
		}
	}
	m, err := tree.Value(v.t, n)
	if err != nil {
		panic(err) // the tree of a value
	}
	s := wire.Settings{}
	if v.OneIn(3) {
		s.Profile = ids.Documented()
	}
	switch f := m.(type) {
	case uasset.Package:
		f.Names = nil
		for _, name := range v.stock.names {
			f.Names = append(f.Names, uasset.NameEntry{Name: uasset.FString{Text: name}})
		}
		for len(f.Exports) < len(f.Objects) {
			f.Exports = append(f.Exports, slices.Concat(f.Exports, []uasset.Export{{}})[v.Dice.IntN(len(f.Exports)+1)])
		}
		f.Exports = f.Exports[:len(f.Objects)]
		for range min(len(f.Objects), v.Dice.IntN(3)) {
			i := v.Dice.IntN(len(f.Objects))
			f.Exports, f.Objects = append(f.Exports, f.Exports[i]), append(f.Objects, f.Objects[i])
		}
		if laid, _, err := uassetcodec.New(s).RebuildUnread(f); err == nil {
			f = laid
		}
		m = f
	case upkg.Package:
		if len(f.Encodings) == 0 {
			f.Encodings = nil // as a reader gives it
		}
		if laid, _, err := upkgcodec.New(s).Rebuild(f); err == nil {
			f = laid
		}
		m = f
	}
	return m, from.context
}

// Change modifies one part of a tree. The result may not match the model.
func (v *Values) Change(n tree.Node) tree.Node {
	return v.changePart(n, v.t.Name, v.Dice.IntN(max(1, weight(&n))))
}

// ChangeModel returns a value with one part modified, if that is one of the type.
func (v *Values) ChangeModel(model any) (any, error) {
	n, err := tree.FromModel(model)
	if err != nil {
		return nil, err
	}
	return tree.Value(v.t, v.Change(n))
}

// weight counts the parts of a tree that have items. Lists count more: what they
// contain makes most of the difference.
func weight(n *tree.Node) int {
	w := ownWeight(n)
	for i := range n.Items {
		w += weight(&n.Items[i])
	}
	return w
}

func ownWeight(n *tree.Node) int {
	if n.Kind == tree.List {
		return 3
	}
	return min(1, len(n.Items))
}

// changePart modifies the part with a number, of those that weight counts, or an item
// of it.
func (v *Values) changePart(n tree.Node, place string, number int) tree.Node {
	at := -1
	if number -= ownWeight(&n); number < 0 && len(n.Items) > 0 && v.OneIn(2) {
		at, number = v.Dice.IntN(len(n.Items)), 0
	}
	for i := 0; i < len(n.Items) && number >= 0 && at < 0; i++ {
		if k := weight(&n.Items[i]); number < k {
			at = i
		} else {
			number -= k
		}
	}
	if at < 0 {
		return v.replace(n, place)
	}
	n.Items = slices.Clone(n.Items)
	n.Items[at] = v.changePart(n.Items[at], PlaceIn(n, place, at), number)
	return n
}

func (v *Values) replace(n tree.Node, place string) tree.Node {
	if v.Nullable(place) && v.OneIn(4) {
		return tree.Node{}
	}
	switch parts := v.stock.parts[v.stock.partKey(n, place)]; {
	case n.Kind == tree.List && v.OneIn(2):
		return v.changeList(n, place)
	case n.Kind == tree.Text && v.OneIn(2):
		n.Text = v.changeText(n.Text)
	case len(parts) > 0:
		return parts[v.Dice.IntN(len(parts))]
	}
	return n
}

// changeList removes, repeats, moves or adds elements.
func (v *Values) changeList(n tree.Node, place string) tree.Node {
	parts := v.stock.parts[v.stock.elements[place]]
	k := len(n.Items)
	n.Items = slices.Clone(n.Items)
	at, other := v.Dice.IntN(max(k, 1)), v.Dice.IntN(max(k, 1))
	switch op := v.Dice.IntN(8); {
	case k == 0 || op > 4:
		for range min(len(parts), v.Dice.IntN(6)) {
			n.Items = slices.Insert(n.Items, at, parts[v.Dice.IntN(len(parts))])
		}
	case op < 2:
		n.Items = slices.Delete(n.Items, at, at+1)
	case op == 2:
		n.Items = slices.Insert(n.Items, at, n.Items[other])
	case op == 3:
		n.Items[at], n.Items[other] = n.Items[other], n.Items[at]
	case k <= maxDoubled:
		n.Items = slices.Concat(n.Items, n.Items)
	}
	return n
}

var oddTexts = []string{
	"", "0", "1", "2", "-1", "63", "64", "127", "128", "255", "256", "32767", "65535", "65536",
	"2147483647", "-2147483648", "2147483648", "4294967295", "-2147483649",
	"34359738368", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
	"-0", "inf", "-inf", "nan", "nan:7f800001", "0.5", "1e38", "00", "a\x00b", "\u00e9", "\U0001d11e", "None",
}

func (v *Values) changeText(text string) string {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case v.OneIn(4):
		return oddTexts[v.Dice.IntN(len(oddTexts))]
	case v.OneIn(4) && len(text) <= maxDoubled:
		return text + text
	case err == nil && v.OneIn(3):
		return strconv.FormatInt(n+int64(1-2*v.Dice.IntN(2)), 10)
	case err == nil:
		n = int64(v.bits() >> v.Dice.IntN(64))
		return strconv.FormatInt(n*int64(1-2*v.Dice.IntN(2)), 10)
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return wire.FormatFloat32(math.Float32frombits(uint32(v.bits())))
	}
	at := v.Dice.IntN(len(text)/2+1) * 2 // bytes are two digits each
	return text[at:] + strings.Repeat(text[:at], v.Dice.IntN(2+128/(at+1)))
}
