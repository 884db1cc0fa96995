package kafkatest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Compile compiles a Java program against Kafka's jars, into a new folder that the caller removes. Java finds the program and the jars
// by the class path.
func Compile(ctx context.Context, file string, source []byte) (folder, classPath string, err error) {
	libs, err := jars()
	if err != nil {
		return "", "", err
	}
	if _, err := exec.LookPath("javac"); err != nil {
		return "", "", fmt.Errorf("%w: install a JDK of version 17 or newer", err)
	}
	folder, err = os.MkdirTemp("", "assignkit-java-")
	if err != nil {
		return "", "", err
	}
	path, all := filepath.Join(folder, file), filepath.Join(libs, "*")
	if err := os.WriteFile(path, source, 0o600); err != nil {
		return folder, "", err
	}
	cmd := exec.CommandContext(ctx, "javac", "-nowarn", "-cp", all, "-d", folder, path)
	cmd.WaitDelay = 5 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return folder, "", fmt.Errorf("javac %s: %w: %s", file, err, bytes.TrimSpace(out))
	}
	return folder, all + string(os.PathListSeparator) + folder, nil
}
