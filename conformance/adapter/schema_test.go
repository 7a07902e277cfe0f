package adapter

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/formatgauge/formatgauge/conformance/tree"
	"github.com/formatgauge/formatgauge/corpus"
	"github.com/formatgauge/formatgauge/corpus/corpustest"
	"github.com/formatgauge/formatgauge/internal/schematest"
	"github.com/formatgauge/formatgauge/internal/testrun"
	"github.com/formatgauge/formatgauge/spec"
)

// The requests of the judge and the answers of the reference match the schemas,
// and are unchanged after writing and parsing, for each operation and some vectors of each
// type.
func TestExchangesFitSchemas(t *testing.T) {
	requests, responses := schematest.Protocol(t, Schemas, "request"), schematest.Protocol(t, Schemas, "response")
	vectors := corpustest.All(t)
	ref := NewReference()
	n := 0
	exchange := func(q Request) {
		n++
		q.ID = int64(n)
		line := appendMessage(nil, &q)
		schematest.Check(t, requests, line)
		var back Request
		err := scanMessage(line, &back)
		if again := appendMessage(nil, &back); err != nil || !bytes.Equal(again, line) {
			t.Fatalf("%sis parsed as\n%s%v", line, again, err)
		}
		a, err := ref.Do(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		line = appendMessage(nil, &a)
		schematest.Check(t, responses, line)
		got, fault, _ := parseResponse(line, q.ID)
		if again := appendMessage(nil, &got); fault != nil || !bytes.Equal(again, line) {
			t.Fatalf("%sis parsed as\n%s%v", line, again, fault)
		}
		full, err1 := json.Marshal(a)
		var one, two any
		err2, err3 := json.Unmarshal(full, &one), json.Unmarshal(line, &two)
		if errors.Join(err1, err2, err3) != nil || !reflect.DeepEqual(one, two) { // cmp.Diff takes minutes of long values
			t.Fatalf("appendMessage gives %sencoding/json gives %s", line, full)
		}
	}
	exchange(Request{Op: OpHello})
	exchange(Request{Op: "dance", Type: "upkg.CompactIndex"})
	none := ""
	exchange(Request{Op: OpDecode, Type: "no.Such", Hex: &none})
	exchange(Request{Op: OpDecode, Type: "upkg.CompactIndex", Profile: "strict", Hex: &none})
	exchange(Request{Op: OpDecode, Type: "upkg.CompactIndex", File: "/no/such/file"})
	seen := map[string]bool{}
	for _, v := range vectors {
		kind := fmt.Sprint(v.Type, v.EncodeOnly())
		if seen[kind] && !testrun.Sampled(v.ID, 24) {
			continue
		}
		seen[kind] = true
		if v.EncodeOnly() {
			root, err := tree.ParseVector(v.Tree)
			if err != nil {
				t.Fatal(err)
			}
			exchange(Request{Op: OpEncode, Type: v.Type, Profile: "documented", Context: v.Context, Tree: &root})
			continue
		}
		digits := hex.EncodeToString(v.Bytes)
		for _, op := range []Op{OpDecode, OpRoundtrip, OpSpans} {
			exchange(Request{Op: op, Type: v.Type, Profile: "observed", Context: v.Context, Hex: &digits})
		}
	}
	t.Logf("%d exchanges", n)
}

// The schema and the parser reject the same answers.
func TestSchemaAndReaderAgree(t *testing.T) {
	s := schematest.Protocol(t, Schemas, "response")
	hello := `{"id":1,"hello":{"protocol":"1","name":"n","types":["a.B"],"operations":["decode"]}}`
	replace := func(old, new string) string {
		if !strings.Contains(hello, old) {
			t.Fatalf("%q is not in the sample", old)
		}
		return strings.Replace(hello, old, new, 1)
	}
	for _, c := range []struct {
		line string
		good bool
	}{
		{hello, true},
		{replace(`"n"`,
			`"n","version":"1","language":"C","profile":"observed","anyProfile":true,"views":["ka.map","ka.texts"],"skips":[{"type":"a.C","reason":"r","url":"u"}]`), true},
		{replace(`"n"`, `"n","views":[]`), true},
		{replace(`"n"`, `"n","views":["ka.maps"]`), false},
		{replace(`"n"`, `"n","views":"ka.map"`), false},
		{replace(`"1"`, `"2"`), false},
		{replace(`"n"`, `""`), false},
		{replace(`"name":"n",`, ``), false},
		{replace(`["a.B"]`, `[]`), false},
		{replace(`["a.B"]`, `null`), false},
		{replace(`["decode"]`, `[]`), false},
		{replace(`["decode"]`, `["dance"]`), false},
		{replace(`["decode"]`, `["roundtrip"]`), false},
		{replace(`["decode"]`, `["roundtrip","decode"]`), true},
		{replace(`"n"`, `"n","colour":"red"`), false},
		{replace(`"n"`, `"n","skips":[{"reason":"r"}]`), false},
		{replace(`"n"`, `"n","skips":[{"type":"a.C"}]`), false},
		{replace(`"n"`, `"n","anyProfile":"yes"`), false},
		{`{"id":1,"ok":{"tree":{"a":["1",null,true,{"b":"x"}]},"consumed":4}}`, true},
		{`{"id":1,"ok":{"tree":null}}`, true},
		{`{"id":1,"ok":{}}`, true},
		{`{"id":1,"ok":{"hex":"00"}}`, true},
		{`{"id":1,"ok":{"spans":[{"start":0,"end":1,"path":"a","value":"1","clause":"C"}]}}`, true},
		{`{"id":1,"ok":{"spans":[{"start":0}]}}`, false},
		{`{"id":1,"ok":{"tree":1}}`, false},
		{`{"id":1,"ok":{"tree":{"a":1.5}}}`, false},
		{`{"id":1,"ok":{"consumed":-1}}`, false},
		{`{"id":1,"ok":{"consumed":"1"}}`, false},
		{`{"id":1,"ok":{"consumed":9999999999}}`, false},
		{`{"id":1,"ok":null}`, false},
		{`{"id":1,"OK":{}}`, false},
		{`{"id":1,"ok":{},"reject":{"class":"value"}}`, false},
		{`{"id":1}`, false},
		{`{"ok":{}}`, false},
		{`{"id":"1","ok":{}}`, false},
		{`{"id":1.5,"ok":{}}`, false},
		{`{"id":1.0,"ok":{}}`, true},
		{`{"id":1,"ok":{"consumed":4.00}}`, true},
		{`{"id":1,"ok":{"consumed":1.00000000000000000000001}}`, false},
		{`{"id":1,"reject":{"class":"value","offset":1e-400}}`, false},
		{`{"id":1,"ok":{"consumed":1e999}}`, false},
		{`{"id":1,"ok":{"consumed":-1.0}}`, false},
		{`{"id":1,"reject":{"class":"value","offset":3,"path":"a.b","message":"m"}}`, true},
		{`{"id":1,"reject":{"class":"bad"}}`, false},
		{`{"id":1,"reject":{"offset":3}}`, false},
		{`{"id":1,"reject":{"class":"value","offset":-3}}`, false},
		{`{"id":1,"reject":{"class":"value","ofset":3}}`, false},
		{`{"id":1,"skip":{"reason":"r"}}`, true},
		{`{"id":1,"skip":{"reason":""}}`, false},
		{`{"id":1,"skip":{}}`, false},
		{`{"id":1,"error":{"message":"m"}}`, true},
		{`{"id":1,"error":{"message":""}}`, false},
		{`{"id":1,"error":{}}`, false},
		{`{"id":1,"error":"m"}`, false},
		{`[]`, false},
		{`1`, false},
	} {
		_, fault, _ := parseResponse([]byte(c.line), 1)
		_, bySchema := schematest.Validate(s, c.line)
		if (fault == nil) != c.good || (bySchema == nil) != c.good {
			t.Errorf("%s: valid should be %v; the parser says %v, the schema %v", c.line, c.good, fault, bySchema)
		}
	}
	for _, number := range []string{"1E2", "10e-1", "1.0e0"} { // the schema cannot forbid an exponent; PROTOCOL.md does
		line := []byte(`{"id":1,"ok":{"consumed":` + number + `}}`)
		schematest.Check(t, s, line)
		if _, fault, sameID := parseResponse(line, 1); fault == nil || !sameID {
			t.Errorf("%s: the parser says %v", line, fault)
		}
	}
	if _, fault, sameID := parseResponse([]byte(`{"oks":1,"id":1.0}`), 1); fault == nil || !sameID {
		t.Errorf("an invalid answer with the id 1.0: %v", fault)
	}
	for _, v := range spec.Views() {
		schematest.Check(t, s, replace(`"n"`, `"n","views":["`+v.ID+`"]`))
	}
	if _, fault, _ := parseResponse([]byte(replace(`"n"`, `"n","views":["ka.maps"]`)), 1); fault == nil ||
		!strings.Contains(fault.Detail, `unknown view "ka.maps"; the views are float.values, `) {
		t.Errorf("unknown view: %v", fault)
	}
	for _, class := range corpus.Classes {
		schematest.Check(t, s, `{"id":1,"reject":{"class":"`+class+`"}}`)
	}
}

func TestRequestSchema(t *testing.T) {
	s := schematest.Protocol(t, Schemas, "request")
	for line, good := range map[string]bool{
		`{"id":1,"op":"hello"}`:              true,
		`{"id":1,"op":"hello","type":"a.B"}`: false,
		`{"id":0,"op":"hello"}`:              false,
		`{"op":"hello"}`:                     false,
		`{"id":1}`:                           false,
		`{"id":1,"op":"decode","type":"a.B","hex":"00ff"}`:          true,
		`{"id":1,"op":"decode","type":"a.B","hex":"0"}`:             false,
		`{"id":1,"op":"decode","type":"a.B","hex":"FF"}`:            false,
		`{"id":1,"op":"decode","type":"a.B","file":"/f"}`:           true,
		`{"id":1,"op":"decode","type":"a.B","file":"f","hex":"00"}`: false,
		`{"id":1,"op":"decode","hex":"00"}`:                         false,
		`{"id":1,"op":"decode","type":"a.B"}`:                       false,
		`{"id":1,"op":"encode","type":"a.B","tree":null}`:           true,
		`{"id":1,"op":"encode","type":"a.B"}`:                       false,
		`{"id":1,"op":"encode","type":"a.B","tree":1}`:              false,
		`{"id":1,"op":"decode","type":"a.B","hex":"","colour":""}`:  false,
	} {
		if _, err := schematest.Validate(s, line); (err == nil) != good {
			t.Errorf("%s: valid should be %v, the schema says %v", line, good, err)
		}
	}
}

// The exchanges in the document match the schemas, and its bound of hex that of the judge.
func TestProtocolDocument(t *testing.T) {
	text, err := os.ReadFile("../PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	if bound := fmt.Sprintf("more than %d bytes is sent as `file`", MaxHex); !strings.Contains(string(text), bound) {
		t.Errorf("the document does not say %q", bound)
	}
	requests, responses := schematest.Protocol(t, Schemas, "request"), schematest.Protocol(t, Schemas, "response")
	shown := map[string]int{}
	for line := range strings.Lines(string(text)) {
		for arrow, s := range map[string]*jsonschema.Schema{"→ ": requests, "← ": responses} {
			if l, ok := strings.CutPrefix(strings.TrimSpace(line), arrow); ok {
				shown[arrow]++
				schematest.Check(t, s, l)
			}
		}
	}
	if shown["→ "] < 6 || shown["← "] < 6 {
		t.Errorf("the document shows %v, expected at least 6 of each", shown)
	}
	for _, class := range corpus.Classes {
		if !strings.Contains(string(text), "`"+class+"`") {
			t.Errorf("the document lacks the class %s", class)
		}
	}
}
