package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// How much more than its figure a cell may take. With memory it is what other versions of Go may make of the same code.
const (
	timeMargin   = 1.6
	memoryMargin = 1.1
)

// A figure is what one call takes.
type figure struct {
	Time   float64 `json:"time"` // in relation to the reference
	Allocs float64 `json:"allocs"`
	Bytes  float64 `json:"bytes"`
}

func (f figure) String() string {
	return fmt.Sprintf("%7.3f × %6.0f allocs %9.0f bytes", f.Time, f.Allocs, f.Bytes)
}

// problem says what is worse than it was by more than the margin, "" if nothing is.
func (f figure) problem(was figure) string {
	const few = 8 // allocations, and not worth a word
	switch {
	case f.Time > was.Time*timeMargin:
		return fmt.Sprintf("takes %.2f times as long", f.Time/was.Time)
	case f.Allocs > was.Allocs*memoryMargin+few:
		return fmt.Sprintf("allocates %.2f times as often", f.Allocs/was.Allocs)
	case f.Bytes > was.Bytes*memoryMargin+1024:
		return fmt.Sprintf("allocates %.2f times as much", f.Bytes/was.Bytes)
	}
	return ""
}

// figures are those of all cells, by name.
type figures map[string]figure

func readFigures(file string) (figures, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var f figures
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return f, nil
}

func (f figures) write(file string) error {
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}
