// Package golden compares what tests get with files that say what it has to be, and rewrites the files. What a test gets, and how it is
// written, stays with the test.
package golden

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
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
	want, err := os.ReadFile(file)
	if d := diff.Diff(file, want, "got", []byte(got)); err != nil || len(d) > 0 {
		t.Errorf("not what %s says (%v); -update has it say what is now\n%s", file, err, d)
	}
}
