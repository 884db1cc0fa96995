package kafkatest

import (
	"os/exec"
	"syscall"
)

// group gives a command a process group of its own, so that a terminal's interrupt does not reach it, and has the system kill it if this
// process dies before it can.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// signal sends a signal to the group of a command that was started.
func signal(cmd *exec.Cmd, s syscall.Signal) error { return syscall.Kill(-cmd.Process.Pid, s) }
