//go:build unix

package plugin

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// What playDoomedHost is told by its environment.
const (
	hostPlugin  = "ASSIGNKIT_TEST_PLUGIN"
	hostPrivate = "ASSIGNKIT_TEST_PRIVATE"
)

// playDoomedHost is a host that starts a plugin, says which process that is, has it asked, and waits.
func playDoomedHost() {
	a, err := Unlocked(context.Background(), Config{Private: os.Getenv(hostPrivate), CallTimeout: time.Hour, Logger: slog.New(slog.DiscardHandler), Memory: -1}, os.Getenv(hostPlugin))
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println(a.supervisor.current.runner.ID())
	_, _ = a.Assign(context.Background(), smallGroup())
	time.Sleep(time.Hour)
}

func TestHostKilled(t *testing.T) {
	linuxOnly(t)
	for name, plugin := range map[string]string{"idle": "sticky", "stopped": "callstops", "in an endless loop": "loops"} {
		t.Run(name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			dir, err := os.MkdirTemp("", "ak")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = os.RemoveAll(dir) }()
			folder := folder(t)
			host := exec.Command(executable(t, folder, "doomedhost"))
			host.Env = append(os.Environ(), hostPlugin+"="+executable(t, folder, plugin), hostPrivate+"="+dir)
			host.Stderr = os.Stderr
			out, err := host.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := host.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			pid := strings.TrimSpace(line)
			if err != nil || !alive(pid) {
				t.Fatalf("the host says %q: %v", line, err)
			}
			if plugin == "callstops" {
				waitStopped(t, pid)
			}
			if err := host.Process.Signal(syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			_ = host.Wait()
			eventually(t, "the plugin lives on", func() []string {
				if alive(pid) {
					return []string{state(pid)}
				}
				return nil
			})
			left := func() []string {
				folders, _ := filepath.Glob(filepath.Join(dir, "*"))
				return folders
			}
			if len(left()) != 1 {
				t.Fatalf("the host has left %q, and its folder was to be there", left())
			}

			next, err := Unlocked(context.Background(), Config{Private: dir, Logger: slog.New(slog.DiscardHandler), Memory: -1, StartTimeout: patience}, executable(t, folder, "sticky-next"))
			if err == nil {
				t.Fatal("nobody plays the next", next.Close())
			}
			if folders := left(); len(folders) != 0 {
				t.Errorf("the next host has left %q", folders)
			}
			eventually(t, "processes are left", func() []string { return marked("PLUGIN_UNIX_SOCKET_DIR=" + dir) })
			goleak.VerifyNone(t, before)
		})
	}
}

// waitStopped waits until a process has been stopped.
func waitStopped(t *testing.T, pid string) {
	t.Helper()
	eventually(t, "the plugin is not stopped", func() []string {
		if is := state(pid); is != "T" {
			return []string{is}
		}
		return nil
	})
}

// state returns that of a process as /proc has it, "" if it has ended.
func state(pid string) string {
	data, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return ""
	}
	_, after, _ := strings.Cut(string(data), ") ")
	return after[:1]
}

func alive(pid string) bool { s := state(pid); return s != "" && s != "Z" && s != "X" }
