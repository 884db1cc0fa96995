package simulation

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/assignkit/assignkit/internal/expression"
)

// maxShown is how many members or answers a failure tells.
const maxShown = 5

// words tells what a program has looked at.
func (v *variables) words(p *expression.Program) string {
	var parts []string
	add := func(name string, value any) {
		if p.LooksAt(name) {
			parts = append(parts, name+" is "+shown(value))
		}
	}
	all := reflect.ValueOf(v).Elem()
	for i := range all.NumField() {
		field := all.Type().Field(i)
		name := field.Tag.Get("expr")
		switch value := all.Field(i); {
		case name == "":
		case name == "members":
			if p.LooksAt(name) {
				parts = append(parts, v.membersInWords())
			}
		case name == "partitions":
			if p.LooksAt(name) {
				parts = append(parts, v.partitionsInWords())
			}
		case value.Kind() == reflect.Struct:
			for k := range value.NumField() {
				add(name+"."+value.Type().Field(k).Tag.Get("expr"), value.Field(k).Interface())
			}
		default:
			add(name, value.Interface())
		}
	}
	asked := slices.Clone(v.asked)
	slices.Sort(asked)
	return oneLine(strings.Join(append(parts, slices.Compact(asked)...), ", "))
}

func shown(value any) string {
	switch x := value.(type) {
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case string:
		return strconv.Quote(clip(x))
	}
	return fmt.Sprint(value)
}

// membersInWords names those with the largest loads.
func (v *variables) membersInWords() string {
	if len(v.Members) == 0 {
		return "members is empty"
	}
	list := slices.Clone(v.Members)
	slices.SortStableFunc(list, func(a, b memberVariable) int {
		switch {
		case a.Load > b.Load:
			return -1
		case a.Load < b.Load:
			return 1
		}
		return b.Partitions - a.Partitions
	})
	var parts []string
	for _, m := range list[:min(len(list), maxShown)] {
		text := clip(m.ID) + " has load " + shown(m.Load)
		if float64(m.Partitions) != m.Load {
			text += fmt.Sprintf(" with %d partitions", m.Partitions)
		}
		parts = append(parts, text)
	}
	if more := len(list) - maxShown; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more have no larger load", more))
	}
	return fmt.Sprintf("members are %d (%s)", len(list), strings.Join(parts, ", "))
}

func (v *variables) partitionsInWords() string {
	return fmt.Sprintf("partitions are %d, %d of them with nobody", len(v.Partitions), v.Unassigned)
}
