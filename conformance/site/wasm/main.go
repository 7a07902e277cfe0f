//go:build js && wasm

// Wasm is the module of the playground: package play for JavaScript. It defines one
// function, formatgauge(request, bytes): request is a text, bytes a Uint8Array or
// undefined. It returns {error} or {answer, bytes}. Package play describes requests
// and answers.
package main

import (
	"syscall/js"

	"github.com/formatgauge/formatgauge/conformance/site/play"
)

func main() {
	var session play.Session
	js.Global().Set("formatgauge", js.FuncOf(func(_ js.Value, args []js.Value) any {
		var src []byte
		if len(args) > 1 && args[1].Truthy() {
			src = make([]byte, args[1].Length())
			js.CopyBytesToGo(src, args[1])
		}
		answer, out, err := session.Do(args[0].String(), src)
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		bytes := js.Global().Get("Uint8Array").New(len(out))
		js.CopyBytesToJS(bytes, out)
		return map[string]any{"answer": answer, "bytes": bytes}
	}))
	select {}
}
