package connect

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/assignkit/assignkit/internal/suggest"
)

// maxConfig is larger than any file of profiles.
const maxConfig = 1 << 20

// A configFile is read strictly: a key that does not exist, a value of another kind, a key twice or a second document is an error that
// says where. Values are in no error, as somebody may have put a password where none belongs.
type configFile struct {
	path string
	dir  string // that relative file names are relative to
}

// readConfig reads all profiles of a file.
func readConfig(path string) (map[string]settings, error) {
	text, err := readSmall(path, maxConfig)
	if err != nil {
		return nil, err
	}
	return (&configFile{path: path, dir: filepath.Dir(path)}).read(text)
}

func (c *configFile) read(text []byte) (map[string]settings, error) {
	var document yaml.Node
	if err := yaml.Load(text, &document); err != nil {
		return nil, c.notYAML(err)
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		return nil, fmt.Errorf("%s: is empty; it should have profiles", c.path)
	}
	profiles := map[string]settings{}
	err := c.mapping(document.Content[0], "the file", keys{
		"profiles": func(n *yaml.Node) error {
			return c.each(n, "profiles", func(key, value *yaml.Node) error {
				if key.Value == "" {
					return c.at(key, "a profile has no name")
				}
				p, err := c.profile(value)
				profiles[key.Value] = p
				return err
			})
		},
	})
	return profiles, err
}

func (c *configFile) profile(n *yaml.Node) (settings, error) {
	var s settings
	err := c.mapping(n, "a profile", keys{
		"brokers": func(n *yaml.Node) error { return c.brokers(n, &s) },
		"tls":     func(n *yaml.Node) error { return c.tls(n, &s) },
		"sasl": func(n *yaml.Node) error {
			return c.mapping(n, "sasl", keys{
				"mechanism":     c.checked(s.setMechanism),
				"user":          c.text(&s.user),
				"password_file": c.file(&s.passwordFile),
				"token_file":    c.file(&s.tokenFile),
				"password": func(n *yaml.Node) error {
					return c.at(n, "passwords do not belong here: use password_file, or set ASSIGNKIT_SASL_PASSWORD")
				},
			})
		},
		"timeout":       c.checked(s.setTimeout),
		"kafka_version": c.checked(s.setVersion),
	})
	return s, err
}

// brokers takes a list of addresses, or one.
func (c *configFile) brokers(n *yaml.Node, s *settings) error {
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	var list []string
	for _, item := range items {
		if err := c.checked(func(text string) error { list = append(list, text); return nil })(item); err != nil {
			return err
		}
	}
	var err error
	if s.brokers, err = addresses(strings.Join(list, ",")); err != nil {
		return c.at(n, "%w", err)
	}
	return nil
}

// tls takes true and false as well as what it needs.
func (c *configFile) tls(n *yaml.Node, s *settings) error {
	if n.Kind == yaml.ScalarNode {
		return c.yesNo(&s.tls)(n)
	}
	on := true
	s.tls = &on
	return c.mapping(n, "tls", keys{
		"ca":          c.file(&s.tlsCA),
		"cert":        c.file(&s.tlsCert),
		"key":         c.file(&s.tlsKey),
		"server_name": c.text(&s.tlsServerName),
		"insecure":    c.yesNo(&s.tlsInsecure),
	})
}

// keys says what takes the value of each.
type keys map[string]func(*yaml.Node) error

// mapping reads one whose keys are known.
func (c *configFile) mapping(n *yaml.Node, what string, known keys) error {
	return c.each(n, what, func(key, value *yaml.Node) error {
		take, ok := known[key.Value]
		if !ok {
			all := slices.DeleteFunc(slices.Sorted(maps.Keys(known)), func(name string) bool { return name == "password" })
			if near := suggest.Nearest(key.Value, all); near != "" {
				return c.at(key, "%s has no key %q; did you mean %s?", what, key.Value, near)
			}
			return c.at(key, "%s has no such key; there are %s", what, strings.Join(all, ", ")) // it may be password=...
		}
		return take(value)
	})
}

// each goes through the keys and values of a mapping. All errors are reported.
func (c *configFile) each(n *yaml.Node, what string, take func(key, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return c.at(n, "%s should be keys and values, not %s", what, kind(n))
	}
	seen := map[string]int{}
	var errs []error
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode:
			errs = append(errs, c.at(key, "a key should be a word, not %s", kind(key)))
		case seen[key.Value] > 0:
			errs = append(errs, c.at(key, "key %q is there twice, first in line %d", key.Value, seen[key.Value]))
		default:
			seen[key.Value] = key.Line
			errs = append(errs, take(key, value))
		}
	}
	return errors.Join(errs...)
}

// checked takes a text that a function reads.
func (c *configFile) checked(set func(string) error) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
			return c.at(n, "should be a text, not %s", kind(n))
		}
		if err := set(n.Value); err != nil {
			return c.at(n, "%w", err)
		}
		return nil
	}
}

func (c *configFile) text(to *string) func(*yaml.Node) error {
	return c.checked(func(text string) error { *to = text; return nil })
}

func (c *configFile) file(to *string) func(*yaml.Node) error {
	return c.checked(func(text string) error {
		if *to = text; text != "" && !filepath.IsAbs(text) {
			*to = filepath.Join(c.dir, text)
		}
		return nil
	})
}

func (c *configFile) yesNo(to **bool) func(*yaml.Node) error {
	return func(n *yaml.Node) error {
		var b bool
		if n.ShortTag() != "!!bool" || n.Decode(&b) != nil {
			return c.at(n, "should be true or false, not %s", kind(n))
		}
		*to = &b
		return nil
	}
}

// kind says what a value is, without the value.
func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys and values"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!bool":
		return "true or false"
	case "!!int", "!!float":
		return "a number"
	}
	return "a text"
}

func (c *configFile) at(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %w", c.path, n.Line, n.Column, fmt.Errorf(format, args...))
}

// notYAML says what the library could not read, and where.
func (c *configFile) notYAML(err error) error {
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		return fmt.Errorf("%s: is not YAML: %w", c.path, err)
	}
	message := strings.TrimPrefix(e.Message, "yaml: ")
	if before, _, ok := strings.Cut(message, "anchor '"); ok { // which may be a password that begins with * or &
		message = before + "anchor; quote a text that begins with * or &"
	}
	at := e.Mark
	if at.Line == 0 {
		at = e.ContextMark
	}
	if at.Line == 0 {
		return fmt.Errorf("%s: %s", c.path, message)
	}
	return fmt.Errorf("%s:%d:%d: %s", c.path, at.Line, max(1, at.Column), message)
}
