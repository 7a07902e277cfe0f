//go:build purego

package ka

import model "github.com/formatgauge/formatgauge/model/ka"

const boxes = false

func box[T any](model.Type, *T) model.Value { return nil }

func boxCopy[T model.Value](_ *slabs, _ model.Type, v T) model.Value { return v }

func address(*uint32) uintptr { return 0 }

func sameText(a, b string) bool { return a == b }
