//go:build unix

package plugin

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// excess is what a call may take behind its deadline in a test, on a machine that is busy. It takes some milliseconds.
const excess = 5 * time.Second

// patience is the deadline of calls that fail at once, or not at all.
const patience = 30 * time.Second

// A fault is a row of the table: a plugin, what is done to it, and what must come of it.
type fault struct {
	plugin string
	// between is done to the plugin after it has answered once. Nil: it is not asked before.
	between func(t *testing.T, a *Assignor)

	deadline time.Duration // 0: patience
	start    time.Duration // how long a start may take; 0: patience
	memory   int64

	answers bool   // the plugin's answer is used, if it had to be asked again
	want    error  // found with errors.Is in the failure; nil for the assignor's own errors
	cause   string // in the log line
	tail    string // too; "": the cause, which most write
	quiet   bool   // nothing is logged
}

var faultTable = map[string]fault{
	"crash at start":                     {plugin: "exits", want: ErrStart, cause: "it ended: exit status 3 before it was ready"},
	"panic at start":                     {plugin: "panics", want: ErrStart, cause: "it ended: exit status 2", tail: "panic: the cause"},
	"long stack at start":                {plugin: "stack", want: ErrStart, cause: "it ended: exit status 2", tail: "panic: the cause"},
	"garbage instead of a handshake":     {plugin: "garbage", want: ErrStart, cause: "it ended with status 0 before it was ready", tail: "the cause"},
	"standard output closed":             {plugin: "mute", want: ErrStart, cause: "closed its standard output"},
	"stopped before the handshake":       {plugin: "stops", deadline: time.Second, want: ErrUnresponsive, cause: "it was not ready yet"},
	"start too slow":                     {plugin: "sleeps", start: time.Second, want: ErrStart, cause: "it was not ready within 1s"},
	"another version":                    {plugin: "version", want: ErrStart, cause: "it speaks version 2 of the plugin protocol, and this host version 1"},
	"another protocol":                   {plugin: "netrpc", want: ErrStart, cause: "unsupported plugin protocol", tail: "netrpc"},
	"listens elsewhere":                  {plugin: "elsewhere", want: ErrStart, cause: "it listens at unix /tmp/elsewhere, and has to at"},
	"listens at TCP":                     {plugin: "tcp", want: ErrStart, cause: "it listens at tcp 127.0.0.1:1, and has to at"},
	"listens nowhere":                    {plugin: "nothing", want: ErrStart, cause: "no such file"},
	"no certificate":                     {plugin: "badcert", want: ErrStart, cause: "error parsing server cert"},
	"garbage on the socket":              {plugin: "rawsocket", want: ErrStart, cause: "does not look like a TLS handshake"},
	"garbage instead of HTTP/2":          {plugin: "rawtls", want: ErrStart, cause: "describe: "},
	"silence on the socket":              {plugin: "rawsilent", start: time.Second, want: ErrStart, cause: "it was not ready within 1s"},
	"closed connections":                 {plugin: "rawcloses", want: ErrStart, cause: "describe: "},
	"panic in Name":                      {plugin: "namepanics", want: ErrStart, cause: "describe: panic: the cause", tail: "the assignor panicked"},
	"other name":                         {plugin: "renamed", want: ErrChanged, cause: "it says that it is", tail: "another"},
	"children that live on at start":     {plugin: "forkearly", want: ErrStart, cause: "it ended: exit status 6"},
	"crash in a call":                    {plugin: "callexits", want: ErrCrashed, cause: "it ended: exit status 4"},
	"panic on another goroutine":         {plugin: "callpanics", want: ErrCrashed, cause: "it ended: exit status 2", tail: "panic: the cause"},
	"long stack in a call":               {plugin: "callstack", want: ErrCrashed, cause: "it ended: exit status 2", tail: "panic: the cause"},
	"panic in a call":                    {plugin: "recovered", cause: "panic: the cause", tail: "panic"},
	"stopped in a call":                  {plugin: "callstops", deadline: 2 * time.Second, want: ErrUnresponsive, cause: "did not answer in time"},
	"endless loop":                       {plugin: "loops", deadline: 2 * time.Second, want: ErrUnresponsive, cause: "did not answer in time"},
	"heeds its context":                  {plugin: "listens", deadline: 2 * time.Second, want: ErrUnresponsive, cause: "did not answer in time", tail: "assign"},
	"children that live on":              {plugin: "forks", want: ErrCrashed, cause: "it ended: exit status 5"},
	"children in a session of their own": {plugin: "forkssid", want: ErrCrashed, cause: "it ended: exit status 5"},
	"garbage as an answer":               {plugin: "rawgarbage", want: ErrAnswer, cause: "failed to unmarshal"},
	"truncated answer":                   {plugin: "rawtruncated", want: ErrAnswer, cause: "failed to unmarshal"},
	"empty answer":                       {plugin: "rawempty", want: ErrAnswer, cause: "owners of 0 partitions, where the group has 4"},
	"no answer":                          {plugin: "rawnone", want: ErrAnswer, cause: "received no response message"},
	"answer that is cut off":             {plugin: "rawhalf", want: ErrAnswer, cause: "unexpected EOF"},
	"1 GiB declared":                     {plugin: "rawdeclared", want: ErrTooLarge, cause: "1073741824 vs. 67108864"},
	"1 GiB streamed":                     {plugin: "rawstreamed", want: ErrTooLarge, cause: "1073741824 vs. 67108864"},
	"gzip bomb":                          {plugin: "rawbomb", want: ErrTooLarge, cause: "larger than max"},
	"answer that does not end":           {plugin: "rawslow", deadline: 2 * time.Second, want: ErrUnresponsive, cause: "did not answer in time"},
	"long error":                         {plugin: "rawstatus", cause: "(512000 bytes)", tail: "xxxx"},
	"killed between calls":               {plugin: "sticky", between: killed, answers: true, cause: "it ended: signal: killed", tail: "plugin=sticky"},
	"crash between calls":                {plugin: "between", between: ended, answers: true, cause: "it ended: exit status 7"},
	"stopped before a call":              {plugin: "sticky", between: stopped, deadline: 2 * time.Second, want: ErrUnresponsive, cause: "did not answer in time", tail: "sticky"},
	"prints before the handshake":        {plugin: "prints", answers: true, quiet: true},
	"prints much before the handshake":   {plugin: "printslong", answers: true, quiet: true},
	"floods its output":                  {plugin: "floods", answers: true, cause: "the plugin writes too much; lines were dropped", tail: "lines="},
	"no bound on memory":                 {plugin: "allocates", memory: 512 << 20, want: ErrCrashed, cause: "it ended: exit status 2", tail: "runtime"},
}

