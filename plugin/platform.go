package plugin

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// AnyPlatform stands in a lock file for a plugin that is a script, which runs wherever its interpreter does.
const AnyPlatform = "any"

// Platform returns the platform that this program runs on, as a lock file names it: "linux/amd64".
func Platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

// fileKind says what an executable is by its first bytes, for people.
func fileKind(path string) string {
	head := make([]byte, 4)
	f, err := os.Open(path)
	if err != nil {
		return "not readable"
	}
	defer f.Close() //nolint:errcheck // only read
	if n, _ := f.ReadAt(head, 0); n == 0 {
		return "an empty file"
	}
	if bytes.HasPrefix(head, []byte("#!")) {
		return "a script"
	}
	if x, err := elf.NewFile(f); err == nil {
		return "an ELF executable for " + strings.ToLower(strings.TrimPrefix(x.Machine.String(), "EM_"))
	}
	if x, err := macho.NewFile(f); err == nil {
		return fmt.Sprintf("a Mach-O executable for %s", x.Cpu)
	}
	if x, err := pe.NewFile(f); err == nil {
		return fmt.Sprintf("a Windows executable for machine %#x", x.Machine)
	}
	return "no executable"
}
