package plugin

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/fault"
	host "github.com/assignkit/assignkit/plugin"
	"github.com/assignkit/assignkit/plugin/python"
)

// templates has a folder for each language. A file's name ends in .tmpl where it would mean something here; one that begins with "#!" can be run.
//
//go:embed all:templates
var templates embed.FS

// module is what plugins in Go are built with.
const module = "github.com/assignkit/assignkit"

// initOptions is what the command line says.
type initOptions struct {
	io       *iostreams.Streams
	name     string
	language string
	dir      string // "" for assignor-NAME
	replace  string
}

func newInit(io *iostreams.Streams) *cobra.Command {
	opts := &initOptions{io: io}
	cmd := &cobra.Command{
		Use:   "init NAME",
		Short: "Write the project of a new plugin, with its test",
		Long: `Write the project of a new plugin, in Go or Python: an assignor that works, its
test, and a README that says how to build it. Nothing is overwritten.`,
		Example: `  assignctl plugin init pinned
  assignctl plugin init tenants --language python --dir plugins/tenants`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			opts.name = args[0]
			if err := opts.check(); err != nil {
				return err
			}
			return runInit(opts)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&opts.language, "language", "go", "the `LANGUAGE` that it is written in: "+strings.Join(languages(), ", "))
	f.StringVar(&opts.dir, "dir", "", "the `DIR` to write it to (default assignor-NAME)")
	f.StringVar(&opts.replace, "replace", "", "of Go: build it with the sources of this project in `DIR`")
	_ = cmd.RegisterFlagCompletionFunc("language", cobra.FixedCompletions(languages(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// languages lists those that there are templates for.
func languages() []string {
	entries, _ := templates.ReadDir("templates") // it is part of the program
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

func (o *initOptions) check() error {
	switch {
	case !host.ValidName(o.name):
		return fault.Usage("%q is no name of a plugin: up to 63 small letters, digits, and \"-\", \"_\", \".\" between them", o.name)
	case !slices.Contains(languages(), o.language):
		return fault.Usage("--language %s: there are %s", o.language, strings.Join(languages(), ", "))
	case o.replace != "" && o.language != "go":
		return fault.Usage("--replace is for plugins in Go")
	}
	return nil
}

// values are what templates are about.
type values struct {
	Name    string // of the plugin
	Version string // of this module, "" if it has none
	Replace string // where its sources are, "" if that is not to be said
}

func runInit(o *initOptions) error {
	v := values{Name: o.name, Version: moduleVersion()}
	if o.replace != "" {
		dir, err := filepath.Abs(o.replace)
		if err != nil {
			return err
		}
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
			return fault.Usage("--replace %s: there is no module: %w", o.replace, err)
		}
		v.Replace, v.Version = filepath.ToSlash(dir), "v0.0.0"
	}
	dir := o.dir
	if dir == "" {
		dir = host.FilePrefix + o.name
	}
	files, err := project(o.language, v)
	if err != nil {
		return err
	}
	if err := write(dir, files); err != nil {
		return err
	}
	text := fmt.Appendf(nil, "%s has the plugin %s:\n", output.Clean(dir), o.name)
	for _, f := range files {
		text = fmt.Appendf(text, "  %s\n", f.name)
	}
	text = append(text, "README.md says how to build, test and lock it.\n"...)
	if o.language == "go" && v.Version == "" {
		text = append(text, "This program is no release that it could be built with: --replace DIR has it built\nwith the sources in a folder.\n"...)
	}
	_, err = o.io.Out.Write(text)
	return err
}

// A file is one of a new project.
type file struct {
	name string // with "/"
	text []byte
}

// project fills in the templates of a language, sorted by name.
func project(language string, v values) (files []file, err error) {
	root := path.Join("templates", language)
	err = fs.WalkDir(templates, root, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		source, err := templates.ReadFile(at)
		if err != nil {
			return err
		}
		t, err := template.New(at).Option("missingkey=error").Parse(string(source))
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, v); err != nil {
			return err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(at, root+"/"), ".tmpl")
		files = append(files, file{strings.ReplaceAll(name, "NAME", v.Name), b.Bytes()})
		return nil
	})
	if err == nil && language == "python" {
		files, err = withModule(files)
	}
	return files, err
}

// withModule adds the module that plugins in Python are served with, which is the same for all.
func withModule(files []file) ([]file, error) {
	err := fs.WalkDir(python.Files, ".", func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := python.Files.ReadFile(at)
		files = append(files, file{at, text})
		return err
	})
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return files, err
}

// write writes files into a folder of their own, or none.
func write(dir string, files []file) error {
	switch entries, err := os.ReadDir(dir); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s has files already, which are not overwritten: --dir names another folder", dir)
	}
	for _, f := range files {
		to := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if bytes.HasPrefix(f.text, []byte("#!")) {
			mode = 0o755
		}
		if err := create(to, f.text, mode); err != nil {
			return err
		}
	}
	return nil
}

// create writes a file that is not there yet.
func create(to string, text []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// moduleVersion returns the version of this project that the program was built with, "" if that is none that others can get.
func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	m := &info.Main
	for _, d := range info.Deps {
		if d.Path == module {
			m = d
		}
	}
	if m.Path != module || m.Replace != nil || !strings.HasPrefix(m.Version, "v") || strings.Contains(m.Version, "+dirty") {
		return ""
	}
	return m.Version
}
