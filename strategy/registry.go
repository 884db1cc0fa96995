package strategy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A Definition is what a name in a specification stands for: how to make the assignor, and what there is to say about it.
type Definition struct {
	Summary    string      // one line, for listings
	Argument   string      // what stands behind the colon, such as "FILE"; "" if nothing may
	Parameters []Parameter // what stands behind the question mark

	// New makes an assignor. It is called for each [Parse], possibly concurrently; the specification has been checked against
	// Argument and Parameters. The assignor is closed by who called Parse.
	New func(s Spec) (Assignor, error)
}

// A Parameter is one that a specification may set.
type Parameter struct {
	Name    string
	Summary string
	Kind    Kind
	Default string   // what applies if it is not set, for listings
	Values  []string // of KindChoice: the values there are
}

// A Kind is the kind of value that a [Parameter] takes.
type Kind uint8

// The kinds there are.
const (
	KindText   Kind = iota // any text but none
	KindInt                // a whole number, not negative, below 2^31
	KindBool               // true or false; a parameter without a value is true
	KindChoice             // one of Parameter.Values
)

// String names the kind as listings show it.
func (k Kind) String() string {
	switch k {
	case KindInt:
		return "number"
	case KindBool:
		return "bool"
	case KindChoice:
		return "choice"
	}
	return "text"
}

var registered = struct {
	sync.RWMutex
	definitions map[string]Definition
}{definitions: map[string]Definition{}}

// ErrUnknownStrategy is found in the error of [Parse] for a name that nothing is registered under.
var ErrUnknownStrategy = errors.New("unknown strategy")

// Register makes an assignor available under a name, which is made of small letters, digits, and "-", "_" or "." between them. It is meant for init
// functions and the first lines of main, and panics on a name that is malformed or taken, a missing New, a parameter without a name, listed
// twice or called "cooperative", which every assignor has.
func Register(name string, d Definition) {
	registered.Lock()
	defer registered.Unlock()
	if !validName(name) {
		panic(fmt.Sprintf("strategy: Register: %q is no name: small letters, digits, and - _ . between them", name))
	}
	if _, ok := registered.definitions[name]; ok {
		panic(fmt.Sprintf("strategy: Register: %q is registered already", name))
	}
	if d.New == nil {
		panic(fmt.Sprintf("strategy: Register: %q has no New", name))
	}
	seen := map[string]bool{cooperativeParameter.Name: true}
	for _, p := range d.Parameters {
		if p.Name == "" || seen[p.Name] {
			panic(fmt.Sprintf("strategy: Register: %q: parameter %q is nameless, reserved or listed twice", name, p.Name))
		}
		seen[p.Name] = true
	}
	registered.definitions[name] = d
}

// Names returns what is registered, sorted.
func Names() []string {
	registered.RLock()
	defer registered.RUnlock()
	return slices.Sorted(maps.Keys(registered.definitions))
}

// Lookup returns the definition registered under a name, with the parameter "cooperative" that every assignor takes among its
// parameters.
func Lookup(name string) (Definition, bool) {
	registered.RLock()
	defer registered.RUnlock()
	d, ok := registered.definitions[name]
	if ok {
		d.Parameters = append(slices.Clone(d.Parameters), cooperativeParameter)
	}
	return d, ok
}

func validName(name string) bool {
	for i, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || i == len(name)-1 || !strings.ContainsRune("-_.", r)) {
			return false
		}
	}
	return name != ""
}
