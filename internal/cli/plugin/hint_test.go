package plugin

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	host "github.com/assignkit/assignkit/plugin"
)

func TestHint(t *testing.T) {
	script := filepath.Join(t.TempDir(), "assignor-x")
	if err := os.WriteFile(script, []byte("#!/usr/bin/env python3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	start := &host.Error{Plugin: "x", Op: "start", Err: host.ErrStart}
	for _, test := range []struct {
		err  error
		path string
		env  []string
		want bool
	}{
		{start, script, nil, true},
		{start, script, []string{"HOME"}, true},
		{start, script, []string{"PATH"}, false},
		{start, script + "-none", nil, false},
		{host.ErrUnsafe, script, nil, false},
	} {
		got := hint(test.err, test.path, test.env)
		if !errors.Is(got, test.err) || strings.Contains(got.Error(), "--env PATH") != test.want {
			t.Errorf("%v of %s with %v: %v", test.err, test.path, test.env, got)
		}
	}
}
