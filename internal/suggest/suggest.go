// Package suggest finds the name that was meant when an unknown one was written. It knows nothing about what the names stand for.
package suggest

// Nearest returns the name that differs from what was written by the fewest letters, "" if none comes close.
func Nearest(written string, names []string) string {
	best, least := "", len(written)/3+2
	for _, name := range names {
		if d := distance(written, name); d < least {
			best, least = name, d
		}
	}
	return best
}

// distance counts the letters to insert, delete, replace or swap with a neighbour to get from a to b.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return len(a) + len(b)
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}
