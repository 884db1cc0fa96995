package plugin

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"

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

// killTree kills a process and all it has started: those of its group, and those that left the group, by the mark in their environment.
func killTree(pid int, id string) {
	_ = unix.Kill(-pid, unix.SIGKILL)
	_ = unix.Kill(pid, unix.SIGKILL)
	for range 3 { // one that is just forking is found the next time
		if !killMarked(id) {
			return
		}
	}
}

// killMarked kills the processes of this user that have a mark, and says whether there were any that are not on their way out.
func killMarked(id string) (found bool) {
	mark := []byte(instanceVariable + "=" + id)
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
