package kafkatest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A broker is one process at a time, and the files that outlive it.
type broker struct {
	id                               int
	dir                              string
	port, controllerPort, securePort int
	keystore                         string // "" without a secure listener
	dump                             string // where the process writes the archive of classes when it ends, "" if it does not

	cmd  *exec.Cmd
	done chan struct{} // closed when cmd has ended
	err  error         // how it did, once done is closed
}

func (b *broker) path(name string) string { return filepath.Join(b.dir, name) }

// writeKeystore puts key and certificate into the one file that Kafka wants.
func (b *broker) writeKeystore(p Pair) error {
	key, err := os.ReadFile(p.Key)
	if err != nil {
		return err
	}
	cert, err := os.ReadFile(p.Cert)
	if err != nil {
		return err
	}
	b.keystore = b.path("keystore.pem")
	return os.WriteFile(b.keystore, append(key, cert...), 0o600)
}

// formatAs prepares the broker's folder like another's. Only the ids of broker and folder differ.
func (b *broker) formatAs(other *broker) error {
	if err := os.CopyFS(b.path("data"), os.DirFS(other.path("data"))); err != nil {
		return err
	}
	meta := filepath.Join(b.path("data"), "meta.properties")
	text, err := os.ReadFile(meta)
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		switch key, _, _ := strings.Cut(line, "="); key {
		case "node.id":
			lines[i] = fmt.Sprintf("node.id=%d", b.id)
		case "directory.id":
			lines[i] = "directory.id=" + uuid()
		}
	}
	return os.WriteFile(meta, []byte(strings.Join(lines, "\n")), 0o600)
}

// java returns a command that runs a class, in a process group of its own, with options of the virtual machine's. Code is compiled quickly rather
// than well, as no test runs for long.
func java(libs string, options []string, class string, args ...string) *exec.Cmd {
	all := append([]string{"-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"}, options...)
	all = append(all, "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", filepath.Join(libs, "*"), class)
	cmd := exec.Command("java", append(all, args...)...)
	group(cmd)
	return cmd
}

// start starts the process. Its output is added to the log.
func (b *broker) start(libs string) error {
	log, err := os.OpenFile(b.path("log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the process has it
	cmd := java(libs, append(share(), b.archives()...), "kafka.Kafka", b.path("server.properties"))
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	b.cmd, b.done, b.err = cmd, make(chan struct{}), nil
	done := b.done
	go func() {
		b.err = cmd.Wait()
		close(done)
	}()
	return nil
}

// running reports whether the process does.
func (b *broker) running() bool {
	if b.cmd == nil {
		return false
	}
	select {
	case <-b.done:
		return false
	default:
		return true
	}
}

// failure says how the process ended, if it has.
func (b *broker) failure() error {
	switch {
	case b.cmd == nil:
		return errors.New("it was never started")
	case b.running():
		return nil
	}
	return b.err
}

// kill ends the process at once and waits until it is gone.
func (b *broker) kill() {
	if b.running() {
		_ = signal(b.cmd, syscall.SIGKILL) // if it has just ended by itself, that is what is wanted
		<-b.done
	}
}

// stop asks the process to end.
func (b *broker) stop(patience time.Duration) error {
	if !b.running() {
		return errors.New("it does not run")
	}
	if err := signal(b.cmd, syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-b.done:
		b.keep()
		return nil
	case <-time.After(patience):
		b.kill()
		return fmt.Errorf("it has not ended within %s\n%s", patience, b.tail())
	}
}

// tail returns the end of the log, to show.
func (b *broker) tail() []byte {
	const most = 4 << 10
	text, err := os.ReadFile(b.path("log"))
	if err != nil {
		return []byte(err.Error())
	}
	return bytes.TrimSpace(text[max(0, len(text)-most):])
}
