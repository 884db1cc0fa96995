// Package surface keeps what users of the module can refer to: testdata has the exported declarations of each public package, so that a
// change of them is seen, and made on purpose.
package surface

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/golden"
)

const root, module = "../..", "github.com/assignkit/assignkit/"

// TestSurface compares the exported declarations of all public packages with those that are written down.
func TestSurface(t *testing.T) {
	seen := map[string]bool{}
	for _, dir := range packages(t) {
		text := declarations(t, filepath.Join(root, dir))
		if text == "" {
			continue
		}
		name := strings.ReplaceAll(dir, "/", "_") + ".txt"
		seen[name] = true
		golden.Check(t, filepath.Join("testdata", name), text)
	}
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !seen[filepath.Base(file)] {
			t.Errorf("%s is about a package that is not there any more", file)
		}
	}
}

// packages lists the directories of public packages of this module, sorted.
func packages(t *testing.T) (dirs []string) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		name := d.Name()
		if path != root && (name[0] == '.' || slices.Contains([]string{"internal", "testdata", "examples", "cmd", "docs"}, name)) {
			return filepath.SkipDir
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && path != root {
			return filepath.SkipDir // another module
		}
		if files, _ := filepath.Glob(filepath.Join(path, "*.go")); len(files) > 0 {
			dir, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			dirs = append(dirs, filepath.ToSlash(dir))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}

// declarations renders what a package exports, without comments and bodies, sorted.
func declarations(t *testing.T, dir string) string {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution) // without comments
		if err != nil {
			t.Fatal(err)
		}
		if parsed.Name.Name == "main" || !ast.FileExports(parsed) {
			continue
		}
		for _, d := range parsed.Decls {
			list = append(list, render(t, set, d)...)
		}
	}
	slices.Sort(list)
	return strings.Join(list, "")
}

func render(t *testing.T, set *token.FileSet, d ast.Decl) (list []string) {
	one := func(node any) {
		var b bytes.Buffer
		if err := (&printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}).Fprint(&b, set, node); err != nil {
			t.Fatal(err)
		}
		list = append(list, b.String()+"\n")
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if !ast.IsExported(receiver(d)) {
			return nil
		}
		d.Body = nil
		one(d)
	case *ast.GenDecl:
		if d.Tok == token.IMPORT {
			return nil
		}
		for _, s := range d.Specs {
			one(&ast.GenDecl{Tok: d.Tok, Specs: []ast.Spec{s}})
		}
	}
	return list
}

// receiver is the name of a method's type, or of a function itself.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	name := ""
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}
