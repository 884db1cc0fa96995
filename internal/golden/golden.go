// Package golden compares what tests get with files that say what it has to be, and rewrites the files. What a test gets, and how it is
// written, stays with the test.
package golden

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write what comes out into the files that say what it has to be")

// Check fails a test unless a file says what it got. With -update the file says so from now on.
func Check[T string | []byte](t testing.TB, file string, got T) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want, err := os.ReadFile(file); err != nil || string(got) != string(want) {
		t.Errorf("got\n%s\nand not what %s says (%v); -update has it say that\n%s", got, file, err, want)
	}
}
