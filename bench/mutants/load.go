package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const module = "github.com/assignkit/assignkit/"

// source is a package that is to be mutated, with its types.
type source struct {
	dir, name string
	fset      *token.FileSet
	paths     []string // of files
	texts     [][]byte
	files     []*ast.File
	info      types.Info
	pkg       *types.Package
}

// load reads a package of the module; what it imports comes compiled from the go command.
func load(path string) (*source, error) {
	list := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Export,Dir,Name,GoFiles", module+path)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", path, err)
	}
	type listed struct {
		ImportPath, Export, Dir, Name string
		GoFiles                       []string
	}
	exports := map[string]string{}
	var target listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("what go list says of %s: %w", path, err)
		}
		exports[p.ImportPath], target = p.Export, p // the package itself stands last
	}
	s := &source{dir: target.Dir, name: target.Name, fset: token.NewFileSet(), info: types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Uses:  map[*ast.Ident]types.Object{},
	}}
	for _, name := range target.GoFiles {
		file := filepath.Join(target.Dir, name)
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		parsed, err := parser.ParseFile(s.fset, file, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.paths, s.texts, s.files = append(s.paths, file), append(s.texts, text), append(s.files, parsed)
	}
	config := types.Config{Importer: importer.ForCompiler(s.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	if s.pkg, err = config.Check(module+path, s.fset, s.files, &s.info); err != nil {
		return nil, err
	}
	return s, nil
}

// typeName writes a type as file may name it, "" if it cannot.
func (s *source) typeName(t types.Type, file *ast.File) string {
	ok := true
	name := types.TypeString(t, func(p *types.Package) string {
		if p == s.pkg {
			return ""
		}
		for _, i := range file.Imports {
			if i.Name == nil && strings.Trim(i.Path.Value, `"`) == p.Path() {
				return p.Name()
			}
		}
		ok = false
		return ""
	})
	if !ok || strings.HasPrefix(name, "untyped") {
		return ""
	}
	return name
}
