package plugin

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
)

// AnyPlatform stands in a lock file for a plugin that is a script, which runs wherever its interpreter does.
const AnyPlatform = "any"

// Platform returns the platform that this program runs on, as a lock file names it: "linux/amd64".
func Platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

// platformOf says which platform an executable is for, by its first bytes.
func platformOf(f io.ReaderAt) (string, error) {
	head := make([]byte, 64)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	head = head[:n]
	var os, arch string
	switch {
	case n == 0:
		return "", errors.New("the file is empty")
	case bytes.HasPrefix(head, []byte("#!")):
		return AnyPlatform, nil
	case bytes.HasPrefix(head, []byte(elf.ELFMAG)):
		os, arch = elfPlatform(head)
	case bytes.HasPrefix(head, []byte("MZ")):
		os, arch = pePlatform(f, head)
	case n >= 8 && binary.LittleEndian.Uint32(head) == macho.Magic64:
		os, arch = "darwin", machoArch[macho.Cpu(binary.LittleEndian.Uint32(head[4:]))]
	case n >= 8 && binary.BigEndian.Uint32(head) == macho.MagicFat:
		return "", errors.New("it has several executables in one file, for several platforms; take them apart with lipo -thin")
	default:
		return "", errors.New("it is no executable: neither of Linux, macOS or Windows, nor a script with an interpreter in its first line")
	}
	if os == "" || arch == "" {
		return "", errors.New("it is an executable for a platform that is not known")
	}
	return os + "/" + arch, nil
}

var elfSystems = map[elf.OSABI]string{
	elf.ELFOSABI_NONE: "linux", elf.ELFOSABI_LINUX: "linux", elf.ELFOSABI_FREEBSD: "freebsd", elf.ELFOSABI_NETBSD: "netbsd",
	elf.ELFOSABI_OPENBSD: "openbsd", elf.ELFOSABI_SOLARIS: "solaris",
}

// elfArch has the architectures by whether words have 64 bits, and whether their last byte stands first.
var elfArch = map[elf.Machine]map[[2]bool]string{
	elf.EM_386:       {{false, true}: "386"},
	elf.EM_X86_64:    {{true, true}: "amd64"},
	elf.EM_ARM:       {{false, true}: "arm"},
	elf.EM_AARCH64:   {{true, true}: "arm64"},
	elf.EM_RISCV:     {{true, true}: "riscv64"},
	elf.EM_PPC64:     {{true, true}: "ppc64le", {true, false}: "ppc64"},
	elf.EM_S390:      {{true, false}: "s390x"},
	elf.EM_LOONGARCH: {{true, true}: "loong64"},
	elf.EM_MIPS:      {{false, true}: "mipsle", {false, false}: "mips", {true, true}: "mips64le", {true, false}: "mips64"},
}

func elfPlatform(head []byte) (os, arch string) {
	if len(head) < 20 {
		return "", ""
	}
	var order binary.ByteOrder = binary.BigEndian
	little := elf.Data(head[elf.EI_DATA]) == elf.ELFDATA2LSB
	if little {
		order = binary.LittleEndian
	}
	wide := elf.Class(head[elf.EI_CLASS]) == elf.ELFCLASS64
	return elfSystems[elf.OSABI(head[elf.EI_OSABI])], elfArch[elf.Machine(order.Uint16(head[18:]))][[2]bool{wide, little}]
}

var machoArch = map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}

var peArch = map[uint16]string{
	pe.IMAGE_FILE_MACHINE_I386: "386", pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64", pe.IMAGE_FILE_MACHINE_ARMNT: "arm",
}

// pePlatform follows the old header of a Windows executable to the one that names its machine.
func pePlatform(f io.ReaderAt, head []byte) (os, arch string) {
	if len(head) < 64 {
		return "", ""
	}
	var coff [6]byte
	if _, err := f.ReadAt(coff[:], int64(binary.LittleEndian.Uint32(head[60:]))); err != nil || string(coff[:4]) != "PE\x00\x00" {
		return "", ""
	}
	return "windows", peArch[binary.LittleEndian.Uint16(coff[4:])]
}

// fileKind says what an executable is, for people.
func fileKind(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "not readable"
	}
	defer f.Close() //nolint:errcheck // only read
	switch platform, err := platformOf(f); {
	case err != nil:
		return fmt.Sprintf("nothing to run (%s)", err)
	case platform == AnyPlatform:
		return "a script"
	default:
		return "an executable for " + platform
	}
}
