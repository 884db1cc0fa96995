package page

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/golden"
	"github.com/assignkit/assignkit/strategy"
)

// small has some of everything.
func small() *Data {
	nan := math.NaN()
	steps := func(moves int) []Step {
		return []Step{
			{
				Metrics: strategy.Metrics{Members: 2, Partitions: 4, Max: 2, Min: 2, Mean: 2, Jain: 1, Placed: 4}, Rounds: 1,
				Loads:  []Load{{Member: 0, Partitions: 2, Load: 2}, {Member: 1, Partitions: 2, Load: 2}, {Member: 2, Partitions: Gone}},
				Owners: []Owner{{0, 0}, {1, 1}, {2, 0}, {3, 1}, {4, Gone}},
			},
			{
				Metrics: strategy.Metrics{
					Members: 3, Partitions: 5, Max: 2, Min: 1, Skew: 1, Regret: 0.123456, Bound: moves > 2, Voluntary: moves, VoluntaryMinimum: 1, Excess: moves - 1,
					Forced: 12345, Unassigned: 1,
				},
				Rounds: 2,
				Loads:  []Load{{Member: 1, Partitions: 1, Load: 1}, {Member: 2, Partitions: 1, Load: 0.5}, {Member: 0, Partitions: 2, Draining: true}},
				Owners: []Owner{{3, 2}, {4, Nobody}},
			},
		}
	}
	return &Data{
		Title: "A <title>", Command: "assignctl simulate 'a&b'", Facts: []string{"One fact."},
		Tables: []Table{{Caption: "Medians", Columns: []Column{{Title: "Strategy"}, {Title: "Moves", Help: "All moves."}}, Rows: [][]Cell{{Text("sticky"), Number(1234567.125)}, {Text(""), Unknown()}}}},
		Cases: []Case{
			{
				Name: "first", Events: []string{"start", "join c"}, Optimum: []float64{0, 1}, Members: []string{"a", "b", "c"},
				Topics: []Topic{{"t", 2}, {"empty", 0}, {"u", 3}}, Series: []Series{{"sticky", steps(1)}, {"range", steps(2)}},
				Summary: Table{Caption: "Strategies", Columns: []Column{{Title: "Strategy"}, {Title: "Excess", Help: "Too much."}}, Rows: [][]Cell{
					{Text("sticky"), {Number: 0, Mark: Good}}, {Text("range"), {Text: "≤", Number: 2.5, Mark: Bad}},
				}},
			},
			{Name: "measures alone", Events: []string{"start", "later"}, Optimum: []float64{nan, nan}, Series: []Series{{"sticky", []Step{
				{Metrics: strategy.Metrics{Members: 1, Skew: 2, Bound: true, Voluntary: 3}}, {},
			}}}},
		},
	}
}

func write(t testing.TB, d *Data) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	got := write(t, small())
	if again := write(t, small()); again != got {
		t.Error("the same data gives another page")
	}
	for _, part := range []string{style, script} {
		if !strings.Contains(got, part) {
			t.Error("a part is not in the page as it is")
		}
		got = strings.Replace(got, part, "...", 1)
	}
	golden.Check(t, "testdata/small.html", regexp.MustCompile(`sha256-.*?=&#39;`).ReplaceAllString(got, "sha256-...&#39;"))
}

// What a browser may run is just what is there.
func TestPolicy(t *testing.T) {
	got := write(t, small())
	for _, want := range []string{
		`content="default-src &#39;none&#39;; style-src ` + strings.ReplaceAll(fingerprint(style), "'", "&#39;"), `script-src ` + strings.ReplaceAll(fingerprint(script), "'", "&#39;"),
	} {
		if !strings.Contains(strings.ReplaceAll(got, "&#43;", "+"), want) {
			t.Errorf("the policy lacks %s", want)
		}
	}
	if found := regexp.MustCompile(`(?i)https?://[^"']*`).FindAllString(got, -1); len(found) > 1 || found[0] != "http://www.w3.org/2000/svg" {
		t.Errorf("addresses in the page: %q", found)
	}
	if strings.Contains(got, "style=") || strings.Contains(got, " onclick") {
		t.Error("there are styles or scripts in attributes, which the policy forbids")
	}
}

