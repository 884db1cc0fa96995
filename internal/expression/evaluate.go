package expression

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"sync/atomic"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"
)

// ErrBudget is found in the error of an evaluation that takes more steps than its evaluator has, or than [MaxSteps].
var ErrBudget = errors.New("the budget of steps is spent")

// DefaultBudget is how many steps an [Evaluator] has if nothing else is said: an evaluation is one, and each element that a loop
// looks at. A step takes about 100 nanoseconds.
const DefaultBudget = 50_000_000

// MaxSteps is how many steps one evaluation may take of its evaluator's budget, about half a second's worth.
const MaxSteps = 5_000_000

// Env is embedded by structs that expressions are evaluated on. [Evaluator.Attach] fills it in.
type Env struct{ evaluator *Evaluator }

func (e Env) running() *Evaluator { return e.evaluator }

// An Evaluator runs programs, one after another: it is for one goroutine. All that it runs shares one budget and one context.
type Evaluator struct {
	vm    vm.VM
	left  int64 // of the budget
	taken int64 // by the evaluation that runs
	ended atomic.Bool
	ctx   context.Context
	stop  func() bool
}

// NewEvaluator makes an evaluator that ends with ctx, or when budget steps are done; 0 means [DefaultBudget]. [Evaluator.Close] it.
func NewEvaluator(ctx context.Context, budget int64) *Evaluator {
	if budget == 0 {
		budget = DefaultBudget
	}
	e := &Evaluator{ctx: ctx, left: budget}
	e.vm.MemoryBudget = 1 << 20
	e.ended.Store(ctx.Err() != nil)
	e.stop = context.AfterFunc(ctx, func() { e.ended.Store(true) })
	return e
}

// Attach makes an environment one that this evaluator runs programs on.
func (e *Evaluator) Attach(env *Env) { env.evaluator = e }

// Close lets go of the context.
func (e *Evaluator) Close() { e.stop() }

// count takes a step.
func (e *Evaluator) count() error {
	e.left--
	if e.taken++; e.left < 0 || e.taken > MaxSteps {
		return ErrBudget
	}
	if e.ended.Load() {
		return e.ctx.Err()
	}
	return nil
}

// step is called for each element of a loop.
func step(arguments ...any) (any, error) {
	host, ok := arguments[0].(interface{ running() *Evaluator })
	if !ok || host.running() == nil {
		return nil, errors.New("the environment is not attached to an evaluator")
	}
	if err := host.running().count(); err != nil {
		return nil, err
	}
	return true, nil
}

// run evaluates a program. env is of the type that it was compiled for, and attached to e.
func (e *Evaluator) run(p *Program, env any) (any, error) {
	if reflect.TypeOf(env) != p.env {
		return nil, fmt.Errorf("expression: compiled for %v, run on %T", p.env, env)
	}
	e.taken = 0
	if err := e.count(); err != nil {
		return nil, p.failed(err)
	}
	result, err := e.vm.Run(p.program, env)
	if err != nil {
		return nil, p.failed(err)
	}
	return result, nil
}

// failed makes an error of what an evaluation ended with.
func (p *Program) failed(err error) error {
	var known *file.Error
	if !errors.As(err, &known) {
		e := fault(p.source, p.at, 1, 0, err.Error(), "")
		e.Err = err
		return e
	}
	problem, _ := explain(known.Message, Options{Env: reflect.Zero(p.env).Interface()})
	line, column := known.Line, known.Column
	for _, cause := range []error{ErrBudget, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, cause) {
			e := fault(p.source, p.at, 1, 0, cause.Error(), "")
			e.Err = cause
			return e
		}
	}
	return fault(p.source, p.at, line, column, problem, "")
}

func (p *Program) wrong(what string) error {
	return fault(p.source, p.at, 1, 0, fmt.Sprintf("this gave %s; %s is wanted", what, p.want), "")
}

// Unfit is the error for a number that this program gave and that its caller has no use for; wanted says what would be of use.
func (p *Program) Unfit(x float64, wanted string) error {
	return fault(p.source, p.at, 1, 0, fmt.Sprintf("this gave %v; %s is wanted", x, wanted), "")
}

// Bool evaluates a program that was compiled for Bool.
func (e *Evaluator) Bool(p *Program, env any) (bool, error) {
	result, err := e.run(p, env)
	if err != nil {
		return false, err
	}
	b, ok := result.(bool)
	if !ok {
		return false, p.wrong(shown(result))
	}
	return b, nil
}

// Number evaluates a program that was compiled for Number. The number is finite.
func (e *Evaluator) Number(p *Program, env any) (float64, error) {
	result, err := e.run(p, env)
	if err != nil {
		return 0, err
	}
	x, ok := number(result)
	if !ok || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, p.wrong(shown(result))
	}
	return x, nil
}

// Key evaluates a program that was compiled for Key: results that are equal have equal keys, and no others.
func (e *Evaluator) Key(p *Program, env any) (string, error) {
	result, err := e.run(p, env)
	if err != nil {
		return "", err
	}
	switch x := result.(type) {
	case string:
		return "text " + x, nil
	case bool:
		return strconv.FormatBool(x), nil
	}
	x, ok := number(result)
	if !ok || math.IsNaN(x) || math.IsInf(x, 0) {
		return "", p.wrong(shown(result))
	}
	return fmt.Sprint(x + 0), nil // + 0 makes -0 the same as 0
}

// number is a number as the compiler may give it.
func number(result any) (float64, bool) {
	switch x := result.(type) {
	case float64:
		return x, true
	case int:
		return float64(x), true
	}
	v := reflect.ValueOf(result)
	switch {
	case !v.IsValid():
		return 0, false
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	case v.CanFloat():
		return v.Float(), true
	}
	return 0, false
}

// shown is a result as errors show it.
func shown(result any) string {
	switch x := result.(type) {
	case nil:
		return "nothing"
	case float64:
		switch {
		case math.IsNaN(x):
			return "no number (such as 0/0)"
		case math.IsInf(x, 0):
			return "an infinite number (such as 1/0)"
		}
		return fmt.Sprint(x)
	}
	return typeName(reflect.TypeOf(result))
}
