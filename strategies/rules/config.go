package rules

import (
	"errors"
	"fmt"
	"log/slog"
	"math"

	"github.com/assignkit/assignkit/internal/balance/weighted"
	"github.com/assignkit/assignkit/internal/expression"
)

// Config is the rules. The zero value but for a Name decides as the sticky assignor does, without its Host.
//
// Expressions are those of docs/rules.md, "" for none. They are compiled by [New], which says what is wrong with them.
type Config struct {
	Name string // what the rules are called: small letters, digits, and - _ . between them
	Wire string // the protocol name on the wire, the same for all members that are to understand each other; "": Name

	Eligible string // true or false: may this member have this partition? "": yes, if it subscribes to the topic
	Weight   string // a number from 0: how heavy is this partition? "": each is 1
	Capacity string // a number from 0: how much can this member carry, relative to others? 0: nothing. "": as configured, [strategy.Member.Share]
	Prefer   string // a number within ±MaxPreference: how much is this member to be preferred for this partition? "": no preference
	Together string // a number or text: partitions of equal ones go to one member, in a cooperative group at one moment. "": each alone
	Limit    string // a number from 0: how many partitions may this member have at most? Fractions are cut off. "": any number

	// With neither tolerance nor hysteresis, balance is as good as it can be made, whatever moves. A cooperative group may then need several
	// rounds to settle, as it may with a bound of moves: each round moves as much again.

	// Tolerance is the share of its target by which a member may be off and gives nothing up: 0.02 is two percent. 0: 0.02; negative: none.
	Tolerance float64
	// Hysteresis is by which share weights differ from one rebalance to the next without meaning anything. 0: 0.2; negative: none.
	Hysteresis float64
	// MaxMoves bounds the partitions that move in one rebalance though their owners could keep them. 0: no bound; negative: none may.
	MaxMoves int

	// Budget bounds the evaluation of expressions, in steps of about 100 nanoseconds. 0: 500 million.
	Budget int64
	// Logger is told, once for each kind, of labels that are missing or are no numbers, and of rules that contradict each other, at level
	// Warn. Nil: slog.Default().
	Logger *slog.Logger
}

// MaxPreference is the largest number that Prefer may give, and its negative the smallest. It counts in thousandths.
const MaxPreference = 1000

// Bounds of numbers in a Config.
const (
	maxOption     = 10 // of Tolerance and Hysteresis
	defaultBudget = 500_000_000
	maxName       = 200
)

// places is where a file has each field, to be told in errors. Config in code has none.
type places map[string]expression.Position

// New compiles rules. Its error lists all that is wrong with them.
func New(c Config) (*Assignor, error) { return compile(c, nil) }

// compile is New for a config that may have been read from a file.
func compile(c Config, at places) (*Assignor, error) {
	a := &Assignor{config: c, reports: &reports{logger: c.Logger, rules: c.Name, told: map[string]bool{}}}
	if c.Wire == "" {
		a.config.Wire = c.Name
	}
	errs := c.check(at)
	for _, rule := range []struct {
		name, source string
		env          any
		want         expression.Kind
		program      **expression.Program
	}{
		{"eligible", c.Eligible, &onPair{}, expression.Bool, &a.eligible},
		{"weight", c.Weight, &onPartition{}, expression.Number, &a.weight},
		{"capacity", c.Capacity, &onMember{}, expression.Number, &a.capacity},
		{"prefer", c.Prefer, &onPair{}, expression.Number, &a.prefer},
		{"together", c.Together, &onPartition{}, expression.Key, &a.together},
		{"limit", c.Limit, &onMember{}, expression.Number, &a.limit},
	} {
		if rule.source == "" {
			continue
		}
		p, err := expression.Compile(rule.source, expression.Options{
			Env: rule.env, Want: rule.want, At: at.of(rule.name), Functions: []expression.Function{number},
			Elsewhere: []string{"member", "partition", "group"}, FromText: `number(member.labels, "name", 1)`,
		})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		*rule.program = p
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return a, nil
}

// of is where a field stands, with its name.
func (p places) of(field string) expression.Position {
	at := p[field]
	at.What = field
	return at
}

// check lists what is wrong with everything but expressions.
func (c *Config) check(at places) (errs []error) {
	fail := func(field, format string, args ...any) {
		errs = append(errs, &expression.Error{Position: at.of(field), Problem: fmt.Sprintf(format, args...)})
	}
	if !validName(c.Name) {
		fail("name", "%.40q is no name: small letters, digits, and - _ . between them, at most %d", c.Name, maxName)
	}
	if c.Wire != "" && !validName(c.Wire) {
		fail("wire", "%.40q is no name: small letters, digits, and - _ . between them, at most %d", c.Wire, maxName)
	}
	if c.MaxMoves > math.MaxInt32 {
		fail("max_moves", "%d is more than %d", c.MaxMoves, math.MaxInt32)
	}
	if math.IsNaN(c.Tolerance) || c.Tolerance > maxOption {
		fail("tolerance", "%v is not a share of at most %d", c.Tolerance, maxOption)
	}
	if math.IsNaN(c.Hysteresis) || c.Hysteresis > maxOption {
		fail("hysteresis", "%v is not a share of at most %d", c.Hysteresis, maxOption)
	}
	return errs
}

func validName(name string) bool {
	for i, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || i == len(name)-1 || r != '-' && r != '_' && r != '.') {
			return false
		}
	}
	return name != "" && len(name) <= maxName
}

// options are the solver's.
func (c *Config) options() weighted.Options {
	o := weighted.Options{Tolerance: thousandths(c.Tolerance), Noise: thousandths(c.Hysteresis), MaxMoves: int32(max(c.MaxMoves, -1))}
	if c.Hysteresis < 0 {
		o.Gain = -1
	}
	return o
}

// thousandths keeps what is not 0 from becoming 0, which stands for the default.
func thousandths(share float64) int32 {
	switch {
	case share < 0:
		return -1
	case share == 0:
		return 0
	}
	return max(1, int32(math.Round(share*1000)))
}
