package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// report prints what became of mutants, and counts.
type report struct {
	path                        string
	verbose                     bool
	accepted                    []*acceptance
	all, found, timeouts, known int
}

// An acceptance is a survivor, or all of those whose descriptions begin alike, and why it is one.
type acceptance struct {
	mutant, reason string
	some           bool // there is one
}

// matches says whether a mutant is meant.
func (a *acceptance) matches(mutant string) bool {
	beginning, many := strings.CutSuffix(a.mutant, "*")
	return mutant == a.mutant || many && strings.HasPrefix(mutant, beginning)
}

func (r *report) add(o outcome) {
	r.all++
	at := fmt.Sprintf("%s/%s:%d: %s: %s", r.path, o.file, o.line, o.where, o.change)
	if o.by != "" {
		r.found++
		how := "found by"
		if o.timeout {
			r.timeouts++
			how = "does not end in"
		}
		if r.verbose {
			fmt.Printf("%s: %s %s\n", at, how, o.by)
		}
		return
	}
	if i := slices.IndexFunc(r.accepted, func(a *acceptance) bool { return a.matches(o.String()) }); i >= 0 {
		r.accepted[i].some = true
		r.known++
		if r.verbose {
			fmt.Printf("%s: survives, as accepted: %s\n", at, r.accepted[i].reason)
		}
		return
	}
	fmt.Printf("%s: survives %d tests\n", at, o.reached)
}

// end prints the sum, and entries that are not needed any more if all mutants were tried. It returns the percentage found.
func (r *report) end(whole bool) float64 {
	if whole {
		for _, a := range r.accepted {
			if !a.some {
				fmt.Printf("accepted.txt: %s/%s: does not survive, or is not there any more\n", r.path, a.mutant)
			}
		}
	}
	share := 100 * float64(r.found) / float64(max(1, r.all))
	fmt.Printf("%s: %d mutants, %d found (%.1f %%), %d of them as they did not end; %d survive, %d of them accepted\n",
		r.path, r.all, r.found, share, r.timeouts, r.all-r.found, r.known)
	return share
}

// readAccepted reads survivors that are accepted: blocks of lines that begin with a reason behind "# ", followed by what it is the reason
// for, as a package's directory and a mutant's description, or its beginning and "*".
func readAccepted(file, path string) ([]*acceptance, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var accepted []*acceptance
	reason := ""
	for i, line := range strings.Split(string(data), "\n") {
		if text, ok := strings.CutPrefix(line, "# "); ok {
			reason = text
			continue
		}
		if line == "" {
			reason = ""
			continue
		}
		if reason == "" {
			return nil, fmt.Errorf("%s:%d: no reason is given above this line", file, i+1)
		}
		if m, ok := strings.CutPrefix(line, path+"/"); ok && !strings.Contains(strings.Fields(m)[0], "/") {
			accepted = append(accepted, &acceptance{mutant: m, reason: reason})
		}
	}
	return accepted, nil
}
