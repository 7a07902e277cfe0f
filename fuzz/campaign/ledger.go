package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// goal is the number of executions of the present codecs that the ledger aims at.
const goal = 1_000_000_000

// open follows each finding in a new row. Who closes the finding replaces it.
const open = " open"

// A row is one target of one campaign.
type row struct {
	Date, Revision string
	Codec          string // the family, or all, and the hash of its sources
	Target         string
	Engine, Check  string
	Executions     int64
	Coverage       string
	Seconds        int64
	Findings       string // none, or names of files with their state
}

func (r *row) family() string {
	f, _, _ := strings.Cut(r.Codec, " ")
	return f
}

const rowHeader = `| date | revision | codec | target | engine | check | executions | coverage | seconds | per second | findings |
| --- | --- | --- | --- | --- | --- | ---: | --- | ---: | ---: | --- |
`

func (r *row) String() string {
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", r.Date, r.Revision, r.Codec, r.Target, r.Engine, r.Check,
		grouped(r.Executions), r.Coverage, grouped(r.Seconds), grouped(r.Executions/max(r.Seconds, 1)), r.Findings)
}

// parseLedger returns the rows of a ledger: the lines that begin with a date.
func parseLedger(text string) ([]row, error) {
	var out []row
	for line := range strings.Lines(text) {
		if len(line) < 3 || line[0] != '|' || line[2] < '0' || line[2] > '9' {
			continue
		}
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 13 {
			return nil, fmt.Errorf("row %q: expected 11 cells, found %d", strings.TrimSpace(line), len(cells)-2)
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		executions, err1 := strconv.ParseInt(strings.ReplaceAll(cells[7], ",", ""), 10, 64)
		seconds, err2 := strconv.ParseInt(strings.ReplaceAll(cells[9], ",", ""), 10, 64)
		if err := cmp.Or(err1, err2); err != nil {
			return nil, fmt.Errorf("row %q: %w", strings.TrimSpace(line), err)
		}
		out = append(out, row{cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], executions, cells[8], seconds, cells[11]})
	}
	return out, nil
}

const introduction = `# Ledger of fuzz campaigns

<!-- Written by fuzz/campaign.sh. Only the column "findings" is edited by hand. -->

A row is one target of one campaign. ` + "`codec`" + ` is the family, or ` + "`all`" + ` for a target with types of several families, and a hash of the sources of its codec without tests: codec/wire, codec/FAMILY, model/FAMILY. A changed codec has another hash, and its count starts anew. A plus sign after a revision says that the checkout had changes which are not in it. ` + "`check`" + ` is what one execution checks: ` + "`quick`" + ` one profile and context, ` + "`full`" + ` all of them, and spans and memory. Coverage is what the engine reports at the end: libFuzzer its counters (cov) and features (ft), Go the new and all inputs that it keeps, or how many of the inputs from earlier it executed, if that took the whole time. Seconds include the start and the seeds.

A finding is open until a vector shows it. Then the name of the vector replaces ` + "`open`" + ` in its row. ` + "`go generate ./...`" + ` computes the sums again.

`

// render returns a ledger. codecs are the present codecs, by family. Rows keep their
// order in each section, the newest first.
func render(rows []row, codecs map[string]string) string {
	type sum struct {
		executions, seconds int64
		campaigns           int
	}
	sums := map[string]*sum{}
	total := sum{}
	var present, earlier strings.Builder
	findings := 0
	for _, r := range rows {
		findings += strings.Count(r.Findings, open)
		if codecs[r.family()] != r.Codec {
			earlier.WriteString(r.String())
			continue
		}
		present.WriteString(r.String())
		s := sums[r.Codec]
		if s == nil {
			s = &sum{}
			sums[r.Codec] = s
		}
		for _, s := range []*sum{s, &total} {
			s.executions += r.Executions
			s.seconds += r.Seconds
			s.campaigns++
		}
	}
	var b strings.Builder
	b.WriteString(introduction)
	fmt.Fprintf(&b, "The goal is %s executions over all targets of the present codecs without an open finding. The sum is %s (%.1f%%). Open findings: %d.\n\n",
		grouped(goal), grouped(total.executions), float64(total.executions)*100/goal, findings)
	b.WriteString("| codec | rows | executions | seconds |\n| --- | ---: | ---: | ---: |\n")
	for _, f := range slices.Sorted(maps.Keys(codecs)) {
		s := sums[codecs[f]]
		if s == nil {
			s = &sum{}
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s |\n", codecs[f], s.campaigns, grouped(s.executions), grouped(s.seconds))
	}
	for _, section := range []struct{ title, rows string }{{"Present codecs", present.String()}, {"Earlier codecs", earlier.String()}} {
		fmt.Fprintf(&b, "\n## %s\n\n", section.title)
		if section.rows == "" {
			b.WriteString("No campaign.\n")
		} else {
			b.WriteString(rowHeader + section.rows)
		}
	}
	return b.String()
}

// grouped writes 1234567 as 1,234,567.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// all is the family of targets with types of several families.
const all = "all"

// presentCodecs returns the cell for the codec of each family and of all, for the
// sources in the folder of the repository.
func presentCodecs(root string) (map[string]string, error) {
	out := map[string]string{}
	every := sha256.New()
	models, err := os.ReadDir(filepath.Join(root, "model"))
	if err != nil {
		return nil, err
	}
	for _, f := range models {
		h := sha256.New()
		for _, dir := range []string{"codec/wire", "codec/" + f.Name(), "model/" + f.Name()} {
			err := fs.WalkDir(os.DirFS(root), dir, func(name string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
					return err
				}
				b, err := os.ReadFile(filepath.Join(root, name))
				fmt.Fprintf(h, "%s %d\n%s", name, len(b), b)
				return err
			})
			if err != nil {
				return nil, err
			}
		}
		fmt.Fprintf(every, "%x\n", h.Sum(nil))
		out[f.Name()] = fmt.Sprintf("%s %.5x", f.Name(), h.Sum(nil))
	}
	out[all] = fmt.Sprintf("%s %.5x", all, every.Sum(nil))
	return out, nil
}
