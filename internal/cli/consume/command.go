// Package consume has the command that joins a group, with any strategy, and shows what happens there.
package consume

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/cli/strategies"
	"github.com/assignkit/assignkit/internal/connect"
	"github.com/assignkit/assignkit/internal/fault"
)

// options is what the command line says.
type options struct {
	io      *iostreams.Streams
	connect connect.Options
	format  output.Format

	group      string
	topics     []string
	strategies []string
	from       string
	count      int64
	static     string
	rack       string
	labels     []string
	commit     string
	session    time.Duration
	heartbeat  time.Duration
	trace      string
	explain    questions
	onAssign   string
	onRevoke   string
	onLost     string
	noRecords  bool
}

// How offsets are committed.
const (
	commitAuto  = "auto"
	commitSync  = "sync"
	commitAsync = "async"
	commitNone  = "none"
)

// NewCommand returns the command.
func NewCommand(io *iostreams.Streams) *cobra.Command {
	o := &options{io: io}
	cmd := &cobra.Command{
		Use:   "consume",
		Short: "Join a group, and show what comes and goes",
		Long: `Join a consumer group as one of its members, with any strategy, and print the
partitions that are assigned, revoked and lost, and the records. An interrupt
leaves the group in good order, and so does reaching --count: both exit with 0.

Commands given with --on-assign, --on-revoke and --on-lost are run by the shell
with the partitions as JSON on their standard input, and waited for:
--on-revoke 'sleep 3' is a member that is slow to give partitions up. What they
print goes to standard error. They do not see the variable with the password.

--explain tells after each rebalance why a partition is where it is, if this
member leads the group and so has decided; else, who has. 'moved' stands for
all partitions that are not with whom they were before.

With a plugin among the strategies the signal HUP has lock files read again, and
plugins upgraded that are locked anew. A plugin that fails to start stays as it
was.`,
		Example: `  assignctl consume --brokers embedded --group mine --topics orders --count 3
  assignctl consume --brokers localhost:9092 --group billing --topics orders \
    --strategy sticky?cooperative --on-revoke 'jq .partitions' -o json
  assignctl consume --brokers embedded --group mine --topics orders --count 1 \
    --explain moved --explain orders:3`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&o.group, "group", "g", "", "the `NAME` of the group to join")
	f.StringSliceVarP(&o.topics, "topics", "t", nil, "read these `TOPICS`, separated by commas; one that does not exist yet is waited for")
	f.StringSliceVarP(&o.strategies, "strategy", "s", []string{"sticky?cooperative"}, "assign with `SPEC`, or the first of several that all members have")
	f.StringVar(&o.from, "from", "earliest", "where to `START` without a committed offset: earliest, latest, an offset, a time as in 2026-01-31T12:00:00Z, or how long ago, as in 10m")
	f.Int64VarP(&o.count, "count", "n", 0, "leave after `N` records; 0: never")
	f.BoolVar(&o.noRecords, "no-records", false, "do not print records")
	f.StringVar(&o.commit, "commit", commitAuto, "commit offsets `HOW`: auto, sync (after each record), async (likewise, not waiting), none")
	f.StringVar(&o.onAssign, "on-assign", "", "run `CMD` when partitions are assigned, before their first record")
	f.StringVar(&o.onRevoke, "on-revoke", "", "run `CMD` when partitions are revoked, before anybody else gets them")
	f.StringVar(&o.onLost, "on-lost", "", "run `CMD` when partitions are lost")
	f.StringVar(&o.static, "static", "", "be a static member with the instance `ID`")
	f.StringVar(&o.rack, "rack", "", "be in the `RACK`")
	f.StringSliceVar(&o.labels, "label", nil, "have a label, `KEY=VALUE`; may be repeated")
	f.DurationVar(&o.session, "session-timeout", 0, "silence after which the group gives the member up (default 45s)")
	f.DurationVar(&o.heartbeat, "heartbeat", 0, "time between heartbeats (default 3s)")
	f.StringVar(&o.trace, "trace", "", "append a line of JSON for each rebalance to `FILE`")
	f.Var(&o.explain, "explain", "tell why partitions are where they are: `moved`, or TOPIC:PARTITION; may be repeated")
	output.AddFlag(cmd, &o.format, output.Table, output.JSON)
	connect.AddFlags(cmd, &o.connect)
	strategies.CompleteFlag(cmd, "strategy", true)
	return cmd
}

func (o *options) check() error {
	switch {
	case o.group == "":
		return fault.Usage("--group is missing: the name of the group to join")
	case len(o.topics) == 0:
		return fault.Usage("--topics is missing: what to read")
	case o.count < 0:
		return fault.Usage("--count %d: a number of records is not negative", o.count)
	}
	switch o.commit {
	case commitAuto, commitSync, commitAsync, commitNone:
	default:
		return fault.Usage("--commit %s: there are auto, sync, async and none", o.commit)
	}
	for _, l := range o.labels {
		if key, _, ok := strings.Cut(l, "="); !ok || key == "" {
			return fault.Usage("--label %s: is not KEY=VALUE", l)
		}
	}
	if _, err := start(o.from, time.Now()); err != nil {
		return fault.Usage("--from %s: %w", o.from, err)
	}
	return nil
}
