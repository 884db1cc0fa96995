package rules

import (
	"fmt"
	"log/slog"
	"math"
	"strconv"

	"github.com/assignkit/assignkit/internal/expression"
)

// number reads a number from a label or a signal. One that is missing or is no number is reported, and another number stands in for it.
var number = expression.Function{
	Name:  "number",
	Usage: "number(labels or signals, name, otherwise)",
	Entry: true,
	Types: []any{
		(func(map[string]string, string, float64) float64)(nil), (func(map[string]string, string, int) float64)(nil),
		(func(map[string]float64, string, float64) float64)(nil), (func(map[string]float64, string, int) float64)(nil),
	},
	Call: func(env any, arguments ...any) (any, error) {
		name, _ := arguments[1].(string)
		otherwise, ok := arguments[2].(float64)
		if n, whole := arguments[2].(int); !ok && whole {
			otherwise = float64(n)
		}
		var r *reports
		if host, ok := env.(interface{ reporting() *reports }); ok {
			r = host.reporting()
		}
		if signals, ok := arguments[0].(map[string]float64); ok {
			return r.signal(signals, name, otherwise), nil
		}
		labels, _ := arguments[0].(map[string]string)
		return r.label(labels, name, otherwise), nil
	},
}

func (r *reports) signal(signals map[string]float64, name string, otherwise float64) float64 {
	x, ok := signals[name]
	if !ok {
		r.once("signal "+name+" missing", "a signal that a rule reads is not known", slog.String("signal", name), slog.Float64("taken", otherwise))
		return otherwise
	}
	return x
}

func (r *reports) label(labels map[string]string, name string, otherwise float64) float64 {
	text, ok := labels[name]
	if !ok {
		r.once("label "+name+" missing", "a member does not have a label that a rule reads as a number", slog.String("label", name), slog.Float64("taken", otherwise))
		return otherwise
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		r.once("label "+name+" bad", "a member has a label that is no number where a rule reads one",
			slog.String("label", name), slog.String("value", fmt.Sprintf("%.64s", text)), slog.Float64("taken", otherwise))
		return otherwise
	}
	return x
}
