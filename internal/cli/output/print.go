package output

import (
	"bytes"
	"io"
)

// Print writes a JSON document as JSON or YAML, in one piece.
func Print(w io.Writer, format Format, json []byte) error {
	doc := bytes.TrimRight(json, "\n")
	if format == YAML {
		var err error
		if doc, err = AppendYAML(make([]byte, 0, len(json)), doc); err != nil {
			return err
		}
	} else {
		doc = append(doc, '\n')
	}
	_, err := w.Write(doc)
	return err
}
