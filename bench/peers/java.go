package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// Java's assignors are those of this version of org.apache.kafka:kafka-clients.
const (
	kafkaVersion  = "4.3.1"
	mavenCopyGoal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
)

//go:embed driver/AssignDriver.java
var driverSource []byte

// pom asks Maven for the clients and nothing that assignors do without.
const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>assignkit</groupId>
  <artifactId>peers</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka-clients</artifactId>
      <version>` + kafkaVersion + `</version>
      <exclusions>
        <exclusion><groupId>com.github.luben</groupId><artifactId>*</artifactId></exclusion>
        <exclusion><groupId>at.yawk.lz4</groupId><artifactId>*</artifactId></exclusion>
        <exclusion><groupId>org.lz4</groupId><artifactId>*</artifactId></exclusion>
        <exclusion><groupId>org.xerial.snappy</groupId><artifactId>*</artifactId></exclusion>
      </exclusions>
    </dependency>
  </dependencies>
</project>
`

// A javaLibrary is Kafka's own clients and the process that runs them. It is opened before its peers are asked; peers of one that could
// not be opened are missing, with the reason. It is not safe for concurrent use.
type javaLibrary struct {
	cache     string // a folder that keeps the libraries
	megabytes int    // that the process may use

	problem error  // why it could not be opened
	classes string // a folder with the compiled driver; "" if not open
	process *javaProcess
}

// peers are Kafka's own assignors.
func (j *javaLibrary) peers() []Peer {
	var list []Peer
	for _, name := range []string{"cooperative-sticky", "sticky", "range", "roundrobin"} {
		list = append(list, Peer{
			Library: "java", Assignor: name, Cooperative: name == "cooperative-sticky", Outside: true,
			Prepare: func(ctx context.Context, g *strategy.Group) (Call, error) { return j.prepare(ctx, name, g) },
		})
	}
	return list
}

func wantsJava(peers []Peer) bool {
	return slices.ContainsFunc(peers, func(p Peer) bool { return p.Library == "java" })
}

// open finds the tools, fetches the libraries unless they are in the cache, and compiles the driver.
func (j *javaLibrary) open(ctx context.Context) error {
	j.problem = j.tryOpen(ctx)
	return j.problem
}

func (j *javaLibrary) tryOpen(ctx context.Context) error {
	for _, tool := range []string{"java", "javac"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%w: install a JDK of version 17 or newer", err)
		}
	}
	if err := j.fetch(ctx); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "assignkit-peers-")
	if err != nil {
		return err
	}
	j.classes = dir
	source := filepath.Join(dir, "AssignDriver.java")
	if err := os.WriteFile(source, driverSource, 0o600); err != nil {
		return err
	}
	return command(ctx, "javac", "-nowarn", "-cp", j.jars(), "-d", dir, source)
}

// libraries is the folder of the jars, there only if it is complete.
func (j *javaLibrary) libraries() string {
	return filepath.Join(j.cache, "kafka-clients-"+kafkaVersion)
}

func (j *javaLibrary) jars() string { return filepath.Join(j.libraries(), "*") }

// fetch has Maven copy the jars to the cache.
func (j *javaLibrary) fetch(ctx context.Context) error {
	if _, err := os.Stat(j.libraries()); err == nil {
		return nil
	}
	if _, err := exec.LookPath("mvn"); err != nil {
		return fmt.Errorf("%w: install Maven, or put kafka-clients and slf4j-api into %s", err, j.libraries())
	}
	if err := os.MkdirAll(j.cache, 0o750); err != nil {
		return fmt.Errorf("%w; name another folder with -cache", err)
	}
	dir, err := os.MkdirTemp(j.cache, "fetching-") // there, so that it can be renamed
	if err != nil {
		return fmt.Errorf("%w; name another folder with -cache", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder of temporary files
	project, jars := filepath.Join(dir, "pom.xml"), filepath.Join(dir, "jars")
	if err := os.WriteFile(project, []byte(pom), 0o600); err != nil {
		return err
	}
	if err := command(ctx, "mvn", "-B", "-q", "-f", project, mavenCopyGoal, "-DoutputDirectory="+jars); err != nil {
		return fmt.Errorf("fetching kafka-clients %s: %w", kafkaVersion, err)
	}
	err = os.Rename(jars, j.libraries())
	if _, there := os.Stat(j.libraries()); there == nil {
		return nil // ours, or that of another run in the meantime
	}
	return err
}

// command runs a tool; what it prints is the error if it fails.
func command(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = 5 * time.Second
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(said.String()))
}

// prepare sends the group, unless it was the last that was sent, to a process that runs or is started now.
func (j *javaLibrary) prepare(ctx context.Context, name string, g *strategy.Group) (Call, error) {
	switch {
	case j.problem != nil:
		return nil, fmt.Errorf("%w: %w", errMissing, j.problem)
	case j.classes == "":
		return nil, fmt.Errorf("%w: %w", errMissing, errors.New("the library is not open"))
	}
	if j.process == nil {
		p, err := startJava(ctx, j.jars()+string(os.PathListSeparator)+j.classes, j.megabytes)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errMissing, err)
		}
		j.process = p
	}
	if err := j.process.group(g); err != nil {
		return nil, j.stop(err)
	}
	return func(ctx context.Context) (plan, time.Duration, error) {
		p, took, err := j.process.assign(ctx, name)
		var thrown thrownError
		if err != nil && !errors.As(err, &thrown) {
			err = j.stop(err)
		}
		return p, took, err
	}, nil
}

// stop ends a process that is of no use any more, and adds what it said.
func (j *javaLibrary) stop(err error) error {
	said := j.process.close()
	j.process = nil
	if said == "" || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w: %s", err, said)
}

// close ends the process and removes what was compiled; the libraries stay in the cache.
func (j *javaLibrary) close() {
	if j.process != nil {
		_ = j.process.close()
		j.process = nil
	}
	if j.classes != "" {
		_ = os.RemoveAll(j.classes)
		j.classes = ""
	}
}
