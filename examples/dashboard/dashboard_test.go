// Package dashboard has a dashboard for Grafana, and this test of it.
package dashboard

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assignkit/assignkit/consumer/metrics"
	plugins "github.com/assignkit/assignkit/plugin/metrics"
)

// A dashboard is what the test looks at of one.
type dashboard struct {
	SchemaVersion int     `json:"schemaVersion"`
	Panels        []panel `json:"panels"`
	Templating    struct {
		List []variable `json:"list"`
	} `json:"templating"`
}

type panel struct {
	ID         int        `json:"id"`
	Type       string     `json:"type"`
	Title      string     `json:"title"`
	Datasource datasource `json:"datasource"`
	GridPos    struct{ X, Y, W, H int }
	Targets    []struct {
		Datasource   datasource `json:"datasource"`
		Expr         string     `json:"expr"`
		LegendFormat string     `json:"legendFormat"`
		RefID        string     `json:"refId"`
	} `json:"targets"`
}

type datasource struct {
	UID string `json:"uid"`
}

type variable struct {
	Name  string          `json:"name"`
	Type  string          `json:"type"`
	Query json.RawMessage `json:"query"` // a text, or an object that has one
}

// query is the text of a variable's query.
func (v *variable) query() string {
	var o struct {
		Query string `json:"query"`
	}
	if json.Unmarshal(v.Query, &o) == nil {
		return o.Query
	}
	return string(v.Query)
}

func read(t *testing.T) *dashboard {
	t.Helper()
	text, err := os.ReadFile("assignkit.json")
	if err != nil {
		t.Fatal(err)
	}
	d := &dashboard{}
	if err := json.Unmarshal(text, d); err != nil {
		t.Fatal(err)
	}
	return d
}

// described returns the labels of all metrics by the names of their series, and the metric of each series.
func described(t *testing.T) (labels map[string][]string, metric map[string]string) {
	t.Helper()
	m := metrics.New(metrics.Config{Group: "g"})
	descs := make(chan *prometheus.Desc, 100)
	m.Describe(descs)
	close(descs)
	labels, metric = map[string][]string{}, map[string]string{}
	desc := regexp.MustCompile(`^Desc\{fqName: "([a-z_]+)", .*, constLabels: \{client="",group="g"\}, variableLabels: \{([a-z,]*)\}\}$`)
	for d := range descs {
		parts := desc.FindStringSubmatch(d.String())
		if parts == nil {
			t.Fatalf("what is %s?", d)
		}
		labels[parts[1]] = append(strings.Split(parts[2], ","), "group", "client", "instance", "job")
		metric[parts[1]] = parts[1]
	}
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(m)
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetType().String() != "HISTOGRAM" {
			continue
		}
		name := f.GetName()
		labels[name+"_sum"], labels[name+"_count"], labels[name+"_bucket"] = labels[name], labels[name], append(slices.Clone(labels[name]), "le")
		metric[name+"_sum"], metric[name+"_count"], metric[name+"_bucket"] = name, name, name
		delete(labels, name) // which by itself is no series
	}
	describePlugins(t, labels, metric)
	return labels, metric
}

// describePlugins adds those of plugins.
func describePlugins(t *testing.T, labels map[string][]string, metric map[string]string) {
	t.Helper()
	descs := make(chan *prometheus.Desc, 100)
	plugins.New(nil).Describe(descs)
	close(descs)
	desc := regexp.MustCompile(`^Desc\{fqName: "([a-z_]+)", .*, constLabels: \{\}, variableLabels: \{([a-z,]*)\}\}$`)
	for d := range descs {
		parts := desc.FindStringSubmatch(d.String())
		if parts == nil {
			t.Fatalf("what is %s?", d)
		}
		names := []string{parts[1]}
		if strings.HasSuffix(parts[1], "_duration_seconds") { // a summary
			names = []string{parts[1] + "_sum", parts[1] + "_count"}
		}
		for _, name := range names {
			labels[name], metric[name] = append(strings.Split(parts[2], ","), "instance", "job"), parts[1]
		}
	}
}

// expression is what is checked of a query: its series with the labels that they are chosen by, and the labels that are named beside.
var (
	seriesIn = regexp.MustCompile(`(assignkit_(?:consumer|plugin)_[a-z_]+)(?:\{([^}]*)\})?`)
	matcher  = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)\s*"`)
	grouping = regexp.MustCompile(`\b(?:by|without|on|ignoring) \(([^)]*)\)`)
	valuesOf = regexp.MustCompile(`^label_values\(.*, ([a-z_]+)\)$`)
	legend   = regexp.MustCompile(`\{\{([a-z_]+)\}\}`)
	used     = regexp.MustCompile(`\$\{?([A-Za-z_]+)`)
)

