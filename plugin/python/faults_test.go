//go:build python && linux

package python_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/pythontest"
	"github.com/assignkit/assignkit/plugin"
)

// TestKilled kills the plugin between calls, and has it kill itself in one.
func TestKilled(t *testing.T) {
	a, log := open(t, plugin.Config{}, toFirst)
	first := log.pid(t)
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "another process", func() bool {
		_, err := a.Assign(t.Context(), doing(""))
		return err == nil && log.pid(t) != first
	})
	for _, way := range []string{`os.kill(os.getpid(), signal.SIGKILL)`, `os.abort()`, `os._exit(3)`} {
		_, err := a.Assign(t.Context(), doing(way))
		if !errors.Is(err, plugin.ErrCrashed) {
			t.Errorf("%s: %v", way, err)
		}
		eventually(t, "an answer after "+way, func() bool {
			_, err := a.Assign(t.Context(), doing(""))
			return err == nil
		})
	}
}

// TestHangs stops the plugin, and has it compute for ever. Each call ends with its time, and the next is answered.
func TestHangs(t *testing.T) {
	a, log := open(t, plugin.Config{CallTimeout: 10 * time.Second}, toFirst)
	ask := func(todo string, limit time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		_, err := a.Assign(ctx, doing(todo))
		return err
	}
	stop := func() {
		if err := syscall.Kill(log.pid(t), syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the stop", func() bool { return state(log.pid(t)) == "T" }) // a thread may run for a moment
	}
	for _, c := range []struct {
		todo   string
		before func()
	}{{"", stop}, {"while True: pass", func() {}}, {"time.sleep(1000)", func() {}}} {
		c.before()
		pid := log.pid(t)
		if err := ask(c.todo, 300*time.Millisecond); !errors.Is(err, plugin.ErrUnresponsive) {
			t.Errorf("%q: %v", c.todo, err)
		}
		eventually(t, "the end of the process", func() bool { return gone(pid) })
		eventually(t, "an answer", func() bool { return ask("", patience) == nil })
	}
}

// gone says whether a process has ended. A zombie has, though nobody has asked yet how.
func gone(pid int) bool {
	s := state(pid)
	return s == "" || s == "Z"
}

// state is the letter by which Linux tells what a process does, "" if there is none.
func state(pid int) string {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(stat), ") ")
	return rest[:min(1, len(rest))]
}

// TestHostKilled kills a host, and waits for the end of its plugin.
func TestHostKilled(t *testing.T) {
	pythontest.Use(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), hostVariable+"="+pythontest.Write(t, "test", toFirst), "TMPDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || gone(pid) {
		t.Fatalf("the plugin is process %q, and gone: %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of the plugin", func() bool { return gone(pid) })
}

// TestByHand starts a plugin as people do.
func TestByHand(t *testing.T) {
	pythontest.Use(t)
	cmd := exec.CommandContext(t.Context(), pythontest.Write(t, "test", toFirst))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	_, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 || !strings.Contains(stderr.String(), "assignor-test is an assignor plugin (first)") {
		t.Errorf("%v: %s", err, &stderr)
	}
}

// TestTLS has the plugin let in only who has the host's key, and end with its standard input.
func TestTLS(t *testing.T) {
	pythontest.Use(t)
	dir := t.TempDir()
	ours, others := certificate(t), certificate(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	quiet := strings.Replace(toFirst, `print("printed before")`, "", 1) // what is printed then gets out, if it is not buffered
	cmd := exec.CommandContext(ctx, pythontest.Write(t, "test", quiet))
	cmd.Env = append(os.Environ(), "ASSIGNKIT_PLUGIN=b0a1d1c5f8714e0e9d2d5c3f6f0e4a77", "PLUGIN_UNIX_SOCKET_DIR="+dir,
		"PLUGIN_CLIENT_CERT="+string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ours.Certificate[0]})))
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := handshake(t, stdout)
	fields := strings.Split(line, "|")
	if len(fields) != 6 || strings.Join(append(fields[:3:3], fields[4]), "|") != "1|1|unix|grpc" || filepath.Dir(fields[3]) != dir {
		t.Fatalf("the handshake is %q", line)
	}
	der, err := base64.RawStdEncoding.DecodeString(fields[5])
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(theirs)
	for _, c := range []struct {
		what string
		key  []tls.Certificate
		in   bool
	}{{"the host's", []tls.Certificate{ours}, true}, {"another", []tls.Certificate{others}, false}, {"no", nil, false}} {
		conn, err := net.Dial("unix", fields[3])
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(patience))
		client := tls.Client(conn, &tls.Config{Certificates: c.key, RootCAs: roots, ServerName: "localhost", NextProtos: []string{"h2"}})
		_, err = io.WriteString(client, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00") // and no settings
		if err == nil {
			_, err = client.Read(make([]byte, 9)) // the server's settings, where it lets in
		}
		if in := err == nil; in != c.in {
			t.Errorf("with %s certificate: %v", c.what, err)
		}
		_ = conn.Close()
	}
	_ = stdin.Close()
	_, _ = io.Copy(io.Discard, stdout)
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended: %v", err)
	}
}

// handshake returns the first line, which has to be it, whatever the plugin has printed since it has imported assignkit_plugin.
func handshake(t *testing.T, r io.Reader) string {
	t.Helper()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("%q and no handshake: %v", line, err)
	}
	return strings.TrimSpace(line)
}

// certificate makes a key, and a certificate as hosts have it.
func certificate(t *testing.T) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour), DNSNames: []string{"localhost"},
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true, IsCA: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
