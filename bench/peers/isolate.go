package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/metrics"
	"strings"
	"sync"
	"time"
)

// childVariable in the environment makes this program, or its test, a child that examines one peer.
const childVariable = "ASSIGNKIT_PEERS_CHILD"

func isChild() bool { return os.Getenv(childVariable) != "" }

// request is the line that a child is given.
type request struct {
	Peer   string `json:"peer"`
	Case   Case   `json:"case"`
	Limits limits `json:"limits"`
}

// message is a line that a child sends: a call begins, a call has ended, or all is done and this is the result.
type message struct {
	Calling *bool   `json:"calling,omitempty"`
	Result  *Result `json:"result,omitempty"`
}

// child examines one peer, and returns the exit code.
func child(in io.Reader, out io.Writer, peers []Peer) int {
	var ask request
	d := json.NewDecoder(in)
	if err := d.Decode(&ask); err != nil {
		fmt.Fprintln(os.Stderr, "reading the request:", err)
		return exitUsage
	}
	go func() { // the parent keeps the pipe open for as long as it lives
		_, _ = io.Copy(io.Discard, in)
		os.Exit(exitFailed)
	}()
	var writing sync.Mutex // the watch on memory speaks at any time
	send := func(m message) {
		writing.Lock()
		defer writing.Unlock()
		if json.NewEncoder(out).Encode(m) != nil {
			os.Exit(exitFailed) // nobody listens
		}
	}
	for i := range peers {
		p := &peers[i]
		if p.String() != ask.Peer {
			continue
		}
		g, err := ask.Case.Group(context.Background())
		if err != nil {
			fmt.Fprintln(os.Stderr, "making the group:", err)
			return exitFailed
		}
		go watchMemory(ask.Limits.Megabytes, func() {
			err := tooMuch(ask.Limits.Megabytes)
			send(message{Result: &Result{Library: p.Library, Assignor: p.Assignor, Status: Memory, Detail: err.Error()}})
			os.Exit(exitOK)
		})
		result := examine(context.Background(), p, g, ask.Limits, func(on bool) { send(message{Calling: &on}) })
		send(message{Result: &result})
		return exitOK
	}
	fmt.Fprintf(os.Stderr, "there is no peer %s\n", ask.Peer)
	return exitUsage
}

func tooMuch(megabytes int) error {
	return fmt.Errorf("%w: more than %d MB; -memory allows more", errMemory, megabytes)
}

// watchMemory calls exceeded, once, when the process holds more than it may.
func watchMemory(megabytes int, exceeded func()) {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for range time.Tick(50 * time.Millisecond) {
		metrics.Read(sample)
		if (sample[0].Value.Uint64()-sample[1].Value.Uint64())>>20 > uint64(megabytes) {
			exceeded()
			return
		}
	}
}

// errLate is why a child is ended whose peer does not answer, in contrast to one whose parent is to end.
var errLate = errors.New("late")

// isolate examines a peer in a child, and ends the child if a call takes longer than it may. Its errors are ours, such as that there
// can be no child; what the peer does wrong is in the result.
func isolate(ctx context.Context, p *Peer, c Case, l limits) (Result, error) {
	result := Result{Library: p.Library, Assignor: p.Assignor}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ask, err := json.Marshal(request{Peer: p.String(), Case: c, Limits: l})
	if err != nil {
		return result, err
	}
	program, err := os.Executable()
	if err != nil {
		return result, err
	}
	cmd := exec.CommandContext(ctx, program) // killed when ctx ends
	cmd.Env = append(os.Environ(), childVariable+"=1", "GOTRACEBACK=single")
	var complaint firstBytes
	cmd.Stderr = &complaint
	in, err := cmd.StdinPipe()
	if err != nil {
		return result, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return result, err
	}
	if err := cmd.Start(); err != nil {
		return result, fmt.Errorf("starting a child process: %w", err)
	}
	_, sendErr := in.Write(append(ask, '\n'))
	got := listen(out, l.Time, cancel)
	_ = in.Close()
	waitErr := cmd.Wait()
	switch {
	case got != nil:
		return *got, nil
	case errors.Is(context.Cause(ctx), errLate):
		result.Status, result.Detail = Late, unanswered(l)
	case ctx.Err() != nil:
		return result, ctx.Err()
	default:
		result.Status, result.Detail = Panicked, complaint.line(errors.Join(sendErr, waitErr))
	}
	return result, nil
}

// listen reads a child's messages until its result, or until it ends. It cancels when a call takes too long.
func listen(out io.Reader, limit time.Duration, cancel context.CancelCauseFunc) *Result {
	late := time.AfterFunc(limit, func() { cancel(errLate) })
	late.Stop()
	defer late.Stop()
	for d := json.NewDecoder(out); ; {
		var m message
		if d.Decode(&m) != nil {
			return nil
		}
		switch {
		case m.Result != nil:
			return m.Result
		case m.Calling != nil && *m.Calling:
			late.Reset(limit)
		default:
			late.Stop()
		}
	}
}

// firstBytes keeps the beginning of what is written to it: where a Go program says why it ends.
type firstBytes struct{ kept bytes.Buffer }

func (f *firstBytes) Write(b []byte) (int, error) {
	const most = 4096
	f.kept.Write(b[:min(len(b), most-f.kept.Len())])
	return len(b), nil
}

// line is the first line of them, err's if there is none.
func (f *firstBytes) line(err error) string {
	if text, _, _ := strings.Cut(strings.TrimSpace(f.kept.String()), "\n"); text != "" {
		return text
	}
	if err != nil {
		return err.Error()
	}
	return "its process ended without a result"
}
