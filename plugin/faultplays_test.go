//go:build unix

package plugin

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

func init() {
	maps.Copy(faulty, map[string]func(){
		"exits":     func() { fmt.Fprintln(os.Stderr, "the cause"); os.Exit(3) },
		"panics":    func() { panic("the cause") },
		"stack":     func() { deep(200) },
		"stops":     func() { fmt.Fprintln(os.Stderr, "the cause"); stop(); time.Sleep(time.Hour) },
		"sleeps":    func() { fmt.Fprintln(os.Stderr, "the cause"); time.Sleep(time.Hour) },
		"garbage":   func() { fmt.Println("the cause\x00\xff\x1b[31m|1|2|3"); os.Exit(0) },
		"mute":      func() { fmt.Fprintln(os.Stderr, "the cause"); _ = os.Stdout.Close(); time.Sleep(time.Hour) },
		"version":   func() { fmt.Fprintln(os.Stderr, "the cause"); shake(2, "unix", "x", "") },
		"elsewhere": func() { fmt.Fprintln(os.Stderr, "the cause"); shake(1, "unix", "/tmp/elsewhere", "") },
		"tcp":       func() { fmt.Fprintln(os.Stderr, "the cause"); shake(1, "tcp", "127.0.0.1:1", "") },
		"netrpc":    func() { fmt.Printf("1|1|unix|%s|netrpc|\n", inSocketDir("s")); time.Sleep(time.Hour) },
		"nothing":   func() { fmt.Fprintln(os.Stderr, "the cause"); shake(1, "unix", inSocketDir("none"), "") },
		"badcert": func() {
			fmt.Fprintln(os.Stderr, "the cause")
			shake(1, "unix", inSocketDir("s"), strings.Repeat("QUJD", 40))
		},
		"printslong": func() { fmt.Print(strings.Repeat("long ", 5000)); Serve(sticky.Assignor{}) },

		"callexits":  inCall(func(context.Context) { fmt.Fprintln(os.Stderr, "the cause"); os.Exit(4) }),
		"callpanics": inCall(func(context.Context) { go panic("the cause"); time.Sleep(time.Hour) }),
		"callstack":  inCall(func(context.Context) { go deep(200); time.Sleep(time.Hour) }),
		"callstops":  inCall(func(context.Context) { fmt.Fprintln(os.Stderr, "the cause"); stop(); time.Sleep(time.Hour) }),
		"loops": inCall(func(context.Context) {
			fmt.Fprintln(os.Stderr, "the cause")
			for i := 0; ; i++ {
				_ = i
			}
		}),
		"listens":     inCall(func(ctx context.Context) { <-ctx.Done() }),
		"recovered":   inCall(func(context.Context) { panic("the cause") }),
		"floods":      inCall(func(context.Context) { flood() }),
		"between":     between,
		"allocates":   inCall(func(context.Context) { allocate() }),
		"renamed":     func() { Serve(named{"another", sticky.Assignor{}}) },
		"unnamed":     func() { Serve(named{"", sticky.Assignor{}}) },
		"namepanics":  func() { Serve(namePanics{}) },
		"datapanics":  func() { Serve(dataPanics{}) },
		"forks":       inCall(func(context.Context) { child(false); fmt.Fprintln(os.Stderr, "the cause"); os.Exit(5) }),
		"forkssid":    inCall(func(context.Context) { child(true); fmt.Fprintln(os.Stderr, "the cause"); os.Exit(5) }),
		"forkearly":   func() { child(true); child(false); fmt.Fprintln(os.Stderr, "the cause"); os.Exit(6) },
		"child":       func() { time.Sleep(time.Hour) },
		"busy":        func() { Serve(busy{}) },
		"slowstart":   func() { time.Sleep(time.Second); Serve(sticky.Assignor{}) },
		"remembering": func() { Serve(&remembering{}) },
		"logs":        inCall(func(context.Context) { logs() }),
		"doomedhost":  playDoomedHost,
	})
}

// shake prints a handshake, and stays.
func shake(version int, network, address, certificate string) {
	fmt.Printf("1|%d|%s|%s|grpc|%s\n", version, network, address, certificate)
	time.Sleep(time.Hour)
}

func inSocketDir(name string) string { return os.Getenv("PLUGIN_UNIX_SOCKET_DIR") + "/" + name }

func stop() { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) }

// deep panics with a stack that is longer than any tail.
func deep(n int) int {
	if n == 0 {
		panic("the cause")
	}
	return deep(n-1) + 1
}

// flood writes more than is logged, to both.
func flood() {
	for i := range 5000 {
		fmt.Println("to standard output", i)
		fmt.Fprintln(os.Stderr, "to standard error", i)
	}
}

var allocated [][]byte

func allocate() {
	for {
		b := make([]byte, 16<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		allocated = append(allocated, b)
	}
}

// child starts a process that lives long and has this one's standard output.
func child(session bool) {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(self)
	cmd.Args[0] = FilePrefix + "child"
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: session}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}

// between answers, and exits a while later.
func between() {
	Serve(hooked{before: func(context.Context) {
		go func() {
			time.Sleep(50 * time.Millisecond)
			fmt.Fprintln(os.Stderr, "the cause")
			os.Exit(7)
		}()
	}})
}

func logs() {
	slog.Debug("low", "level", 3, "msg", "m", "time", "t", slog.Group("g", "n", 1, "level", "x"))
	slog.Warn("high", "n", int64(9007199254740993), "f", 1.5, "b", true, "none", nil, "list", []int{1, 2})
}

// hooked is sticky that does something before it assigns.
type hooked struct {
	sticky.Assignor
	before func(context.Context)
}

func (h hooked) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	h.before(ctx)
	if err := ctx.Err(); err != nil {
		return strategy.Assignment{}, err
	}
	return h.Assignor.Assign(ctx, g)
}

func inCall(f func(context.Context)) func() { return func() { Serve(hooked{before: f}) } }

type named struct {
	name string
	strategy.Assignor
}

func (n named) Name() string { return n.name }

type namePanics struct{ sticky.Assignor }

func (namePanics) Name() string { panic("the cause") }

type dataPanics struct{ sticky.Assignor }

func (dataPanics) UserData([]string) ([]byte, error) { panic("the cause") }

// busy takes as long as the group's name says, whatever its context does.
type busy struct{ sticky.Assignor }

func (b busy) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	d, _ := time.ParseDuration(g.Name)
	time.Sleep(d)
	return b.Assignor.Assign(context.WithoutCancel(ctx), g)
}

// remembering sends what it was told of, after a while.
type remembering struct {
	sticky.Assignor
	told []string
}

func (r *remembering) OnAssignment(x strategy.Received) {
	d, _ := time.ParseDuration(x.Group)
	time.Sleep(d)
	r.told = append(r.told, strconv.Itoa(int(x.Generation)))
}

func (r *remembering) UserData([]string) ([]byte, error) {
	return []byte(strings.Join(r.told, " ")), nil
}
