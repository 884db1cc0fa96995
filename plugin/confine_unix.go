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

// killTree kills a process and those of its group.
func killTree(pid int, _ string) {
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}
