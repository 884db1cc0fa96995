package bench

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/internal/fault"
)

// results is a baseline with a total for each seed from 1 on.
func results(k key, totals ...bench.Total) *baseline {
	b := newBaseline()
	b.name = "old.json"
	for i, t := range totals {
		b.add(k, uint64(i)+1, t)
	}
	return b
}

// Every figure is compared by itself: nothing else differs, and the verdict is by which way is better.
func TestEveryFigure(t *testing.T) {
	k := key{"w", "s"}
	for i := range figures {
		f := &figures[i]
		var less, more bench.Total
		set := func(to *bench.Total, x float64) {
			v := reflect.ValueOf(to).Elem()
			for _, field := range reflect.VisibleFields(v.Type()) {
				name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
				if name != f.name {
					continue
				}
				switch at := v.FieldByIndex(field.Index); at.Kind() {
				case reflect.Float64:
					at.SetFloat(x)
				case reflect.Uint64:
					at.SetUint(uint64(x))
				default:
					at.SetInt(int64(x))
				}
			}
		}
		set(&less, 5)
		set(&more, 7)
		if f.of(&less) != 5 || f.of(&more) != 7 {
			t.Errorf("%s: there is no field of that name, or the figure has another", f.name)
			continue
		}
		five := func(x bench.Total) *baseline { return results(k, x, x, x, x, x) }
		c := compare(five(less), five(more))
		if len(c.differences) != 1 {
			t.Errorf("%s: %+v", f.name, c.differences)
			continue
		}
		want := map[[2]bool]verdict{{true, false}: worse, {false, true}: better, {false, false}: other}[[2]bool{f.lower, f.higher}]
		if d := c.differences[0]; d.Figure != f.name || d.Verdict != want || d.Before != 5 || d.Now != 7 || d.Seeds != 5 || d.Changed != 5 || (d.P > 0) != (f.kind == cost) {
			t.Errorf("%s: %+v", f.name, d)
		}
		var assertion *fault.AssertionError
		if err := c.err("old.json"); errors.As(err, &assertion) != (want == worse && f.kind != cost) {
			t.Errorf("%s: %v", f.name, err)
		}
		if c := compare(five(more), five(more)); len(c.differences) > 0 || c.runs != 5 {
			t.Errorf("%s: %+v", f.name, c)
		}
	}
}

func TestVerdicts(t *testing.T) {
	k := key{"w", "s"}
	excess := func(n int) bench.Total { return bench.Total{Excess: n} }
	time := func(n int64) bench.Total { return bench.Total{Cost: bench.Cost{Nanoseconds: n}} }
	tests := []struct {
		name          string
		before, after *baseline
		want          verdict // "" is no difference
	}{
		{"one seed of three", results(k, excess(1), excess(2), excess(3)), results(k, excess(1), excess(2), excess(2)), better},
		{"both ways", results(k, excess(1), excess(2)), results(k, excess(2), excess(1)), mixed},
		{"other seeds are not looked at", results(k, excess(1)), results(k, excess(1), excess(9)), ""},
		{"faster by far", results(k, time(10), time(11), time(12), time(13)), results(k, time(1), time(2), time(3), time(4)), better},
		{"slower by far", results(k, time(1), time(2), time(3), time(4)), results(k, time(10), time(11), time(12), time(13)), worse},
		{"by chance", results(k, time(1), time(2), time(3), time(4)), results(k, time(2), time(3), time(4), time(5)), ""},
		{"measured now only", results(k, time(0), time(0), time(0), time(0)), results(k, time(2), time(3), time(4), time(5)), ""},
	}
	for _, test := range tests {
		got := verdict("")
		for _, d := range compare(test.before, test.after).differences {
			got = d.Verdict
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	c := compare(results(key{"old", "s"}, excess(1)), results(key{"new", "s"}, excess(1)))
	if c.runs != 0 || len(c.missing) != 1 || len(c.added) != 1 || c.missing[0].workload != "old" || c.added[0].workload != "new" {
		t.Errorf("%+v", c)
	}
	if c := compare(results(k), results(k)); c.runs != 0 {
		t.Errorf("%+v", c)
	}
}

func TestMedian(t *testing.T) {
	for _, x := range []struct {
		list []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{9, 1, 2}, 2}} {
		if got := median(x.list); got != x.want {
			t.Errorf("%v: %v", x.list, got)
		}
	}
}

// FuzzBaseline reads any file: an error, or results that can be compared and written.
func FuzzBaseline(f *testing.F) {
	good := `{"workload":"herd","strategy":"sticky","seed":1,"total":{"steps":10,"excess":3,"skew":1.5}}`
	for _, seed := range []string{
		"", good, good + "\n" + good, good + "\n\n" + strings.Replace(good, `"seed":1`, `"seed":2`, 1), "[1]", "null", `{"workload":"a"}`,
		`{"results":[]}`, strings.Replace(good, "1.5", "1e999", 1), strings.Replace(good, `"seed":1`, `"seed":-1`, 1), "\xff", good[:20],
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := readBaseline("old.json", strings.NewReader(string(data)))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "old.json:") {
				t.Errorf("the error does not say where: %v", err)
			}
			return
		}
		if c := compare(b, b); len(c.differences)+len(c.missing)+len(c.added) > 0 || c.runs == 0 {
			t.Errorf("%q differs from itself: %+v", data, c)
		}
		other := newBaseline()
		for _, k := range b.order {
			for _, seed := range b.seeds(b, k) {
				total := b.runs[k][seed]
				total.Excess++
				total.Skew = math.Nextafter(total.Skew, 0)
				other.add(k, seed, total)
			}
		}
		if _, err := json.Marshal(compare(b, other).differences); err != nil {
			t.Error(err)
		}
	})
}
