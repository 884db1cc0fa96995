package output

import "strings"

// indent stands before the lines that a text goes on in.
const indent = "  "

// Wrap writes a text whose pieces have styles of their own, broken at spaces into lines that fit the paper. A word that is longer
// than a line stands alone.
func (p Paper) Wrap(dst []byte, pieces ...Cell) []byte {
	var line phrase
	column := 0
	for i, word := range splitWords(pieces) {
		size := 0
		for _, piece := range word {
			size += width(piece.Text)
		}
		switch {
		case i == 0:
		case p.Width > 0 && column > 0 && column+1+size > p.Width:
			dst = append(line.append(dst, p), '\n')
			line, column = phrase{{Text: indent}}, len(indent)
		default:
			line.space(word)
			column++
		}
		for _, piece := range word {
			line.add(piece)
		}
		column += size
	}
	return line.append(dst, p)
}

// A phrase is pieces of text, neighbours of one style in one.
type phrase []Cell

func (l *phrase) add(piece Cell) {
	if n := len(*l); n > 0 && (*l)[n-1].Style == piece.Style {
		(*l)[n-1].Text += piece.Text
		return
	}
	*l = append(*l, piece)
}

// space separates what there is from the word that comes next, in their style if they have the same.
func (l *phrase) space(next []Cell) {
	style := Plain
	if n := len(*l); n > 0 && len(next) > 0 && (*l)[n-1].Style == next[0].Style {
		style = next[0].Style
	}
	l.add(Cell{Text: " ", Style: style})
}

func (l *phrase) append(dst []byte, p Paper) []byte {
	for _, piece := range *l {
		dst = p.append(dst, piece)
	}
	return dst
}

// splitWords cuts pieces at spaces. A word may be of several pieces, as where a comma follows upon a coloured one.
func splitWords(pieces []Cell) [][]Cell {
	words := [][]Cell{nil}
	for _, piece := range pieces {
		for i, text := range strings.Split(piece.Text, " ") {
			if i > 0 {
				words = append(words, nil)
			}
			if text != "" {
				last := len(words) - 1
				words[last] = append(words[last], Cell{Text: text, Style: piece.Style})
			}
		}
	}
	return words
}
