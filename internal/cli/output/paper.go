package output

import "charm.land/lipgloss/v2"

// Paper is what is written on: how wide it is, 0 for without limit, and whether it takes colour.
type Paper struct {
	Width int
	Color bool
}

// A Style says what a text is, and so how it looks.
type Style uint8

// The styles.
const (
	Plain   Style = iota
	Title         // of a column
	Bold          // a heading
	Good          // gained, optimal
	Bad           // lost, invalid
	Changed       // not what it was
	Faint         // of less interest
)

// styles uses the sixteen colours that every terminal has and lets its user choose.
var styles = map[Style]lipgloss.Style{
	Title:   lipgloss.NewStyle().Bold(true),
	Bold:    lipgloss.NewStyle().Bold(true),
	Good:    lipgloss.NewStyle().Foreground(lipgloss.Green),
	Bad:     lipgloss.NewStyle().Foreground(lipgloss.Red),
	Changed: lipgloss.NewStyle().Foreground(lipgloss.Yellow),
	Faint:   lipgloss.NewStyle().Faint(true),
}

// Append writes one text in its style.
func (p Paper) Append(dst []byte, style Style, text string) []byte {
	return p.append(dst, Cell{Text: text, Style: style})
}

func (p Paper) append(dst []byte, c Cell) []byte {
	style, ok := styles[c.Style]
	if !p.Color || !ok || c.Text == "" {
		return append(dst, c.Text...)
	}
	return append(dst, style.Render(c.Text)...)
}