func killed(t *testing.T, a *Assignor) {
	_ = syscall.Kill(pid(t, a), syscall.SIGKILL)
	ended(t, a)
}

func stopped(t *testing.T, a *Assignor) {
	_ = syscall.Kill(pid(t, a), syscall.SIGSTOP)
	waitStopped(t, strconv.Itoa(pid(t, a)))
}

// ended waits until the plugin's end has been noticed.
func ended(t *testing.T, a *Assignor) {
	eventually(t, "the plugin runs on", func() []string {
		if a.Stats().Running {
			return []string{"running"}
		}
		return nil
	})
}

func TestFaults(t *testing.T) {
	linuxOnly(t)
	for name, f := range faultTable {
		t.Run(name, func(t *testing.T) {
			if f.memory != 0 && raceEnabled {
				t.Skip("the race detector maps more than any limit")
			}
			checkFault(t, f)
		})
	}
}

// checkFault asks a plugin with another assignor behind it, and checks what comes of it and what is left.
func checkFault(t *testing.T, f fault) {
	s := newStage(t)
	deadline, start := f.deadline, f.start
	if deadline == 0 {
		deadline = patience
	}
	if start == 0 {
		start = patience
	}
	a := s.plugin(t, Config{StartTimeout: start, CallTimeout: patience, Memory: f.memory}, f.plugin)
	var failures []strategy.Failure
	assignor := &strategy.FallbackAssignor{
		First: a, Then: []strategy.Assignor{second{}}, Timeout: deadline, Logger: a.supervisor.log,
		OnFailure: func(x strategy.Failure) { failures = append(failures, x) },
	}
	g := smallGroup()
	if f.between != nil {
		if _, err := assignor.Assign(context.Background(), g); err != nil || len(failures) > 0 {
			t.Fatal("the first answer:", err, failures)
		}
		f.between(t, a)
	} else if f.deadline > 0 && f.plugin != "stops" {
		warm(t, a)
	}
	began := time.Now()
	got, err := assignor.Assign(context.Background(), g)
	took := time.Since(began)
	if err != nil {
		t.Fatal(err)
	}
	if took > deadline+excess {
		t.Errorf("the answer came %s after the deadline of %s", took-deadline, deadline)
	}
	if f.deadline > 0 {
		t.Logf("%s behind the deadline of %s", (took - deadline).Round(100*time.Microsecond), deadline)
	} else {
		t.Logf("answered after %s", took.Round(100*time.Microsecond))
	}
	by := strategy.Assignor(second{})
	if f.answers {
		by = sticky.Assignor{}
	}
	if want, _ := by.Assign(context.Background(), g); !reflect.DeepEqual(got, want) {
		t.Errorf("the answer is %v, and that of the right assignor %v", got, want)
	}
	late := len(failures) == 1 && errors.Is(failures[0].Err, strategy.ErrUnanswered) // the machine is so busy that the plugin's error came too late
	if f.want != nil && !late && (len(failures) != 1 || !errors.Is(failures[0].Err, f.want)) {
		t.Errorf("failures %v, want one that is %v", failures, f.want)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	checkAlarms(t, f, s.log)
	s.gone(t)
}

// warm has a plugin started, so that the time of a call is not that of a start.
func warm(t *testing.T, a *Assignor) {
	p, err := a.supervisor.acquire(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	a.supervisor.release(p)
}

// checkAlarms wants one line, with cause and tail.
func checkAlarms(t *testing.T, f fault, log *logBook) {
	t.Helper()
	alarms := slices.DeleteFunc(log.alarms(), func(l string) bool { return strings.Contains(l, strategy.ErrUnanswered.Error()) })
	if f.plugin == "floods" && len(alarms) > 1 {
		alarms = alarms[:1] // it took more than a second
	}
	want := 1
	if f.quiet {
		want = 0
	}
	if len(alarms) != want {
		t.Errorf("%d lines of level Warn and above, want %d:\n%s", len(alarms), want, strings.Join(alarms, "\n"))
		return
	}
	tail := f.tail
	if tail == "" {
		tail = "the cause"
	}
	for _, l := range alarms {
		if !strings.Contains(l, f.cause) || !strings.Contains(l, tail) {
			t.Errorf("the log says %s\nwant %q and %q in it", l, f.cause, tail)
		}
		if len(l) > 4<<10 {
			t.Errorf("a log line has %d bytes", len(l))
		}
	}
}
