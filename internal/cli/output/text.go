package output

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"github.com/assignkit/assignkit/strategy"
)

// Clean makes a name from outside fit to print: a control character could move the cursor or colour the rest of the screen.
func Clean(name string) string {
	odd := func(r rune) bool { return !unicode.IsPrint(r) }
	if name == "" {
		return `""`
	}
	if utf8.ValidString(name) && strings.IndexFunc(name, odd) < 0 {
		return name
	}
	quoted := strconv.Quote(name)
	return quoted[1 : len(quoted)-1]
}

// CleanText is Clean for a text that may have several lines.
func CleanText(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = Clean(line)
		}
	}
	return strings.Join(lines, "\n")
}

// Count is a number with its noun, as in "1 member" and "3 members".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Number prints a measured number as briefly as two decimals allow: "4", "1.5", "0.33".
func Number(x float64) string {
	s := strconv.FormatFloat(x, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// Numbers prints ascending partition numbers, with runs of three and more as "0-5".
func Numbers(partitions []int32) string {
	var b strings.Builder
	for i := 0; i < len(partitions); {
		j := i
		for j+1 < len(partitions) && partitions[j+1] == partitions[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		switch {
		case j-i < 2:
			j = i
			fmt.Fprintf(&b, "%d", partitions[i])
		default:
			fmt.Fprintf(&b, "%d-%d", partitions[i], partitions[j])
		}
		i = j + 1
	}
	return b.String()
}

// width is the number of columns that text takes.
func width(text string) int {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return lipgloss.Width(text)
		}
	}
	return len(text)
}

// fold breaks text at spaces, or within longer words after commas, into lines of at most the width given. A word that cannot be broken
// stands alone on a line that is too long.
func fold(text string, limit int) []string {
	var lines []string
	line := ""
	for _, word := range words(strings.TrimRight(text, " ")) {
		joined := line + word
		if line != "" && width(strings.TrimRight(joined, " ")) > limit {
			lines = append(lines, strings.TrimRight(line, " "))
			joined = strings.TrimLeft(word, " ") // of ", " the comma may have stood above
		}
		line = joined
	}
	return append(lines, strings.TrimRight(line, " "))
}

// words cuts text after each space and comma.
func words(text string) []string {
	var out []string
	for text != "" {
		i := strings.IndexAny(text, " ,")
		if i < 0 {
			return append(out, text)
		}
		out = append(out, text[:i+1])
		text = text[i+1:]
	}
	return out
}

// Partitions prints what a member has, as in "orders:0-3 payments:1,5", each topic behind a sign.
func Partitions(sign string, list []strategy.TopicPartitions) string {
	var b strings.Builder
	for i := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(sign + Clean(list[i].Topic) + ":" + Numbers(list[i].Partitions))
	}
	return b.String()
}
