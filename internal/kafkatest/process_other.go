//go:build !unix

package kafkatest

import (
	"errors"
	"os/exec"
	"syscall"
)

func group(*exec.Cmd) {}

// signal can only kill where there are no process groups.
func signal(cmd *exec.Cmd, s syscall.Signal) error {
	if s == syscall.SIGKILL {
		return cmd.Process.Kill()
	}
	return errors.New("processes cannot be stopped in an orderly way on this system")
}
