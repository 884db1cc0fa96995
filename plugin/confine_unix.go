//go:build unix && !linux

package plugin

import (
	"os/exec"
	"syscall"
)

// confine has the process lead a group of its own. It ends with the host by its standard input.
func confine(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// limitMemory does nothing, as there is no way to limit another process.
func limitMemory(int, int64) error { return nil }

// waitFor waits for the end of a process, and calls ended.
func waitFor(cmd *exec.Cmd, ended func()) error {
	err := cmd.Wait()
	ended()
	return err
}

// killGroup kills a process and those of its group.
func killGroup(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

// killMarked does nothing: the environment of other processes cannot be read everywhere.
func killMarked(string) {}
