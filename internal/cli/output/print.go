package output

import (
	"bytes"
	"encoding/json"
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

// EncodeJSON returns a document on one line, which it ends. What is not for browsers keeps its <, > and &, as in expressions.
func EncodeJSON(doc any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
