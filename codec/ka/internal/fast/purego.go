//go:build purego

package fast

import model "github.com/formatgauge/formatgauge/model/ka"

// Available reports that this package builds and takes apart values, for which
// it needs package unsafe.
const Available = false

type pointer = *byte

func box[T any](model.Type, *T) model.Value { return nil }

func unbox(model.Value) (model.Type, pointer) { return model.TypeNone, nil }

func stringIn(model.Value) *model.String { return nil }

func view(pointer, int) []byte { return nil }

func at[T any](pointer) *T { return nil }

func memory(int) []byte { return nil }

func textOf([]byte) string { return "" }

func idAt([]byte) *uint32 { return nil }
