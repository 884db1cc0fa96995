package page

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
)

var (
	//go:embed page.tmpl
	source string
	//go:embed style.css
	style string
	//go:embed script.js
	script string

	layout = template.Must(template.New("page").Parse(source))

	// policy lets a browser use what is in the file, and nothing from anywhere else.
	policy = "default-src 'none'; style-src " + fingerprint(style) + "; script-src " + fingerprint(script) + "; base-uri 'none'; form-action 'none'"
)

// fingerprint is what a policy knows an embedded part by.
func fingerprint(part string) string {
	sum := sha256.Sum256([]byte(part))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Write writes the page. The same data gives the same bytes. Of what there is too much of, steps, rows and series, it shows less, and says so;
// docs/report.md has the bounds. Errors are those of w, and what does not fit together in d: a step of a member that is not there.
func Write(w io.Writer, d *Data) error {
	p, data, err := build(d)
	if err != nil {
		return err
	}
	text, err := json.Marshal(data) // with <, > and & as \u003c and so on, so that no name can end the element that it is in
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	err = layout.Execute(b, map[string]any{
		"Page": p, "Policy": policy, "Style": template.CSS(style), "Script": template.JS(script), "Data": template.JS(text),
	})
	if err != nil {
		return err
	}
	return b.Flush()
}
