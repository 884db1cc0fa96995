package kafkatest

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// archive returns where this machine's Java keeps the classes that a broker uses, as it has read and checked them: with them a broker computes half
// as long until it answers, and tools two thirds. The first broker that ends in an orderly way writes the file, which lies where the system keeps
// caches; a Java that cannot use it does without. The result is "" where there can be none.
var archive = sync.OnceValue(func() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	libs, err := jars()
	if err != nil {
		return "" // which whoever starts a broker says
	}
	version, err := exec.Command("java", "-version").CombinedOutput()
	if err != nil {
		return ""
	}
	key := sha256.Sum256(append(version, libs...))
	dir := filepath.Join(cache, "assignkit")
	if os.MkdirAll(dir, 0o755) != nil {
		return ""
	}
	return filepath.Join(dir, fmt.Sprintf("kafka-%s-%x.jsa", Version, key[:6]))
})

// archived reports whether that file is there.
func archived() bool {
	_, err := os.Stat(archive())
	return err == nil
}

// share are the arguments for a Java process that uses the archive if there is one. The virtual machine's own warnings go to standard error: tools'
// output is read.
func share() []string {
	args := []string{"-Xshare:auto", "-Xlog:disable", "-Xlog:all=warning:stderr"}
	if archived() {
		args = append(args, "-XX:SharedArchiveFile="+archive())
	}
	return args
}

// archives has a broker that is about to start write the archive when it ends, if there is none. It does so beside the file's place, where several
// may at once, and keep moves it there.
func (b *broker) archives() []string {
	if b.id != 0 || archive() == "" || archived() {
		b.dump = ""
		return nil
	}
	b.dump = fmt.Sprintf("%s.%s", archive(), uuid())
	return []string{"-XX:ArchiveClassesAtExit=" + b.dump}
}

// keep moves the archive that an orderly end has written to its place. Whoever cannot goes without.
func (b *broker) keep() {
	if b.dump != "" && os.Rename(b.dump, archive()) != nil {
		_ = os.Remove(b.dump)
	}
}
