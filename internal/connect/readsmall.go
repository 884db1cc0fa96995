package connect

import (
	"fmt"
	"io"
	"os"
)

// readSmall reads a file that the user names. The wrong one may be a device that never ends, so more than most bytes are an error: a size
// that is asked for before says nothing of those.
func readSmall(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s is larger than %d KiB", path, most>>10)
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}
