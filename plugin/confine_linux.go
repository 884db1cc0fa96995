package plugin

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// confine has the process lead a group of its own, and die with the host even if it is stopped.
func confine(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// limitMemory bounds the private memory that a process may write to. (RLIMIT_AS would count what Go only reserves.)
func limitMemory(pid int, bytes int64) error {
	if bytes <= 0 {
		return nil
	}
	limit := unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}
	if err := unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil); err != nil && err != unix.ESRCH {
		return fmt.Errorf("prlimit: %w", err)
	}
	return nil
}

// waitFor waits for the end of a process. It calls ended while the system still holds its number, so that no other process can have it.
func waitFor(cmd *exec.Cmd, ended func()) error {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			break
		}
	}
	ended()
	return cmd.Wait()
}

// killGroup kills a process and those of its group.
func killGroup(pid int) {
	_ = unix.Kill(-pid, unix.SIGKILL)
	_ = unix.Kill(pid, unix.SIGKILL)
}

// killRounds is how often processes are looked for that were being started while others were killed.
const killRounds = 100

// killMarked kills what a process has started that left its group, by the mark in its environment.
func killMarked(id string) {
	mark := []byte(instanceVariable + "=" + id)
	for range killRounds {
		if !killMarkedOnce(mark) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// killMarkedOnce says whether there were any that are not on their way out.
func killMarkedOnce(mark []byte) (found bool) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return false
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile("/proc/" + e.Name() + "/environ") // empty for a process that has ended
		if err != nil || !hasEntry(env, mark) {
			continue
		}
		found = true
		_ = unix.Kill(pid, unix.SIGKILL)
	}
	return found
}

// hasEntry looks for an entry in a list that ends each with a zero.
func hasEntry(list, entry []byte) bool {
	for e := range bytes.SplitSeq(list, []byte{0}) {
		if bytes.Equal(e, entry) {
			return true
		}
	}
	return false
}
