package surface

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/golden"
)

// TestPicture draws which room of docs/architecture.md imports which. Every package has a room there: a row of the table, in which a name
// that ends in /... has all that is below it.
func TestPicture(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join(root, "docs/architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	h := &house{imports: map[string]map[string]bool{}}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z/.-]+)` \\|").FindAllSubmatch(doc, -1) {
		h.imports[string(m[1])] = map[string]bool{}
	}
	h.read(t)
	golden.Check(t, filepath.Join(root, "docs/architecture.svg"), h.draw())
}

// A house is the rooms and what they import of each other.
type house struct{ imports map[string]map[string]bool }

// read adds the imports of all packages.
func (h *house) read(t *testing.T) {
	list := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		names := strings.Fields(line)
		from := h.room(t, names[0])
		for _, name := range names[1:] {
			if to := h.room(t, name); from != "" && to != "" && to != from {
				h.imports[from][to] = true
			}
		}
	}
}

// room is where a package is, "" for examples and for packages of others.
func (h *house) room(t *testing.T, pkg string) string {
	name, ours := strings.CutPrefix(pkg, module)
	if !ours || strings.HasPrefix(name, "examples/") {
		return ""
	}
	if _, ok := h.imports[name]; ok {
		return name
	}
	for dir := name; dir != "."; dir = filepath.Dir(dir) {
		if _, ok := h.imports[dir+"/..."]; ok {
			return dir + "/..."
		}
	}
	t.Fatalf("%s has no room in docs/architecture.md: give it a row of the table", name)
	return ""
}

// floor is 0 for a room without any arrow, and 1 for others that import nothing.
func (h *house) floor(room string) (floor int) {
	if len(h.imports[room]) == 0 && !h.imported(room) {
		return 0
	}
	floor = 1
	for below := range h.imports[room] {
		floor = max(floor, h.floor(below)+1)
	}
	return floor
}

// imported says whether another room imports a room.
func (h *house) imported(room string) bool {
	for _, imports := range h.imports {
		if imports[room] {
			return true
		}
	}
	return false
}

// reaches says whether there is a way down from one room to another.
func (h *house) reaches(from, to string) bool {
	for below := range h.imports[from] {
		if below == to || h.reaches(below, to) {
			return true
		}
	}
	return false
}

// arrows are the imports that no longer way implies.
func (h *house) arrows() (list [][2]string) {
	for _, from := range slices.Sorted(maps.Keys(h.imports)) {
		for _, to := range slices.Sorted(maps.Keys(h.imports[from])) {
			implied := false
			for other := range h.imports[from] {
				implied = implied || h.reaches(other, to)
			}
			if !implied {
				list = append(list, [2]string{from, to})
			}
		}
	}
	return list
}

// Measures of the picture, in pixels.
const (
	letter, high, gap, storey, margin = 7.3, 26.0, 14.0, 74.0, 12.0
)

func wide(room string) float64 { return letter*float64(len(room)) + 16 }

// across is how wide a floor is.
func across(rooms []string) float64 {
	total := -gap
	for _, room := range rooms {
		total += wide(room) + gap
	}
	return total
}

// places puts rooms of a floor beside each other, each near the middle of those that import it. The picture is as wide as the widest floor.
func (h *house) places(arrows [][2]string) (at map[string]float64, floors [][]string, width float64) {
	for _, room := range slices.Sorted(maps.Keys(h.imports)) {
		f := h.floor(room)
		for len(floors) <= f {
			floors = append(floors, nil)
		}
		floors[f] = append(floors[f], room)
	}
	for _, rooms := range floors {
		width = max(width, across(rooms)+2*margin)
	}
	at = map[string]float64{}
	for f := len(floors) - 1; f >= 0; f-- {
		above, n := map[string]float64{}, map[string]float64{}
		for _, a := range arrows {
			above[a[1]], n[a[1]] = above[a[1]]+at[a[0]], n[a[1]]+1
		}
		slices.SortStableFunc(floors[f], func(a, b string) int { return cmp.Compare(above[a]/max(1, n[a]), above[b]/max(1, n[b])) })
		x := (width - across(floors[f])) / 2
		for _, room := range floors[f] {
			at[room], x = x+wide(room)/2, x+wide(room)+gap
		}
	}
	return at, floors, width
}

func (h *house) draw() []byte {
	var b bytes.Buffer
	arrows := h.arrows()
	at, floors, width := h.places(arrows)
	y := func(floor int) float64 { return margin + storey*float64(len(floors)-1-floor) }
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"monospace\" font-size=\"12\">\n", width, y(0)+high+margin)
	fmt.Fprintf(&b, "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n")
	for _, a := range arrows {
		x1, y1, x2, y2 := at[a[0]], y(h.floor(a[0]))+high, at[a[1]], y(h.floor(a[1]))
		fmt.Fprintf(&b, "<path d=\"M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f\" fill=\"none\" stroke=\"#9aa5b1\"/>\n", x1, y1, x1, y1+30, x2, y2-30, x2, y2)
	}
	for f, rooms := range floors {
		for _, room := range rooms {
			fill := "#dbe9f6" // of the module alone
			if !strings.Contains("/"+room, "/internal/") {
				fill = "#fde8c8" // for users
			}
			fmt.Fprintf(&b, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" rx=\"4\" fill=\"%s\" stroke=\"#52606d\"/>\n", at[room]-wide(room)/2, y(f), wide(room), high, fill)
			fmt.Fprintf(&b, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>\n", at[room], y(f)+17, room)
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
