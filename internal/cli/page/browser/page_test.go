package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const deploy = `
group: billing
topics: {orders: 12, payments: 6, invoices: 4}
members: [billing-1, billing-2, {id: billing-3, capacity: 2}, billing-4]
strategy: [range, sticky]
events:
  - join: billing-5
  - leave: billing-2
  - deploy: billing-*
  - set: {member: billing-5~2, capacity: 0}
  - grow: {orders: 18}
`

// weighted has no optimum, and measures with fractions.
const weighted = `
topics: {orders: {partitions: 4, weights: [3.5, 1.25, 7.125, 0.333333]}}
members: 2
strategy: [range, sticky]
events: [{join: 1}, {leave: member-1}]
`

// number reads a cell as it is shown, or the exact number behind it.
const number = `(td => { const d = td.querySelector('data'); return d ? d.value : td.textContent.replaceAll('\u202f', ''); })`

// Every number in the tables of steps and of strategies is the one in JSON.
func TestNumbers(t *testing.T) {
	for name, scenario := range map[string]string{"deploy": deploy, "weighted": weighted} {
		t.Run(name, func(t *testing.T) {
			file, printed := simulate(t, scenario, "-o", "json")
			var want struct {
				Results []struct {
					Strategy string
					Steps    []struct {
						Event   string
						Rounds  int
						Metrics map[string]any
					}
					Total map[string]any
				}
			}
			if err := json.Unmarshal([]byte(printed), &want); err != nil {
				t.Fatal(err)
			}
			b := open(t, file)
			got := eval[[][][]string](b, `[...document.querySelectorAll('.steps tbody')].map(t => [...t.rows].map(r => [...r.cells].map(`+number+`)))`)
			summary := eval[[][]string](b, `[...document.querySelector('table').tBodies[0].rows].map(r => [...r.cells].map(`+number+`))`)
			if len(got) != len(want.Results) || len(summary) != len(want.Results) {
				t.Fatalf("%d tables of steps, %d rows of strategies", len(got), len(summary))
			}
			for i, r := range want.Results {
				if len(got[i]) != len(r.Steps) {
					t.Fatalf("%d rows for %d steps", len(got[i]), len(r.Steps))
				}
				for k, s := range r.Steps {
					row, m := got[i][k], s.Metrics
					known := func(v any) any {
						if m["bound"] == true {
							return "–"
						}
						return v
					}
					regret := m["regret"]
					check := []any{k, s.Event, m["members"], m["partitions"], m["max"], m["min"], m["skew"], nil, regret, m["voluntary"].(float64) + m["forced"].(float64),
						m["voluntary"], known(m["voluntary_minimum"]), known(m["excess"]), m["forced"], m["placed"], s.Rounds, m["unassigned"]}
					for c, v := range check {
						if v != nil && strings.TrimPrefix(row[c], "≤") != text(v) {
							t.Errorf("%s, step %d, column %d: %q, not %v", r.Strategy, k, c, row[c], v)
						}
					}
				}
				row := summary[i]
				for c, v := range map[int]any{0: r.Strategy, 2: r.Total["voluntary"], 5: r.Total["forced"], 6: r.Total["placed"], 7: r.Total["rounds"]} {
					if row[c] != text(v) {
						t.Errorf("%s, column %d of the summary: %q, not %v", r.Strategy, c, row[c], v)
					}
				}
			}
			b.quiet()
		})
	}
}

// Of bench the tables have what its lines of JSON have, and every workload has its charts.
func TestBenchNumbers(t *testing.T) {
	file, printed := page(t, "bench", "-w", "rolling", "-s", "sticky,range", "--seeds", "1", "-o", "json")
	b := open(t, file)
	got := eval[[][]string](b, `[...document.querySelectorAll('.case > .scroll tbody')].flatMap(t => [...t.rows].map(r => [...r.cells].map(`+number+`)))`)
	lines := strings.Split(strings.TrimSpace(printed), "\n")
	if len(got) != len(lines) || len(got) == 0 {
		t.Fatalf("%d rows for %d results", len(got), len(lines))
	}
	for i, line := range lines {
		var want struct {
			Strategy string
			Total    map[string]any
		}
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		for c, v := range []any{want.Strategy, want.Total["voluntary"], want.Total["excess"], want.Total["skew"]} {
			if got[i][c] != text(v) {
				t.Errorf("row %d, column %d: %q, not %v", i, c, got[i][c], v)
			}
		}
	}
	if cards, marks := eval[int](b, `document.querySelectorAll('.card').length`), eval[int](b, `document.querySelectorAll('.mark').length`); cards != len(lines) || marks != 4*cards {
		t.Errorf("%d cards, %d charts with a chosen step", cards, marks)
	}
	b.picture("bench")
	b.quiet()
}

