package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The figures that are checked in are those of the cells there are.
func TestFiguresOfAllCells(t *testing.T) {
	f, err := readFigures("figures.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells() {
		if x, ok := f[c.String()]; !ok || x.Time <= 0 || x.Allocs <= 0 || x.Bytes <= 0 {
			t.Errorf("%s: %+v", c, x)
		}
	}
	if len(f) != len(cells()) {
		t.Errorf("%d figures of %d cells", len(f), len(cells()))
	}
}

func TestProblem(t *testing.T) {
	was := figure{Time: 1, Allocs: 1000, Bytes: 1e6}
	for _, c := range []struct {
		now  figure
		says string
	}{
		{was, ""},
		{figure{0.1, 1, 1}, ""},
		{figure{1.5, 1100, 1.1e6}, ""},
		{figure{2, 1000, 1e6}, "takes 2.00 times as long"},
		{figure{1, 1200, 1e6}, "allocates 1.20 times as often"},
		{figure{1, 1000, 1.5e6}, "allocates 1.50 times as much"},
	} {
		if got := c.now.problem(was); got != c.says {
			t.Errorf("%v: %q, want %q", c.now, got, c.says)
		}
	}
	if got := (figure{1, 8, 1000}).problem(figure{1, 2, 10}); got != "" {
		t.Errorf("a few allocations: %q", got)
	}
}

// What is measured gets better with each round, and memory is counted per call.
func TestMeasure(t *testing.T) {
	m, err := newMeasuring(t.Context(), cells()[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := m.measure(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	first, reference := m.fastest, m.reference
	if f := m.figure(); f.Time <= 0 || f.Allocs < 10 || f.Allocs > 1000 || f.Bytes < 10_000 || f.Bytes > 1_000_000 {
		t.Errorf("%+v", f)
	}
	if err := m.measure(t.Context(), 20); err != nil {
		t.Fatal(err)
	}
	if m.fastest > first || m.reference > reference {
		t.Errorf("%v, %v after %v, %v", m.fastest, m.reference, first, reference)
	}
}

// With figures that nothing can reach, and with ones of other cells, it fails and says why.
func TestRunFails(t *testing.T) {
	for name, c := range map[string]struct {
		figures func(f figures)
		says    string
	}{
		"memory": {func(f figures) {
			for name, x := range f {
				x.Time, x.Bytes = 1e9, x.Bytes/2 // time is not what is tested
				f[name] = x
			}
		}, "are worse than their figures"},
		"missing": {func(f figures) { delete(f, cells()[0].String()) }, "has no figure for sticky/equal"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := readFigures("figures.json")
			if err != nil {
				t.Fatal(err)
			}
			c.figures(f)
			file := filepath.Join(t.TempDir(), "figures.json")
			if err := f.write(file); err != nil {
				t.Fatal(err)
			}
			var out, complaints bytes.Buffer
			if code := run(t.Context(), []string{"-figures", file, "-rounds", "1"}, &out, &complaints); code != exitFailed || !strings.Contains(complaints.String(), c.says) {
				t.Errorf("exit %d: %s%s", code, &out, &complaints)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"all"}, {"-nonsense"}} {
		var out, complaints bytes.Buffer
		if code := run(t.Context(), args, &out, &complaints); code != exitUsage || complaints.Len() == 0 {
			t.Errorf("%v: exit %d: %s", args, code, &complaints)
		}
	}
	var complaints bytes.Buffer
	file := filepath.Join(t.TempDir(), "none")
	if code := run(t.Context(), []string{"-figures", file}, &complaints, &complaints); code != exitFailed {
		t.Errorf("exit %d without figures", code)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("it wrote a file")
	}
}
