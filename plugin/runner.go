package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	hcrunner "github.com/hashicorp/go-plugin/runner"
)

// drainTime is how long what a plugin wrote is waited for after its end, in case something else holds its output open.
const drainTime = 50 * time.Millisecond

// exitTime is how long a process that closed its connection or its output is given to end by itself, so that it can be told how it did.
const exitTime = 250 * time.Millisecond

// runner runs one process of a plugin for go-plugin, which leaves to it what its own runner does not do: nothing of the host's environment
// or standard input, a limit on memory, prints before the handshake, an end that takes children along, and no wait for a pipe that a
// child holds open.
type runner struct {
	cmd    *exec.Cmd
	id     string // marks the process and its children, in their environment
	memory int64  // 0 for no limit
	out    *output

	lines   *io.PipeReader // what go-plugin reads: the handshake, and nothing else
	linesIn *io.PipeWriter
	exited  chan struct{} // closed when the process has ended and all that it wrote has been read
	waited  error         // what its end was, once exited is closed

	mu     sync.Mutex
	pid    int            // 0 before the start
	stdin  *os.File       // kept open for as long as the plugin is wanted
	killed bool           // by its host
	gone   bool           // has ended, and its number may be another's
	shake  *handshakeLine // once it was seen
}

var _ hcrunner.Runner = (*runner)(nil)

// newRunner prepares a command. Its environment is set before it is started.
func newRunner(path, id string, memory int64, out *output) *runner {
	cmd := exec.Command(path)
	cmd.Dir = filepath.Dir(path)
	r := &runner{cmd: cmd, id: id, memory: memory, out: out, exited: make(chan struct{})}
	r.lines, r.linesIn = io.Pipe()
	return r
}

// Start starts the process, on a thread that lives as long as the process does: Linux ends it when its thread does.
func (r *runner) Start(context.Context) error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with this goroutine
		r.run(started)
	}()
	return <-started
}

// run starts the process and waits for its end.
func (r *runner) run(started chan<- error) {
	pipes, err := newPipes()
	if err != nil {
		started <- err
		return
	}
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = pipes.stdin, pipes.stdoutIn, pipes.stderrIn
	confine(r.cmd)
	err = startFresh(r.cmd)
	pipes.closeChilds()
	if err != nil {
		pipes.closeOurs()
		started <- err
		return
	}
	pid := r.cmd.Process.Pid
	r.began(pid, pipes.stdinIn)
	if err := limitMemory(pid, r.memory); err != nil {
		r.out.log.Warn("the plugin's memory cannot be limited", "error", err)
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		r.out.read(pipes.stdout, r.handshake)
		_ = r.linesIn.Close()
	})
	reading.Go(func() { r.out.read(pipes.stderr, nil) })
	started <- nil

	r.waited = waitFor(r.cmd, r.ended)
	killMarked(r.id)
	read := make(chan struct{})
	go func() { reading.Wait(); close(read) }()
	select {
	case <-read:
	case <-time.After(drainTime):
	}
	pipes.closeOurs()
	<-read
	r.out.end()
	close(r.exited)
}

// began notes that the process runs, and kills it if it is not wanted any more.
func (r *runner) began(pid int, stdin *os.File) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pid, r.stdin = pid, stdin
	if r.killed {
		killGroup(pid)
	}
}

// ended kills what the process has left in its group. From then on the system may give its number to another.
func (r *runner) ended() {
	r.mu.Lock()
	defer r.mu.Unlock()
	killGroup(r.pid)
	r.gone = true
}

// startFresh starts a command whose file has just been written: on Unix, a fork of this process that began in between may still hold it open for
// writing, for a moment, so that it is busy.
func startFresh(cmd *exec.Cmd) error {
	for wait := time.Millisecond; ; wait *= 2 {
		err := cmd.Start()
		if !errors.Is(err, syscall.ETXTBSY) || wait > time.Second {
			return err
		}
		time.Sleep(wait)
		fresh := exec.Command(cmd.Path)
		fresh.Env, fresh.Dir, fresh.SysProcAttr = cmd.Env, cmd.Dir, cmd.SysProcAttr
		fresh.Stdin, fresh.Stdout, fresh.Stderr = cmd.Stdin, cmd.Stdout, cmd.Stderr
		*cmd = *fresh
	}
}

