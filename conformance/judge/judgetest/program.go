package judgetest

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/formatgauge/formatgauge/conformance/adapter"
)

// Program is the name under which a test binary is an adapter, or its first argument. The next
// argument is the mode, and the adapter prints the others at the end. "oneshot" runs a command
// for one case.
const Program = "wrong"

// TrafficEnv is the environment variable with the name of files in which each adapter
// writes a byte per read and per write. The id of its process is added.
const TrafficEnv = "FORMATGAUGE_TRAFFIC"

// init runs the adapter and ends, if the program is [Program]: before the packages that only
// tests use are initialized, which takes longer than most adapters run.
func init() {
	args := os.Args
	if len(args) > 1 && args[1] == Program {
		args = args[1:]
	}
	if strings.TrimSuffix(filepath.Base(args[0]), ".exe") != Program {
		return
	}
	mode, last := args[1], args[2:]
	if mode == "oneshot" {
		oneshot(last)
	}
	in, out, err := io.Reader(os.Stdin), io.Writer(os.Stdout), error(nil)
	if name := os.Getenv(TrafficEnv); name != "" {
		var to *os.File
		to, err = os.Create(name + strconv.Itoa(os.Getpid()))
		in, out = traffic{to, os.Stdin}, traffic{to, os.Stdout}
	}
	if err == nil {
		err = Main(mode, in, out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(strings.Join(last, " "))
	os.Exit(0)
}

// traffic writes a byte to a file after each read, and before each write.
type traffic struct {
	to *os.File
	io.ReadWriter
}

func (c traffic) Read(b []byte) (int, error) {
	n, err := c.ReadWriter.Read(b)
	_, _ = c.to.Write([]byte{'r'}) // a test waits for it
	return n, err
}

func (c traffic) Write(b []byte) (int, error) {
	_, _ = c.to.Write([]byte{'w'})
	return c.ReadWriter.Write(b)
}

// oneshot decodes standard input, or fails as args[0] says.
func oneshot(args []string) {
	src, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	if args[0] == "once" { // fails if it is asked again
		f, err := os.OpenFile("asked", os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			panic(err)
		}
		f.Close()
		os.Exit(adapter.ExitUnsupported)
	}
	hexed := hex.EncodeToString(src)
	q := adapter.Request{Op: adapter.OpDecode, Type: args[1], Hex: &hexed}
	if len(args) > 2 {
		q.Profile = args[2]
	}
	a, err := adapter.NewReference().Do(context.Background(), q)
	switch {
	case err != nil:
		panic(err)
	case args[0] == "throws" && len(src) == 0:
		fmt.Fprintln(os.Stderr, "Traceback (most recent call last):\n  File ...\nIndexError: index out of range")
		os.Exit(1)
	case args[0] == "hangs" && len(src) == 0:
		time.Sleep(time.Minute)
	case a.OK != nil:
		fmt.Println(a.OK.Tree)
		os.Exit(0)
	case args[0] == "classes":
		fmt.Fprintln(os.Stderr, a.Reject.Class+":", a.Reject.Message)
	}
	os.Exit(1)
}
