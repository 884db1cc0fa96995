package suggest

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"range", "range-even", "roundrobin", "sticky"}
	for written, want := range map[string]string{
		"stickey": "sticky", "sitcky": "sticky", "Sticky": "sticky", "rang": "range", "range_even": "range-even", "round-robin": "roundrobin",
		"": "", "xyz": "", "completely-different": "", "sticky": "sticky",
	} {
		if got := Nearest(written, names); got != want {
			t.Errorf("%q: got %q, want %q", written, got, want)
		}
	}
	long := make([]byte, 1<<20)
	if got := Nearest(string(long), names); got != "" {
		t.Errorf("a megabyte is near %q", got)
	}
}
