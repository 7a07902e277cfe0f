//go:build purego

package ubi

import "github.com/formatgauge/formatgauge/codec/wire"

func copied[T any](d wire.Description[T]) wire.Description[T] { return d }
