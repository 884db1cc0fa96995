//go:build !unix

package plugin

import (
	"fmt"
	"io/fs"
)

func checkFolder(string) error { return nil }

func checkFile(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: %s is no regular file", ErrUnsafe, path)
	}
	return nil
}
