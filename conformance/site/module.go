package site

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	modulePackage = "github.com/formatgauge/formatgauge/conformance/site/wasm"
	runtimeFile   = "wasm_exec.js"
	licenseFile   = "LICENSE"
)

// ReadModule reads a module from a file, packed or not. Beside it are wasm_exec.js and
// LICENSE of the Go distribution that compiled it.
func ReadModule(name string) (*Module, error) {
	dir := filepath.Dir(name)
	return readModule(name, filepath.Join(dir, runtimeFile), filepath.Join(dir, licenseFile))
}

// FindModule returns the name of the module that came with the program: beside it, as in a
// release archive, or in the share folder, as in a package. It is empty if there is none.
func FindModule() string {
	program, err := os.Executable()
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	for _, folder := range []string{"playground", "../share/formatgauge/playground"} {
		name := filepath.Join(filepath.Dir(program), folder, "module.wasm")
		if _, missing := os.Stat(name); err == nil && missing == nil {
			return name
		}
	}
	return ""
}

func readModule(name, runtime, license string) (*Module, error) {
	program, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	m := &Module{}
	if m.Program, err = pack(program); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if m.Runtime, err = os.ReadFile(runtime); err != nil {
		return nil, err
	}
	m.License, err = os.ReadFile(license)
	return m, err
}

// pack compresses a module that is not packed.
func pack(program []byte) ([]byte, error) {
	if bytes.HasPrefix(program, []byte("\x1f\x8b")) {
		return program, nil
	}
	if !bytes.HasPrefix(program, []byte("\x00asm")) {
		return nil, errors.New("expected a WebAssembly module")
	}
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level exists
	_, err := w.Write(program)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

// BuildModule compiles the module, if Go is installed and the working directory is in
// the source of this program. It uses no network.
func BuildModule() (*Module, error) {
	dir, err := os.MkdirTemp("", "formatgauge-module-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "module.wasm")
	if _, err := goCommand("build", "-trimpath", "-ldflags=-s -w", "-gcflags=github.com/formatgauge/...=-l", "-o", name,
		modulePackage); err != nil {
		return nil, err
	}
	root, err := goCommand("env", "GOROOT")
	if err != nil {
		return nil, err
	}
	root = strings.TrimSpace(root)
	return readModule(name, filepath.Join(root, "lib", "wasm", runtimeFile), filepath.Join(root, licenseFile))
}

func goCommand(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOPROXY=off", "GOFLAGS=")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && stderr.Len() > 0 {
		err = fmt.Errorf("go %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return string(out), err
}
