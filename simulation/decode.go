package simulation

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/assignkit/assignkit/strategy"
)

func sorted(names []string) []string {
	slices.Sort(names)
	return names
}

// fields decodes a mapping with known keys.
func (d *decoder) fields(n *node, what string, known map[string]func(v *node) error) error {
	names := sorted(slices.Collect(maps.Keys(known)))
	if n.kind != mapping {
		return d.at(n, "%s is a mapping of %s, not %s", what, strings.Join(names, ", "), n)
	}
	for _, p := range n.pairs {
		decode, ok := known[p.key.text]
		if !ok {
			hint := nearest(p.key.text, names)
			if hint == "" {
				hint = "; there are " + strings.Join(names, ", ")
			}
			return d.at(p.key, "%s has no field %q%s", what, clip(p.key.text), hint)
		}
		if err := decode(p.value); err != nil {
			return err
		}
	}
	return nil
}

// name decodes a word. What looks like a number is one if it stands for nothing else.
func (d *decoder) name(n *node, what string) (string, error) {
	switch {
	case n.kind != scalar:
		return "", d.at(n, "%s is a word, not %s", what, n)
	case n.text == "":
		return "", d.at(n, "%s is empty", what)
	case len(n.text) > MaxName:
		return "", d.at(n, "%s is longer than %d bytes", what, MaxName)
	case strings.ContainsFunc(n.text, unicode.IsControl):
		return "", d.at(n, "%s %q has characters that cannot be shown", what, clip(n.text))
	}
	return n.text, nil
}

// items are those of a list, or a single value that stands for a list of it.
func items(n *node) []*node {
	if n.kind == list {
		return n.items
	}
	return []*node{n}
}

// names decodes a word or a list of words.
func (d *decoder) names(n *node, what string) ([]string, error) {
	list := items(n)
	out := make([]string, len(list))
	for i, item := range list {
		name, err := d.name(item, what)
		if err != nil {
			return nil, err
		}
		out[i] = name
	}
	return out, nil
}

// isCount says whether a value is a bare number.
func isCount(n *node) bool {
	if n.kind != scalar || n.quoted {
		return false
	}
	_, err := strconv.ParseFloat(strings.ReplaceAll(n.text, "_", ""), 64)
	return err == nil || strings.Contains(err.Error(), "range")
}

// number decodes a whole number within bounds.
func (d *decoder) number(n *node, what string, least, most int64) (int64, error) {
	if n.kind != scalar || n.quoted {
		return 0, d.at(n, "%s is a whole number, not %s", what, n)
	}
	text := n.text
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, d.at(n, "%s is a whole number, not %s", what, n)
	}
	if len(digits) > 1 && digits[0] == '0' {
		return 0, d.at(n, "%s is a whole number without leading zeros, not %s", what, n)
	}
	x, err := strconv.ParseInt(text, 10, 64)
	if err != nil || x < least || x > most {
		return 0, d.at(n, "%s %s is not within %d..%d", what, clip(text), least, most)
	}
	return x, nil
}

func (d *decoder) topicList(n *node) ([]strategy.Topic, error) {
	if n.kind != mapping {
		return nil, d.at(n, "topics is a mapping of names to numbers of partitions, not %s", n)
	}
	out := make([]strategy.Topic, 0, len(n.pairs))
	for _, p := range n.pairs {
		name, err := d.name(p.key, "a topic's name")
		if err != nil {
			return nil, err
		}
		t, err := d.topic(name, p.value)
		if err != nil {
			return nil, err
		}
		d.topics[name] = true
		d.subject(name, p.key)
		out = append(out, t)
	}
	return out, nil
}
