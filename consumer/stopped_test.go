//go:build unix

package consumer_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
)

const processEnv = "ASSIGNKIT_TEST_MEMBER"

// TestMemberProcess is what runs in the process of TestStoppedIsNotStuck: a member that says what happens to it, until its input ends.
func TestMemberProcess(t *testing.T) {
	broker := os.Getenv(processEnv)
	if broker == "" {
		return // there is nothing to be tested in it
	}
	cfg := config([]string{broker}, "g", "orders")
	cfg.StuckAfter, cfg.StalledAfter, cfg.LeaveWhenStuck = time.Second, time.Second, true
	cfg.Observer = consumer.ObserverFunc(func(e consumer.Event) { fmt.Printf("%T\n", e) })
	c, err := consumer.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	err = c.Run(ctx, func(context.Context, *consumer.Message) error {
		fmt.Println("begins")
		for range 10 { // small steps, as a sleep goes on while the process is stopped
			time.Sleep(20 * time.Millisecond)
		}
		return nil
	})
	fmt.Println("ended:", err)
}

// TestStoppedIsNotStuck stops a member's whole process for longer than a handler may work and a partition may stay unread. Neither counts then.
func TestStoppedIsNotStuck(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{100}})
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestMemberProcess$")
	cmd.Env = append(os.Environ(), processEnv+"="+cluster.Addrs()[0])
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	begins := func(n int) {
		for n > 0 && lines.Scan() {
			switch line := lines.Text(); {
			case line == "begins":
				n--
			case strings.HasSuffix(line, ".HandlerStuck"), strings.HasSuffix(line, ".FetchRestarted"), strings.HasPrefix(line, "ended"):
				t.Errorf("it says %q", line)
			}
		}
		if n > 0 {
			t.Fatal("it has ended")
		}
	}
	begins(1)
	for range 2 {
		begins(1)
		if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		begins(3)
	}
	_ = in.Close()
	for lines.Scan() {
		if line := lines.Text(); strings.HasPrefix(line, "ended") && line != "ended: <nil>" {
			t.Error(line)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
