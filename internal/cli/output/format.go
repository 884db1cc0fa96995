// Package output has what the commands' output has in common: the formats, tables that fit a terminal, names that are too long for
// one, lists of partitions, YAML. It knows nothing about what is shown, except that partitions have topics and numbers.
package output

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A Format is what -o names.
type Format string

// The formats. Not every command has all.
const (
	Table Format = "table" // for reading, within the width of the terminal
	Wide  Format = "wide"  // for reading, all columns, nothing shortened
	JSON  Format = "json"
	YAML  Format = "yaml"
)

// AddFlag gives cmd the flag -o, which takes one of the formats given; the first is the default.
func AddFlag(cmd *cobra.Command, target *Format, formats ...Format) {
	*target = formats[0]
	flag := &formatValue{target: target, formats: formats}
	cmd.Flags().VarP(flag, "output", "o", "`FORMAT`: "+flag.list())
	_ = cmd.RegisterFlagCompletionFunc("output", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		names := make([]string, len(formats))
		for i, f := range formats {
			names[i] = string(f)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
}

// formatValue is the flag's value.
type formatValue struct {
	target  *Format
	formats []Format
}

func (v *formatValue) String() string {
	if v.target == nil {
		return ""
	}
	return string(*v.target)
}

func (v *formatValue) Type() string { return "format" }

func (v *formatValue) Set(s string) error {
	if !slices.Contains(v.formats, Format(s)) {
		return fmt.Errorf("there are %s", v.list())
	}
	*v.target = Format(s)
	return nil
}

func (v *formatValue) list() string {
	names := make([]string, len(v.formats))
	for i, f := range v.formats {
		names[i] = string(f)
	}
	return strings.Join(names, ", ")
}
