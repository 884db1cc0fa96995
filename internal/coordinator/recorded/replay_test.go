package recorded

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A lesson is a file of testdata.
type lesson struct {
	name, file, text string
	properties       map[string]string // of the broker
}

func lessons(t *testing.T) (list []lesson) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no lessons", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		l := lesson{name: strings.TrimSuffix(filepath.Base(file), ".txt"), file: file, text: string(data), properties: map[string]string{}}
		for _, line := range strings.Split(l.text, "\n") {
			if rest, ok := strings.CutPrefix(line, "broker "); ok {
				for _, f := range strings.Fields(rest) {
					key, value, _ := strings.Cut(f, "=")
					l.properties[key] = value
				}
			}
		}
		list = append(list, l)
	}
	return list
}

// The model answers as the broker did.
func TestModel(t *testing.T) {
	for _, l := range lessons(t) {
		t.Run(l.name, func(t *testing.T) {
			m, err := newModel(l.name, l.properties)
			if err != nil {
				t.Fatal(err)
			}
			got, err := play(l.name, l.text, m, false)
			if err != nil {
				t.Error(err)
			}
			if got != l.text {
				t.Errorf("%s: the broker answered what is written there, the model\n%s", l.file, diff(l.text, got))
			}
		})
	}
}

// diff shows lines that differ, each in place.
func diff(want, got string) string {
	var out []string
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, "  "+a[i])
			i, j = i+1, j+1
		case j >= len(b) || i < len(a) && !contains(b[j:], a[i]):
			out = append(out, "- "+a[i])
			i++
		default:
			out = append(out, "+ "+b[j])
			j++
		}
	}
	return strings.Join(out, "\n")
}

func contains(block []string, line string) bool {
	for _, s := range block {
		if s == "" {
			return line == "" // no further than the end of the block
		}
		if s == line {
			return true
		}
	}
	return false
}
