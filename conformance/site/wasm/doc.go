//go:build !(js && wasm)

// Wasm is the module of the playground. Only JavaScript can run it.
package main

func main() { panic("the module runs in a browser: GOOS=js GOARCH=wasm") }
