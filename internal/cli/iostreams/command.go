package iostreams

import "strings"

// Command is the command line as a shell takes it. Passwords are never part of one: they come from files and the environment.
func (s *Streams) Command() string {
	words := []string{quote(s.Name)}
	for _, arg := range s.Args {
		words = append(words, quote(arg))
	}
	return strings.Join(words, " ")
}

// plain are the characters, beside letters and digits, that mean nothing to a shell.
const plain = "-_./:=,@%+"

func quote(word string) string {
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(plain, r)
	}
	if word != "" && strings.IndexFunc(word, odd) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