// hostile are names that would do something if they were not text.
var hostile = []string{
	`</script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onclick='alert(1)`, "\u2028\u2029", "`${alert(1)}`", `<!--`, `]]>`, "\x00\xff\x1b[31m", "\u202eabc",
	`&lt;`, `{{.}}`, `\`, ``,
}

func TestHostileNames(t *testing.T) {
	d := small()
	want := write(t, d)
	for _, name := range hostile {
		d.Title, d.Command, d.Facts[0], d.Tables[0].Caption, d.Tables[0].Columns[1] = name, name, name, name, Column{name, name}
		d.Tables[0].Rows[0][0] = Text(name)
		c := &d.Cases[0]
		c.Name, c.Events[1], c.Members[1], c.Topics[0].Name, c.Series[0].Name = name, name, name, name, name
		got := write(t, d)
		for _, tag := range []string{"<script", "</script", "<img", "<style", "<!--", "<svg", "<path", "<td", "<th"} {
			if a, b := strings.Count(got, tag), strings.Count(want, tag); a > b {
				t.Errorf("%q: %d times %s, not %d", name, a, tag, b)
			}
		}
		data := regexp.MustCompile(`(?s)id="data">(.*?)</script>`).FindStringSubmatch(got)
		if data == nil || strings.ContainsAny(data[1], "<>&\u2028") {
			t.Errorf("%q: the data is %q", name, data)
			continue
		}
		for _, bad := range []string{"\u2028", "\u2029", "\u202e", "\x00", "\xff", "\x1b", "' onclick='", `"><img`} {
			if strings.Contains(strings.Replace(got, data[1], "", 1), bad) {
				t.Errorf("%q: %q is in the page", name, bad)
			}
		}
	}
}