// handshake looks for the handshake in a line of standard output, whatever was printed before it, and passes it on to go-plugin.
func (r *runner) handshake(line string) bool {
	if r.shaken() != nil {
		return false
	}
	before, shake, ok := parseHandshake(line)
	if !ok {
		return false
	}
	r.mu.Lock()
	r.shake = &shake
	r.mu.Unlock()
	r.out.line(time.Now(), before)
	_, _ = io.WriteString(r.linesIn, line[len(before):]+"\n")
	return true
}

// shaken returns the handshake, nil before there was one.
func (r *runner) shaken() *handshakeLine {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.shake
}

// end tells the plugin that it is not wanted any more, and kills it if it stays.
func (r *runner) end(grace time.Duration) {
	r.mu.Lock()
	if r.stdin != nil {
		_ = r.stdin.Close()
	}
	r.mu.Unlock()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-r.exited:
	case <-timer.C:
		r.kill()
	}
}

// kill ends the process at once, with its group. What it has started outside of that is killed when it has ended.
func (r *runner) kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone {
		return
	}
	r.killed = true
	if r.pid != 0 {
		killGroup(r.pid)
	}
}

// finish kills the process, and waits for a moment, until all that it wrote has been read.
func (r *runner) finish() {
	r.kill()
	if r.ID() == "" {
		return
	}
	select {
	case <-r.exited:
	case <-time.After(drainTime):
	}
}

// ending says how the process ended, if it did, or is about to: what it does before, such as printing stacks, shows later than that it broke the connection.
func (r *runner) ending(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, exitTime)
	defer cancel()
	select {
	case <-r.exited:
	case <-ctx.Done():
	}
	return r.how()
}

// how says how the process ended, "" if it runs or was ended by its host.
func (r *runner) how() string {
	select {
	case <-r.exited:
	default:
		return ""
	}
	r.mu.Lock()
	killed := r.killed
	r.mu.Unlock()
	switch {
	case r.waited == nil:
		return "it ended with status 0"
	case killed && !r.cmd.ProcessState.Exited():
		return ""
	}
	return "it ended: " + r.waited.Error()
}

// The rest is what go-plugin asks for.

func (r *runner) Wait(context.Context) error { <-r.exited; return r.waited }
func (r *runner) Kill(context.Context) error { r.kill(); return nil }
func (r *runner) Stdout() io.ReadCloser      { return r.lines }

// Stderr is read by the runner itself.
func (r *runner) Stderr() io.ReadCloser           { return io.NopCloser(strings.NewReader("")) }
func (r *runner) Name() string                    { return r.cmd.Path }
func (r *runner) Diagnose(context.Context) string { return "" }

// ID is the number of the process, "" before it has one.
func (r *runner) ID() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pid == 0 {
		return ""
	}
	return strconv.Itoa(r.pid)
}

// PluginToHost refuses any address but a Unix socket in the folder that is the plugin's own.
func (r *runner) PluginToHost(network, address string) (string, string, error) {
	dir := r.socketDir()
	if network != "unix" || filepath.Dir(filepath.Clean(address)) != dir {
		return "", "", fmt.Errorf("it listens at %s %s, and has to at a Unix socket in $PLUGIN_UNIX_SOCKET_DIR", network, address)
	}
	return network, address, nil
}

func (r *runner) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

func (r *runner) socketDir() string {
	for _, e := range slices.Backward(r.cmd.Env) { // the last one is what the process gets
		if dir, ok := strings.CutPrefix(e, "PLUGIN_UNIX_SOCKET_DIR="); ok {
			return filepath.Clean(dir)
		}
	}
	return ""
}

// pipes are a process's standard input, output and error, each with both ends.
type pipes struct{ stdin, stdinIn, stdout, stdoutIn, stderr, stderrIn *os.File }

func newPipes() (p pipes, err error) {
	for _, ends := range [][2]**os.File{{&p.stdin, &p.stdinIn}, {&p.stdout, &p.stdoutIn}, {&p.stderr, &p.stderrIn}} {
		if *ends[0], *ends[1], err = os.Pipe(); err != nil {
			p.closeChilds()
			p.closeOurs()
			return p, err
		}
	}
	return p, nil
}

// closeChilds closes the ends that are the process's.
func (p *pipes) closeChilds() { closeAll(p.stdin, p.stdoutIn, p.stderrIn) }

// closeOurs closes the others.
func (p *pipes) closeOurs() { closeAll(p.stdinIn, p.stdout, p.stderr) }

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
