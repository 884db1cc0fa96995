package output

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile has write fill a file, in one step: who reads it has it whole, as it was or as it is, also where the disk is full. What is there
// and not a file, such as a folder or a device, is left alone. The error names the path, and is that of write or of the system.
func WriteFile(path string, write func(io.Writer) error) error {
	mode := fs.FileMode(0o644)
	switch at, err := os.Stat(path); {
	case err == nil && !at.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", path)
	case err == nil:
		mode = at.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil { // a link stays one
			return err
		}
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		var in *fs.PathError
		if errors.As(err, &in) { // nobody knows the name that was tried
			return fmt.Errorf("%s cannot be written: %w", path, in.Err)
		}
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // has been renamed, if all went well
	b := bufio.NewWriter(f)
	err = write(b)
	if err == nil {
		err = b.Flush()
	}
	if err = errors.Join(err, f.Chmod(mode), f.Close()); err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	return os.Rename(f.Name(), path)
}