// first returns what the first group of an expression matches in a text, for each match.
func first(re *regexp.Regexp, text string) (found []string) {
	for _, match := range re.FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	return found
}

// TestQueries checks all metrics and labels that are in queries and legends.
func TestQueries(t *testing.T) {
	d := read(t)
	labels, metric := described(t)
	shown := map[string]bool{}
	check := func(where, expr string) (known []string) {
		for _, s := range seriesIn.FindAllStringSubmatch(expr, -1) {
			of, ok := labels[s[1]]
			if !ok {
				t.Errorf("%s: there is no series %s", where, s[1])
			}
			shown[metric[s[1]]] = true
			known = append(known, of...)
			for _, l := range first(matcher, s[2]) {
				if !slices.Contains(of, l) {
					t.Errorf("%s: %s has no label %s", where, s[1], l)
				}
			}
		}
		for _, list := range first(grouping, expr) {
			for l := range strings.SplitSeq(list, ", ") {
				if !slices.Contains(known, l) {
					t.Errorf("%s: no series in %s has a label %s", where, expr, l)
				}
			}
		}
		if len(known) == 0 {
			t.Errorf("%s: there is no series in %q", where, expr)
		}
		return known
	}
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			check(p.Title, target.Expr)
			kept := strings.Join(first(grouping, target.Expr), ", ")
			for _, l := range first(legend, target.LegendFormat) {
				if !slices.Contains(strings.Split(kept, ", "), l) {
					t.Errorf("%s: the legend has %s, and of %s only %s is left", p.Title, l, target.Expr, kept)
				}
			}
		}
	}
	for _, m := range slices.Sorted(maps.Values(metric)) {
		if !shown[m] {
			t.Errorf("%s is not on the dashboard", m)
			shown[m] = true
		}
	}
	for _, v := range d.Templating.List {
		if v.Type == "datasource" {
			continue
		}
		known := check("variable "+v.Name, v.query())
		for _, l := range first(valuesOf, v.query()) {
			if !slices.Contains(known, l) {
				t.Errorf("variable %s: there is no label %s in %s", v.Name, l, v.query())
			}
		}
	}
}

// TestVariables has everything that is named with a dollar be there.
func TestVariables(t *testing.T) {
	d := read(t)
	known := []string{"__rate_interval"}
	for _, v := range d.Templating.List {
		known = append(known, v.Name)
	}
	var texts []string
	for _, v := range d.Templating.List {
		texts = append(texts, v.query())
	}
	for _, p := range d.Panels {
		if p.Type != "row" {
			texts = append(texts, p.Datasource.UID)
		}
		for _, target := range p.Targets {
			texts = append(texts, target.Expr)
			if target.Datasource.UID != "${datasource}" {
				t.Errorf("%s asks %q", p.Title, target.Datasource.UID)
			}
		}
	}
	for _, text := range texts {
		for _, name := range first(used, text) {
			if !slices.Contains(known, name) {
				t.Errorf("there is no variable %s, which is in %s", name, text)
			}
		}
	}
}

// TestLayout has panels that cover each other, or that Grafana could not tell apart.
func TestLayout(t *testing.T) {
	d := read(t)
	if d.SchemaVersion < 39 { // that of Grafana 11
		t.Errorf("schema version %d", d.SchemaVersion)
	}
	ids := map[int]bool{}
	taken := map[[2]int]string{}
	var rows []string
	for _, p := range d.Panels {
		if ids[p.ID] {
			t.Errorf("%s has the id of another panel", p.Title)
		}
		ids[p.ID] = true
		if p.Type == "row" {
			rows = append(rows, p.Title)
		} else if len(p.Targets) == 0 {
			t.Errorf("%s shows nothing", p.Title)
		}
		g := p.GridPos
		if g.W < 1 || g.H < 1 || g.X < 0 || g.X+g.W > 24 {
			t.Errorf("%s is at %+v", p.Title, g)
			continue
		}
		for x := g.X; x < g.X+g.W; x++ {
			for y := g.Y; y < g.Y+g.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" {
					t.Fatalf("%s covers %s", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
		refs := map[string]bool{}
		for _, target := range p.Targets {
			if refs[target.RefID] {
				t.Errorf("%s has two queries %s", p.Title, target.RefID)
			}
			refs[target.RefID] = true
		}
	}
	if want := []string{"Rebalances", "Partitions and lag", "Commits", "Handlers and callbacks", "Plugins"}; !slices.Equal(rows, want) {
		t.Errorf("rows %q, want %q", rows, want)
	}
}
