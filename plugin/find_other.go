//go:build !unix

package plugin

import (
	"io/fs"
	"os"
)

func openNow(path string) (*os.File, error) { return os.Open(path) }

func checkFolder(string) error { return nil }

func checkFile(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return notRegular(path)
	}
	return nil
}
