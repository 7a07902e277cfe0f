//go:build !unix

package check_test

import "errors"

func makePipe(string) error { return errors.ErrUnsupported }
