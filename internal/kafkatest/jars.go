package kafkatest

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Version is the Kafka that Start runs.
const Version = "4.3.1"

// installTimeout bounds the download, which takes some seconds where the network does.
const installTimeout = 5 * time.Minute

//go:embed pom.xml
var pom []byte

// jars returns the folder with the jars. The first call of a process looks for it, and fills it if it is not there: in
// $ASSIGNKIT_KAFKA_LIBS, or where the system keeps caches. Several processes may do so at the same time.
var jars = sync.OnceValues(func() (string, error) {
	if _, err := exec.LookPath("java"); err != nil {
		return "", fmt.Errorf("real brokers need Java 17 or newer on the path, such as OpenJDK: %w", err)
	}
	dir := os.Getenv("ASSIGNKIT_KAFKA_LIBS")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("%w; name a folder for Kafka's jars in ASSIGNKIT_KAFKA_LIBS", err)
		}
		dir = filepath.Join(cache, "assignkit", "kafka-"+Version)
	}
	server := filepath.Join(dir, "kafka_2.13-"+Version+".jar")
	if _, err := os.Stat(server); err == nil {
		return dir, nil
	}
	if err := install(dir); err != nil {
		return "", err
	}
	if _, err := os.Stat(server); err != nil {
		return "", fmt.Errorf("kafka is not in %s, although it was installed there: %w", dir, err)
	}
	return dir, nil
})

// install has Maven copy the jars into a new folder, which becomes dir when it is complete.
func install(dir string) error {
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return fmt.Errorf("real brokers need mvn (Apache Maven) on the path to fetch Kafka %s, or its jars in %s: %w", Version, dir, err)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(dir), "kafka-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }() // what counts was moved
	if err := os.WriteFile(filepath.Join(work, "pom.xml"), pom, 0o600); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), installTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, mvn, "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=libs")
	cmd.Dir = work
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("fetching Kafka %s with mvn: %w\n%s", Version, err, strings.TrimSpace(string(out)))
	}
	if err := os.Rename(filepath.Join(work, "libs"), dir); err != nil && !os.IsExist(err) {
		if entries, _ := os.ReadDir(dir); len(entries) > 0 { // another process was faster
			return nil
		}
		return err
	}
	return nil
}
