package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assignkit/assignkit/internal/kafkatest"
)

//go:embed driver/Member.java
var memberSource []byte

// patience is how long a member has to leave.
const patience = time.Minute

// errNoJava says that Java's client is left out.
var errNoJava = errors.New("java's client cannot be run")

// A javaLibrary is the program in driver, compiled against the jars that the brokers run from. The zero value is one that was not opened.
type javaLibrary struct{ classes, classPath string }

// open compiles the program.
func (j *javaLibrary) open(ctx context.Context) (err error) {
	if j.classes, j.classPath, err = kafkatest.Compile(ctx, "Member.java", memberSource); err != nil {
		return fmt.Errorf("%w: %w", errNoJava, err)
	}
	return nil
}

// close removes what was compiled.
func (j *javaLibrary) close() {
	if j.classes != "" {
		_ = os.RemoveAll(j.classes)
	}
}

// javaPrefix begins the names of its clients.
const javaPrefix = "java/"

// clients are Kafka's own consumer with its cooperative assignor, and with the protocol in which brokers assign: a loop that polls and
// processes what it has got.
func (j *javaLibrary) clients() []client {
	start := func(protocol string) func(context.Context, *member) (running, error) {
		return func(_ context.Context, m *member) (running, error) { return j.start(m, protocol) }
	}
	return []client{
		{javaPrefix + "cooperative-sticky", []commits{commitAuto, commitAsync, commitSync}, start("classic")},
		{javaPrefix + "consumer", []commits{commitAuto}, start("consumer")},
	}
}

func (j *javaLibrary) start(m *member, protocol string) (running, error) {
	if j.classPath == "" {
		return running{}, errNoJava
	}
	cmd := exec.Command("java", "-Xmx256m", "-XX:+UseSerialGC", "-Xshare:auto", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
		"-cp", j.classPath, "Member", strings.Join(m.brokers, ","), m.group, m.topic, string(m.commits),
		milliseconds(m.heartbeat), milliseconds(m.revokes), strconv.Itoa(syncPartition), protocol, m.instance)
	in, err := cmd.StdinPipe()
	if err != nil {
		return running{}, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return running{}, err
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return running{}, err
	}
	p := &javaMember{member: m, cmd: cmd, in: in, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.listen(out)
		p.err = cmd.Wait()
		if p.err != nil {
			p.err = fmt.Errorf("the Java process: %w: %s", p.err, bytes.TrimSpace(said.Bytes()))
		}
		if !p.stopping() {
			m.fail(errors.Join(errors.New("the Java process has ended"), p.err))
		}
	}()
	return running{stop: p.stop}, nil
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// A javaMember is a process.
type javaMember struct {
	*member
	cmd  *exec.Cmd
	in   io.Closer
	done chan struct{}
	err  error // once done is closed

	mu    sync.Mutex
	ended bool
}

func (p *javaMember) stopping() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// stop has the process leave, and kills it if it does not.
func (p *javaMember) stop() error {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	_ = p.in.Close() // fails if the process has ended, which the rest says better
	select {
	case <-p.done:
		return p.err
	case <-time.After(patience):
		_ = p.cmd.Process.Kill()
		<-p.done
		return errors.New("the Java process did not end when asked to")
	}
}

// listen passes on what the process tells, until it ends.
func (p *javaMember) listen(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		what, rest, _ := strings.Cut(lines.Text(), " ")
		switch what {
		case "S":
			p.committing()
		case "C":
			if rest == "" {
				p.committed(nil)
			} else {
				p.committed(errors.New(rest))
			}
		default:
			p.numbers(what, rest)
		}
	}
}

// numbers passes on a line that has only numbers after its letter.
func (p *javaMember) numbers(what, rest string) {
	var list []int64
	for _, field := range strings.Fields(rest) {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			p.fail(fmt.Errorf("the Java process said %s %s", what, rest))
			return
		}
		list = append(list, n)
	}
	partitions := make([]int32, len(list))
	for i, n := range list {
		partitions[i] = int32(n)
	}
	switch {
	case what == "D" && len(list) == 3:
		p.deliverAt(partitions[0], list[1], time.UnixMicro(list[2]))
	case what == "G" && len(list) == 1:
		p.generation(partitions[0])
	case what == "A":
		p.assign(partitions...)
	case what == "R", what == "L":
		p.gone(partitions...)
	default:
		p.fail(fmt.Errorf("the Java process said %s %s", what, rest))
	}
}
