package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// A javaProcess runs driver/AssignDriver.java, which describes the requests and answers.
type javaProcess struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	out    *bufio.Writer // to the process
	in     *bufio.Reader
	said   firstBytes      // on stderr
	loaded *strategy.Group // the group that the process has; groups are not changed
}

// thrownError is what an assignor threw; its process goes on.
type thrownError string

func (e thrownError) Error() string { return string(e) }

// Is makes an OutOfMemoryError our own.
func (e thrownError) Is(target error) bool {
	return target == errMemory && strings.Contains(string(e), "OutOfMemoryError")
}

// startJava starts the process. ctx bounds only the start: the process lives until it is closed.
func startJava(ctx context.Context, classpath string, megabytes int) (*javaProcess, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := &javaProcess{cmd: exec.Command("java", fmt.Sprintf("-Xmx%dm", megabytes), "-cp", classpath, "AssignDriver")}
	p.cmd.Stderr = &p.said
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.stdin, p.out, p.in = stdin, bufio.NewWriterSize(stdin, 1<<16), bufio.NewReaderSize(stdout, 1<<16)
	return p, p.cmd.Start()
}

// close ends the process and returns the first line that it said on stderr.
func (p *javaProcess) close() string {
	_ = p.stdin.Close()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	return p.said.line(nil)
}

// group sends g, if it is another than the last.
func (p *javaProcess) group(g *strategy.Group) error {
	if p.loaded == g {
		return nil
	}
	w := javaWriter{p.out}
	w.byte('g')
	topics := make(map[string]int, len(g.Topics))
	w.int(len(g.Topics))
	for i := range g.Topics {
		topics[g.Topics[i].Name] = i
		w.text(g.Topics[i].Name)
		w.int(int(g.Topics[i].Partitions))
	}
	numbers, lists := subscriptions(g)
	w.int(len(lists))
	for _, list := range lists {
		w.int(len(list))
		for _, name := range list {
			w.int(topics[name])
		}
	}
	w.int(len(g.Members))
	for i := range g.Members {
		m := &g.Members[i]
		w.text(m.ID)
		w.text(m.InstanceID)
		w.int(numbers[i])
		w.int(int(m.Generation))
		count := 0
		for _, tp := range m.Owned {
			count += len(tp.Partitions)
		}
		w.int(count)
		for _, tp := range m.Owned {
			for _, n := range tp.Partitions {
				w.int(topics[tp.Topic])
				w.int(int(n))
			}
		}
	}
	if err := p.out.Flush(); err != nil {
		return fmt.Errorf("sending the group to the Java process: %w", err)
	}
	p.loaded = g
	return nil
}

// subscriptions numbers the different lists of topics, so that a group of equal members does not send its topics thousands of times.
func subscriptions(g *strategy.Group) (numbers []int, lists [][]string) {
	known := map[string]int{}
	for i := range g.Members {
		key := strings.Join(g.Members[i].Topics, "\x00")
		n, ok := known[key]
		if !ok {
			n = len(lists)
			known[key] = n
			lists = append(lists, g.Members[i].Topics)
		}
		numbers = append(numbers, n)
	}
	return numbers, lists
}

// assign has the process assign once. When ctx ends, so does the process.
func (p *javaProcess) assign(ctx context.Context, name string) (plan, time.Duration, error) {
	stop := context.AfterFunc(ctx, func() { _ = p.cmd.Process.Kill() })
	defer stop()
	w := javaWriter{p.out}
	w.byte('a')
	w.text(name)
	err := p.out.Flush()
	var answer plan
	var took time.Duration
	if err == nil {
		answer, took, err = p.answer()
	}
	if ctx.Err() != nil {
		return nil, took, ctx.Err()
	}
	return answer, took, err
}

// answer reads what the process sends.
func (p *javaProcess) answer() (plan, time.Duration, error) {
	r := javaReader{r: p.in}
	if r.bytes(1)[0] != 0 && r.err == nil {
		thrown := thrownError(r.text())
		if r.err == nil {
			return nil, 0, thrown
		}
	}
	took := time.Duration(binary.BigEndian.Uint64(r.bytes(8)))
	members := r.int()
	answer := plan{}
	for ; members > 0 && r.err == nil; members-- {
		id := r.text()
		topics := map[string][]int32{}
		for count := r.int(); count > 0 && r.err == nil; count-- {
			topic, n := r.int(), r.int()
			if topic < 0 || topic >= len(p.loaded.Topics) {
				r.fail(errors.New("the answer has a topic that is not in the group"))
				break
			}
			name := p.loaded.Topics[topic].Name
			topics[name] = append(topics[name], int32(n))
		}
		answer[id] = topics
	}
	if r.err != nil {
		return nil, 0, fmt.Errorf("the Java process: %w", r.err)
	}
	return answer, took, nil
}

// javaWriter writes what DataInput reads. Errors are the buffer's, which keeps them until it is flushed. Names have no characters that
// Java encodes in its own way.
type javaWriter struct{ w *bufio.Writer }

func (w javaWriter) byte(b byte) { _ = w.w.WriteByte(b) }

func (w javaWriter) int(n int) {
	_, _ = w.w.Write(binary.BigEndian.AppendUint32(w.w.AvailableBuffer(), uint32(n)))
}

func (w javaWriter) text(s string) {
	_, _ = w.w.Write(binary.BigEndian.AppendUint16(w.w.AvailableBuffer(), uint16(len(s))))
	_, _ = w.w.WriteString(s)
}

// javaReader reads what DataOutput writes, and zeros after an error.
type javaReader struct {
	r      *bufio.Reader
	err    error
	number [8]byte
}

func (r *javaReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// bytes reads up to 8 bytes.
func (r *javaReader) bytes(n int) []byte {
	b := r.number[:n]
	if r.err == nil {
		_, r.err = io.ReadFull(r.r, b)
	}
	if r.err != nil {
		clear(b)
	}
	return b
}

func (r *javaReader) int() int { return int(int32(binary.BigEndian.Uint32(r.bytes(4)))) }

func (r *javaReader) text() string {
	b := make([]byte, binary.BigEndian.Uint16(r.bytes(2)))
	if r.err == nil {
		_, r.err = io.ReadFull(r.r, b)
	}
	if r.err != nil {
		return ""
	}
	return string(b)
}