// text is a value of JSON as JavaScript writes numbers and texts.
func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// What is drawn is there, in each of its looks, with and without the script.
func TestLooks(t *testing.T) {
	file, _ := simulate(t, deploy)
	drawn := `[...document.querySelectorAll('.plot svg')].filter(s => s.getBoundingClientRect().height > 40 && s.querySelector('path')).length`
	colour := `getComputedStyle(document.documentElement).backgroundColor`
	light := open(t, file)
	background := eval[string](light, colour)
	if n := eval[int](light, drawn); n != 8 {
		t.Errorf("%d of 8 charts are drawn", n)
	}
	light.picture("light")
	light.run(chromedp.EmulateViewport(390, 844))
	if wide := eval[int](light, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("on a telephone the page is %d wide", wide)
	}
	light.picture("narrow")
	night := open(t, file, dark(""))
	if c := eval[string](night, colour); c == background {
		t.Errorf("the dark page has the same background, %s", c)
	}
	night.picture("dark")
	night.run(dark("print"))
	if c := eval[string](night, colour); c != background {
		t.Errorf("on paper the background is %s, not %s", c, background)
	}
	night.picture("print")
	still := open(t, file, scripts(true))
	still.run(scripts(false)) // so that it can be asked
	if n := eval[int](still, drawn); n != 8 {
		t.Errorf("without the script %d of 8 charts are drawn", n)
	}
	if eval[bool](still, `document.querySelector('.chooser').checkVisibility()`) {
		t.Error("without the script there is something to choose a step with")
	}
	for _, b := range []*tab{light, night, still} {
		b.quiet()
	}
}

// Steps are chosen with arrow keys, on the control and on charts, and with the mouse, and what is there is told.
func TestKeyboard(t *testing.T) {
	file, _ := simulate(t, deploy)
	b := open(t, file)
	steps := eval[int](b, `document.querySelector('.steps tbody').rows.length`)
	expect := func(step int) {
		t.Helper()
		if got, want := eval[string](b, `document.querySelector('output').textContent`), fmt.Sprintf("Step %d of %d: ", step, steps-1); !strings.HasPrefix(got, want) {
			t.Errorf("%q, not %q", got, want)
		}
		row := eval[string](b, `[...document.querySelectorAll('.steps')].map(d => d.querySelector('.chosen').rowIndex - 1).join()`)
		if want := fmt.Sprintf("%d,%d", step, step); row != want {
			t.Errorf("rows %s are chosen, not %s", row, want)
		}
		shown := eval[bool](b, `[...document.querySelectorAll('[data-column]')].every(dd => dd.textContent === dd.closest('.card').querySelector('.chosen').cells[dd.dataset.column].textContent)`)
		if !shown {
			t.Errorf("step %d: beside the names are other numbers than in the tables", step)
		}
	}
	expect(steps - 1)
	b.run(chromedp.Focus(`input[type=range]`), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft))
	expect(steps - 3)
	if said := eval[string](b, `document.querySelector('[aria-live]').textContent`); !strings.Contains(said, "range: moves ") || !strings.Contains(said, "sticky: moves ") {
		t.Errorf("said %q", said)
	}
	b.run(chromedp.Focus(`[data-kind=partitions]`), chromedp.KeyEvent(kb.Home))
	expect(0)
	b.run(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowDown))
	expect(1)
	if tip, said := eval[string](b, `document.getElementById('tip').textContent`), eval[string](b, `document.querySelector('[aria-live]').textContent`); !strings.HasPrefix(tip, "invoices:1: billing-") ||
		tip != said {
		t.Errorf("shown %q, said %q", tip, said)
	}
	b.run(chromedp.KeyEvent(kb.Escape))
	if !eval[bool](b, `document.getElementById('tip').hidden`) {
		t.Error("Escape does not take away what is told")
	}
	b.run(chromedp.Click(`.chooser .on`))
	expect(2)
	b.run(chromedp.Click(`.holders summary`), chromedp.WaitVisible(`.holders tbody tr`))
	if eval[int](b, `document.querySelector('.holders tbody').rows.length`) != 4 {
		t.Error("the table of members has not 4 in step 2")
	}
	b.picture("opened")
	b.quiet()
}

