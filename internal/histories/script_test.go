package histories

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/golden"
)

// Each script teaches one thing. Blocks are separated by blank lines: commands, a line of dashes, and what then happens.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, errs := play(string(data), Faulty{})
			for _, err := range errs {
				t.Error(err)
			}
			if strings.Contains(got, "error:") {
				t.Error("a command failed")
			}
			golden.Check(t, file, got)
		})
	}
}

// play runs a script's commands and returns the script with what happened.
func play(text string, faulty Faulty) (string, []error) {
	s := NewScript(faulty)
	var out []string
	for _, block := range strings.Split(strings.TrimSpace(text), "\n\n") {
		commands, _, _ := strings.Cut(block, "\n----")
		out = append(out, commands)
		var happened []string
		some := false
		for _, line := range strings.Split(commands, "\n") {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				some = true
				happened = append(happened, s.Do(line)...)
			}
		}
		if some && len(happened) > 0 {
			out = append(out, "----")
			for _, line := range happened {
				out = append(out, strings.Split(line, "\n")...)
			}
		}
		out = append(out, "")
	}
	return strings.Join(out[:len(out)-1], "\n") + "\n", s.Faults()
}