// shuffled is a case in which everything moves in every step.
func shuffled(steps, members, partitions, strategies int) Case {
	r := rand.New(rand.NewPCG(1, 2))
	c := Case{Name: strconv.Itoa(steps), Topics: []Topic{{"orders", int32(partitions)}}}
	for i := range steps {
		c.Events = append(c.Events, fmt.Sprintf("leave worker-%d; join worker-%d", i, i+1))
	}
	for i := range members {
		c.Members = append(c.Members, fmt.Sprintf("worker-%d", i))
	}
	for i := range strategies {
		s := Series{Name: fmt.Sprint("strategy-", i)}
		for range steps {
			step := Step{Metrics: strategy.Metrics{Members: members, Partitions: partitions, Skew: r.Float64() * 100, Regret: r.Float64() * 1e4, Voluntary: partitions, Excess: r.IntN(partitions)}}
			for m := range members {
				step.Loads = append(step.Loads, Load{Member: int32(m), Partitions: r.Int32N(100), Load: r.Float64() * 1000})
			}
			for p := range partitions {
				step.Owners = append(step.Owners, Owner{int32(p), r.Int32N(int32(members))})
			}
			s.Steps = append(s.Steps, step)
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// A page stays small, whatever it is made of.
func TestSize(t *testing.T) {
	limit := 5 << 20
	for name, d := range map[string]*Data{
		"a fleet":         {Cases: []Case{shuffled(100, 500, 10_000, 3)}},
		"many steps":      {Cases: []Case{shuffled(5000, 3, 10, 2)}},
		"many members":    {Cases: []Case{shuffled(3, 20_000, 30_000, 1)}},
		"many cases":      {Cases: slices.Repeat([]Case{shuffled(300, 50, 100, 3)}, 45)},
		"many strategies": {Cases: []Case{shuffled(150, 50, 100, 12)}},
	} {
		got := write(t, d)
		t.Logf("%s: %d bytes", name, len(got))
		if len(got) > limit {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
}

// Where there is too much, the page shows less and says so.
func TestTooMuch(t *testing.T) {
	for _, x := range []struct {
		data *Data
		want string
	}{
		{&Data{Cases: []Case{shuffled(5000, 3, 10, 1)}}, "5000 steps are drawn in 240 columns"},
		{&Data{Cases: []Case{shuffled(2, 1200, 1300, 1)}}, "1200 members in 500 rows: each has the largest load in it."},
		{&Data{Cases: []Case{shuffled(2, 12, 1300, 1)}}, "1300 partitions, those with the same owners over time together, in 250 rows of about 5: each has"},
		{&Data{Cases: []Case{shuffled(2, 2, 200, 1)}}, "200 partitions, those with the same owners over time together.<"},
		{&Data{Cases: append([]Case{shuffled(2, 2, 2, maxSeries)}, small().Cases...)}, "There is no room for charts of 1 further case. There is no room for 1 further case at all."},
	} {
		if got := write(t, x.data); !strings.Contains(got, x.want) {
			t.Errorf("it does not say %q", x.want)
		}
	}
	var many Data
	for i := range maxMapped + 1 {
		many.Add(shuffled(i+1, 5, 7, 1))
	}
	if got := write(t, &many); strings.Count(got, "Members and partitions are drawn only where there are fewer") != maxMapped+1 || strings.Contains(got, `data-kind="members"`) ||
		strings.Count(got, `data-kind="skew"`) != maxMapped+1 {
		t.Error("of many cases not just measures are drawn")
	}
	for range maxSeries {
		c := shuffled(1, 5, 7, 1)
		c.Summary = small().Cases[0].Summary
		many.Add(c)
	}
	if got := write(t, &many); !strings.Contains(got, fmt.Sprintf("There is no room for charts of %d further cases.", maxMapped+1)) || many.Cases[maxSeries].Series != nil {
		t.Error("of very many cases too many are kept")
	}
	rows := small()
	for range maxTableRows {
		rows.Tables[0].Rows = append(rows.Tables[0].Rows, []Cell{Text("row")})
	}
	rows.Cases = nil
	if n := strings.Count(write(t, rows), "<tr>"); n != maxTableRows+1 {
		t.Errorf("%d rows", n)
	}
}

// What does not fit together is an error, and not a panic or half a page.
func TestMisfits(t *testing.T) {
	for name, spoil := range map[string]func(c *Case){
		"events":     func(c *Case) { c.Events = c.Events[1:] },
		"no events":  func(c *Case) { c.Events, c.Series[0].Steps = nil, nil },
		"member":     func(c *Case) { c.Series[0].Steps[1].Loads[0].Member = 3 },
		"negative":   func(c *Case) { c.Series[0].Steps[1].Loads[0].Member = -1 },
		"partition":  func(c *Case) { c.Series[0].Steps[1].Owners[0].Partition = 5 },
		"owner":      func(c *Case) { c.Series[0].Steps[1].Owners[0].Member = 3 },
		"owner gone": func(c *Case) { c.Series[0].Steps[1].Owners[0].Member = -3 },
	} {
		d := small()
		spoil(&d.Cases[0])
		var b bytes.Buffer
		if err := Write(&b, d); err == nil || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", name, err, b.Len())
		}
	}
	full := errors.New("full")
	if err := Write(failing{full}, small()); !errors.Is(err, full) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestNumbers(t *testing.T) {
	for x, want := range map[float64][2]string{
		0: {"0", ""}, 1: {"1", ""}, 1234: {"1234", ""}, 12345: {"12 345", ""}, 1234567: {"1 234 567", ""}, -12345: {"-12 345", ""}, 0.5: {"0.5", ""},
		1.0 / 3: {"0.33", "0.3333333333333333"}, 12345.678: {"12 345.68", "12345.678"}, 1e21: {"1 000 000 000 000 000 000 000", "1e+21"},
	} {
		text := measured(x)
		if got := [2]string{strings.ReplaceAll(text, separator, " "), exact(x, text)}; got != want {
			t.Errorf("%v: %q, not %q", x, got, want)
		}
	}
}
