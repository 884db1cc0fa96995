package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// FilePrefix begins the names of plugins' executables; what follows is the plugin's name.
const FilePrefix = "assignor-"

// maxExecutable is the size of the largest executable that is read, in bytes.
const maxExecutable = 1 << 30

// findExecutable finds a plugin's executable in folders. It must be in one of them only, and nobody but its owner and group may be able to put
// another in its place.
func findExecutable(folders []string, name string) (string, error) {
	var found []string
	var looked []os.FileInfo
	for _, folder := range folders {
		if info, err := os.Stat(folder); err == nil {
			if slices.ContainsFunc(looked, func(i os.FileInfo) bool { return os.SameFile(i, info) }) {
				continue // it is listed twice
			}
			looked = append(looked, info)
		}
		path := filepath.Join(folder, FilePrefix+name)
		_, err := os.Lstat(path)
		switch {
		case err == nil:
			found = append(found, path)
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%w: no %s%s in %s", ErrNotFound, FilePrefix, name, strings.Join(folders, ", "))
	case 1:
		return found[0], checkExecutable(found[0])
	}
	return "", fmt.Errorf("%w: there are several of that name, and one is wanted: %s", ErrUnsafe, strings.Join(found, ", "))
}

// checkExecutable refuses a file that is none to run, or that others may change or swap.
func checkExecutable(path string) error {
	folder, err := realPath(filepath.Dir(path))
	if err != nil {
		return err
	}
	target, err := realPath(path)
	if errors.Is(err, fs.ErrNotExist) { // a link to nothing, or gone since it was found
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	if err != nil {
		return err
	}
	if inside, err := filepath.Rel(folder, target); err != nil || !filepath.IsLocal(inside) {
		return fmt.Errorf("%w: %s is a link to %s, which is not in the folder: copy that into it", ErrUnsafe, path, target)
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return notRegular(path)
	}
	if err := checkRunnable(path, info); err != nil {
		return err
	}
	return checkPlace(path, target, info)
}

// checkPlace refuses a file that everybody may write to or swap, at its path or where a link there leads to.
func checkPlace(path, target string, info fs.FileInfo) error {
	if everybodyWrites(target, info) {
		return fmt.Errorf("%w: everybody may write to %s: chmod o-w %s", ErrUnsafe, path, path)
	}
	for _, at := range []string{path, target} {
		folder, err := realPath(filepath.Dir(at))
		if err != nil {
			return err
		}
		if err := checkFolder(folder); err != nil {
			return err
		}
	}
	return nil
}

// checkFolder refuses a folder that everybody may write to, or one within such a folder, where it could be swapped unless that is sticky.
func checkFolder(folder string) error {
	for at := folder; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil {
			return err
		}
		if everybodyWrites(at, info) && (at == folder || info.Mode()&fs.ModeSticky == 0) {
			return fmt.Errorf("%w: everybody may write to the folder %s: chmod o-w %s", ErrUnsafe, at, at)
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

// realPath is an absolute path without links.
func realPath(path string) (string, error) {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(target)
}

// openExecutable opens a regular file of no more than maxExecutable bytes.
func openExecutable(path string) (*os.File, error) {
	f, err := openNow(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = notRegular(path)
	case info.Size() > maxExecutable:
		err = fmt.Errorf("%w: %s has %d bytes, and an executable may have %d", ErrUnsafe, path, info.Size(), maxExecutable)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func notRegular(path string) error { return fmt.Errorf("%w: %s is no regular file", ErrUnsafe, path) }