// Names from outside are text. Nothing in them is run or fetched, and what would be is forbidden.
func TestHostileNames(t *testing.T) {
	var hits atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	defer server.Close()
	members := []string{
		`</script><script>window.hacked=1</script>`, `"><img src=` + server.URL + ` onerror=hacked=1>`, "a\u2028b\u2029'`${hacked=1}", `<!--<script>`, `]]>{{.}}\`, "\u202egnp.exe",
	}
	doc, err := json.Marshal(map[string]any{"group": "g", "topics": map[string]int{"t.</style><svg onload=hacked=1>": 4, "t": 2}, "members": members})
	if err != nil {
		t.Fatal(err)
	}
	file, _ := simulate(t, string(doc), "--join", `<b onclick=1>`, "-s", "sticky,range")
	b := open(t, file)
	if eval[bool](b, `'hacked' in window`) {
		t.Error("a name was run")
	}
	if n := eval[int](b, `document.querySelectorAll('script').length + 10*document.querySelectorAll('img, b:not(.legend b), style ~ style').length`); n != 2 {
		t.Errorf("names have become elements: %d", n)
	}
	b.run(chromedp.Click(`.holders summary`), chromedp.WaitVisible(`.holders tbody tr`))
	shown := eval[[]string](b, `[...document.querySelector('.holders tbody').rows].map(r => r.cells[0].textContent)`)
	for _, want := range []string{members[0], members[1], `a\u2028b\u2029'` + "`${hacked=1}", members[3], members[4], `\u202egnp.exe`, `<b onclick=1>`} {
		if !slices.Contains(shown, want) {
			t.Errorf("%q is not among %q", want, shown)
		}
	}
	b.quiet()
	eval[bool](b, fmt.Sprintf(`(async () => {
		const image = Object.assign(new Image(), {src: %q});
		const script = Object.assign(document.createElement('script'), {textContent: 'hacked = 1'});
		const refused = new Promise(done => { image.onerror = done });
		document.body.append(image, script);
		await fetch(image.src).catch(() => 0);
		await refused;
		return true;
	})()`, server.URL))
	if eval[bool](b, `'hacked' in window`) || hits.Load() > 0 {
		t.Errorf("the policy lets scripts run or the network be asked: %d requests", hits.Load())
	}
}

// axe finds nothing serious or critical, whatever is open and however it looks.
func TestAccessible(t *testing.T) {
	source, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("%v: npm ci --ignore-scripts puts it there", err)
	}
	churn, _ := page(t, "bench", "-w", "rolling,herd,mixed", "--seeds", "2")
	t.Run("bench", func(t *testing.T) { examine(t, open(t, churn), string(source)) })
	large := `{topics: {orders: 300}, members: 60, strategy: [sticky], events: [{join: 3}, {leave: member-2}]}`
	for name, scenario := range map[string]string{"deploy": deploy, "weighted": weighted, "large": large} {
		for look, action := range map[string]step{"light": chromedp.Steps(), "dark": dark(""), "narrow": chromedp.EmulateViewport(390, 844)} {
			t.Run(name+" "+look, func(t *testing.T) {
				file, _ := simulate(t, scenario)
				examine(t, open(t, file, action), string(source))
			})
		}
	}
}

// examine opens all there is to open, and has axe look at it.
func examine(t *testing.T, b *tab, axe string) {
	eval[int](b, `document.querySelectorAll('details').forEach(d => { d.open = true })
					|| document.querySelector('.plot').focus() || 0`)
	eval[int](b, axe+"; 0")
	found := eval[[]string](b, `axe.run().then(r => r.violations.filter(v => ['serious', 'critical'].includes(v.impact))
					.flatMap(v => v.nodes.map(n => v.id + ' (' + v.impact + '): ' + n.html.slice(0, 200) + ' ' + n.failureSummary)))`)
	for _, f := range found {
		t.Error(f)
	}
}
