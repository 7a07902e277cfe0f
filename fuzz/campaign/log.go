package main

import (
	"bufio"
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The log of a target contains everything that a row of the ledger needs, so that a
// campaign that was killed is entered by the next one. Its first line is a header;
// the output of the engine follows. If the engine failed, the last line says so. An
// engine that fails has usually written a finding. Otherwise its failure is the
// finding: a lack of memory, for example.
const (
	logHeader = "campaign %s revision %s codec %s engine %s check %s target %s\n"
	logEnd    = "\ncampaign ended: %v\n"
)

var (
	headerLine = regexp.MustCompile(`^campaign (\S+) revision (\S+) codec (\S+ \S+) engine (\S+) check (\S+) target (\S+)\n$`)
	endLine    = regexp.MustCompile(`^campaign ended: (.*)$`)

	// Lines of libFuzzer. The last line of statistics is not there if the process was
	// killed; the lines of progress are.
	progressLine = regexp.MustCompile(`^#(\d+)\s+\S+\s+cov: (\d+) ft: (\d+) `)
	unitsLine    = regexp.MustCompile(`^stat::number_of_executed_units:\s+(\d+)$`)
	artifactLine = regexp.MustCompile(`Test unit written to (\S+)$`)

	// Lines of Go's engine. First it executes the seeds and the corpus. They count in
	// execs, too. A failure of a seed writes no file.
	baselineLine = regexp.MustCompile(`^fuzz: elapsed: \S+, gathering baseline coverage: (\d+)/(\d+) completed$`)
	elapsedLine  = regexp.MustCompile(`^fuzz: elapsed: \S+, execs: (\d+) \(\d+/sec\)(?:, new interesting: (\d+) \(total: (\d+)\))?`)
	seedLine     = regexp.MustCompile(`^failure while testing seed corpus entry: \S+/(\S+)$`)
	failureLine  = regexp.MustCompile(`^\s*Failing input written to (\S+)$`)
)

// parseLog makes a row from a log. end is when the log was written last.
func parseLog(log []byte, end time.Time) (row, error) {
	s := bufio.NewReader(bytes.NewReader(log))
	first, _ := s.ReadString('\n')
	h := headerLine.FindStringSubmatch(first)
	if h == nil {
		return row{}, fmt.Errorf("expected the header of a log, found %.80q", first)
	}
	start, err := time.Parse(time.RFC3339, h[1])
	if err != nil {
		return row{}, err
	}
	r := row{
		Date: start.UTC().Format(time.DateOnly), Revision: h[2], Codec: h[3], Engine: h[4], Check: h[5], Target: h[6],
		Seconds: max(int64(end.Sub(start).Round(time.Second)/time.Second), 1),
	}
	found, ended, late := false, "", false
	var findings []string
	number := func(text string) (n int64) {
		n, err = strconv.ParseInt(text, 10, 64)
		found = found || err == nil
		return n
	}
	for {
		line, eof := s.ReadString('\n')
		line = strings.TrimRight(line, "\r\n")
		if r.Engine == libFuzzer {
			if m := progressLine.FindStringSubmatch(line); m != nil {
				r.Executions, r.Coverage = number(m[1]), "cov "+m[2]+" ft "+m[3]
			} else if m := unitsLine.FindStringSubmatch(line); m != nil {
				r.Executions = number(m[1])
			} else if m := artifactLine.FindStringSubmatch(line); m != nil && !strings.HasPrefix(path.Base(m[1]), "slow-unit-") {
				findings = append(findings, path.Base(m[1]))
			}
		} else {
			if m := elapsedLine.FindStringSubmatch(line); m != nil {
				r.Executions = number(m[1])
				if m[2] != "" {
					r.Coverage = "new " + m[2] + " total " + m[3]
				}
			} else if m := baselineLine.FindStringSubmatch(line); m != nil {
				r.Executions, r.Coverage = number(m[1]), "inputs "+m[1]+" of "+m[2]
			} else if m := seedLine.FindStringSubmatch(line); m != nil {
				findings = append(findings, m[1])
			} else if m := failureLine.FindStringSubmatch(line); m != nil {
				findings = append(findings, "crash-"+path.Base(m[1]))
			}
		}
		// A failure of Go's engine that says nothing about the target (golang/go#75804).
		late = late || strings.TrimSpace(line) == "context deadline exceeded"
		if m := endLine.FindStringSubmatch(line); m != nil {
			ended = m[1]
		}
		if eof != nil {
			break
		}
	}
	if ended != "" && !late && found && len(findings) == 0 {
		findings = append(findings, ended)
	}
	if !found && len(findings) == 0 {
		return r, fmt.Errorf("the log of %s contains no number of executions", r.Target)
	}
	r.Findings = "none"
	if len(findings) > 0 {
		r.Findings = strings.Join(findings, open+", ") + open
	}
	return r, err
}
