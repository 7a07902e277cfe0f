package judge

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/formatgauge/formatgauge/codec"
	"github.com/formatgauge/formatgauge/codec/wire"
	"github.com/formatgauge/formatgauge/conformance/adapter"
	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/spec"
)

// A Feature is a type, or its inputs with one value of what decides whether a reader supports
// them: see [spec.Structure.Support].
type Feature struct {
	Type  string
	Value string // such as "version=128 licensee=29"; empty for the whole type
}

// String returns the type and the value.
func (p Feature) String() string { return strings.TrimSuffix(p.Type+" with "+p.Value, " with ") }

// excuseUnsupported makes rejections as unsupported acceptable where another class is
// expected, and the implementation accepts no valid input of a feature to which the case
// belongs: who does not support an input need not find another fault in it.
func excuseUnsupported(results []Result) {
	types := map[string]bool{} // with such rejections
	for i := range results {
		types[results[i].Vector.Type] = types[results[i].Vector.Type] ||
			slices.ContainsFunc(results[i].Outcomes, isUnsupported)
	}
	type support struct {
		op      adapter.Op
		feature Feature
	}
	type request struct {
		op      adapter.Op
		vector  *corpus.Vector
		profile string
	}
	accepted, memo := map[support]bool{}, map[request][]Feature{} // of a vector with many derived cases
	featuresOf := func(r *Result, op adapter.Op) []Feature {
		key := request{op, r.Vector, r.Profile.String()}
		if memo[key] == nil {
			memo[key] = featuresOf(r, op)
		}
		return memo[key]
	}
	for i := range results {
		r := &results[i]
		for _, o := range r.Outcomes {
			if !types[r.Vector.Type] || r.Derived || !isValid(r, o.Op) ||
				o.Status != Pass && o.Class != WrongTree && o.Class != WrongBytes {
				continue
			}
			for _, p := range featuresOf(r, o.Op) {
				accepted[support{o.Op, p}] = true
			}
		}
	}
	eachOutcome(results, func(r *Result, o *Outcome) {
		lacks := func(p Feature) bool { return !accepted[support{o.Op, p}] }
		if isUnsupported(*o) && slices.ContainsFunc(featuresOf(r, o.Op), lacks) {
			o.Status, o.Reason = Acceptable, Unsupported
		}
	})
}

// isUnsupported reports whether an operation failed because the answer is unsupported in
// place of another rejection.
func isUnsupported(o Outcome) bool {
	return o.Status == Fail && o.Class == WrongClass && o.Got.Reject.Class == string(Unsupported)
}

// isValid reports whether an operation on a case must succeed.
func isValid(r *Result, op adapter.Op) bool {
	e := Verdict(r.Vector, r.Profile)
	return e != nil && op != "" && !WantOf(e, r.Input, op).Reject
}

// featuresOf lists the features to which a case belongs, the type first. A derived case belongs
// to those of its vector. Of bytes the reference says what the fields contain, also before
// a fault; so its answer can make a failure acceptable, and no more.
func featuresOf(r *Result, op adapter.Op) []Feature {
	out := []Feature{{Type: r.Vector.Type}}
	t, known := codec.Find(r.Vector.Type)
	s, ok := spec.FindStructure(r.Vector.Structure())
	if !known || !ok || len(s.Support) == 0 {
		return out
	}
	fields := fieldValues{}
	for k, v := range t.Context {
		fields.add(k, cmp.Or(r.Vector.Context[k], v))
	}
	if op == adapter.OpEncode {
		c := newCase(r.Vector, r.Profile)
		n, _ := tree.ParseVector(c.Value()) // the lint checks it
		fields.addTree("", n)
	} else if c, err := t.Bind(wire.Settings{Profile: r.Profile}, r.Vector.Context); err == nil {
		_, spans, _ := c.Trace(r.Vector.Bytes)
		for _, span := range spans {
			fields.add(span.Path, span.Value)
		}
	}
	for _, entry := range s.Support {
		for _, value := range fields.of(strings.Fields(entry)) {
			out = append(out, Feature{r.Vector.Type, value})
		}
	}
	return out
}

// fieldValues holds values by the name of their field, and by the path of what contains it.
type fieldValues map[string]map[string]string

func (f fieldValues) add(path, value string) {
	dot := strings.LastIndexByte(path, '.')
	name := path[dot+1:]
	if f[name] == nil {
		f[name] = map[string]string{}
	}
	f[name][path[:max(dot, 0)]] = value
}

func (f fieldValues) addTree(path string, n tree.Node) {
	if n.Kind == tree.Text || n.Kind == tree.Bool {
		f.add(path, n.Text)
	}
	for i, item := range n.Items {
		step := "[" + strconv.Itoa(i) + "]"
		if n.Kind == tree.Object {
			step = "." + n.Names[i]
		}
		f.addTree(path+step, item)
	}
}

// of lists the values of fields that are beside each other. Of a name with <0 it says only
// that there is such a value: the length of a wide name.
func (f fieldValues) of(names []string) []string {
	found := map[string]bool{}
	if name, ok := strings.CutSuffix(names[0], "<0"); ok {
		for _, v := range f[name] {
			found[names[0]] = found[names[0]] || strings.HasPrefix(v, "-")
		}
		maps.DeleteFunc(found, func(_ string, below bool) bool { return !below })
		return slices.Sorted(maps.Keys(found))
	}
	for within := range f[names[0]] {
		var values []string
		for _, name := range names {
			if v, ok := f[name][within]; ok {
				values = append(values, name+"="+v)
			}
		}
		if len(values) == len(names) {
			found[strings.Join(values, " ")] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// Unsupported lists the features of which each valid input was rejected as unsupported. Of
// several that explain the same inputs it lists the one that explains the most.
func (r *Report) Unsupported() (out []Feature) {
	lacking := map[*corpus.Vector][]Feature{} // the features of the inputs that were rejected so
	types := map[string]bool{}                // of those
	supported := map[Feature]bool{}
	each := func(use func(*Result, *Outcome)) {
		for i := range r.Results {
			res := &r.Results[i]
			if first := &res.Outcomes[0]; !res.Derived && !res.Vector.EncodeOnly() && isValid(res, first.Op) {
				use(res, first)
			}
		}
	}
	each(func(res *Result, o *Outcome) {
		if o.Status == Skip && o.Reason == Unsupported {
			lacking[res.Vector], types[res.Vector.Type] = featuresOf(res, o.Op), true
		}
	})
	each(func(res *Result, o *Outcome) {
		if types[res.Vector.Type] && lacking[res.Vector] == nil {
			for _, p := range featuresOf(res, o.Op) {
				supported[p] = true
			}
		}
	})
	for len(lacking) > 0 {
		count := map[Feature]int{}
		for _, features := range lacking {
			for _, p := range features {
				if !supported[p] {
					count[p]++
				}
			}
		}
		if len(count) == 0 {
			break
		}
		best := slices.MinFunc(slices.Collect(maps.Keys(count)), func(a, b Feature) int {
			return cmp.Or(cmp.Compare(count[b], count[a]), compareFeatures(a, b))
		})
		out = append(out, best)
		maps.DeleteFunc(lacking, func(_ *corpus.Vector, features []Feature) bool { return slices.Contains(features, best) })
	}
	slices.SortFunc(out, compareFeatures)
	return out
}

func compareFeatures(a, b Feature) int {
	return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Value, b.Value))
}
