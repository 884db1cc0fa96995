package simulate

import (
	"reflect"
	"slices"
	"testing"

	"github.com/assignkit/assignkit/simulation"
)

// Every metric is seen in a column, and every column in the metrics or rounds, which JSON has too.
func TestMeasuresAreMetrics(t *testing.T) {
	elsewhere := []string{"Members", "Partitions", "RegretRatio"} // in front of the columns, or in the summary
	fed := map[string]bool{}
	changed := func(s simulation.Step) (some bool) {
		for i := range measures {
			if measures[i].cell(&s) != measures[i].cell(&simulation.Step{}) {
				fed[measures[i].title], some = true, true
			}
		}
		return some
	}
	changed(simulation.Step{Rounds: 7})
	var s simulation.Step
	v := reflect.ValueOf(&s.Metrics).Elem()
	for i := range v.NumField() {
		s = simulation.Step{}
		switch f := v.Field(i); f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int:
			f.SetInt(7)
		default:
			f.SetFloat(7)
		}
		if name := v.Type().Field(i).Name; changed(s) == slices.Contains(elsewhere, name) {
			t.Errorf("%s is in no column, or is in one and need not be excepted", name)
		}
	}
	for i := range measures {
		if !fed[measures[i].title] {
			t.Errorf("%s shows what JSON lacks", measures[i].title)
		}
	}
}
