package iostreams

import "testing"

func TestCommand(t *testing.T) {
	s := &Streams{Name: "assignctl", Args: []string{"simulate", "--join=a", "it's", "", "billing-*", "a b", "skew <= 1", "é"}}
	if got, want := s.Command(), `assignctl simulate --join=a 'it'\''s' '' 'billing-*' 'a b' 'skew <= 1' 'é'`; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}
