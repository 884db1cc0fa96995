//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak is the most memory, in bytes, that a process had at once.
func peak(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return usage.Maxrss
	}
	return usage.Maxrss * 1024
}
