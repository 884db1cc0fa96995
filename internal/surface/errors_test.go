package surface

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestErrorsAreAskedFor finds exported errors that no test gets out of the code: each ErrX has to stand in a test function that calls
// errors.Is, each type ...Error in one that calls errors.As or errors.AsType. Of internal packages as well.
func TestErrorsAreAskedFor(t *testing.T) {
	declared, asked := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && file != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(file, ".go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		if strings.HasSuffix(file, "_test.go") {
			ask(parsed, module+filepath.ToSlash(dir), asked)
		} else {
			declare(parsed, module+filepath.ToSlash(dir), declared)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(declared) == 0 {
		t.Error("no errors were found")
	}
	for name := range declared {
		if !asked[name] {
			t.Errorf("no test asks for %s: have the code return it, and find it with errors.Is or errors.AsType", name)
		}
	}
}

// declare adds the exported errors that a file of a package declares.
func declare(file *ast.File, pkg string, names map[string]bool) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if v, ok := s.(*ast.ValueSpec); ok && d.Tok == token.VAR {
					for _, id := range v.Names {
						if sentinel(id.Name) {
							names[pkg+"."+id.Name] = true
						}
					}
				}
			}
		case *ast.FuncDecl:
			if name := receiver(d); d.Recv != nil && d.Name.Name == "Error" && ast.IsExported(name) && strings.HasSuffix(name, "Error") {
				names[pkg+"."+name] = true
			}
		}
	}
}

func sentinel(name string) bool {
	return len(name) > 3 && strings.HasPrefix(name, "Err") && ast.IsExported(name[3:])
}

// ask adds what the functions of a test file name that ask for errors.
func ask(file *ast.File, pkg string, names map[string]bool) {
	imports := map[string]string{}
	for _, i := range file.Imports {
		at, _ := strconv.Unquote(i.Path.Value)
		name := path.Base(at)
		if i.Name != nil {
			name = i.Name.Name
		}
		imports[name] = at
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		is, as := false, false
		mentioned := map[string]string{} // what stands there, to its last name
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				x, ok := n.X.(*ast.Ident)
				if !ok || imports[x.Name] == "" {
					return true
				}
				is = is || x.Name == "errors" && n.Sel.Name == "Is"
				as = as || x.Name == "errors" && strings.HasPrefix(n.Sel.Name, "As")
				mentioned[imports[x.Name]+"."+n.Sel.Name] = n.Sel.Name
			case *ast.Ident:
				mentioned[pkg+"."+n.Name] = n.Name
			}
			return true
		})
		for name, last := range mentioned {
			if is && sentinel(last) || as && !sentinel(last) {
				names[name] = true
			}
		}
	}
}
