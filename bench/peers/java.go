package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/assignkit/assignkit/internal/kafkatest"
	"github.com/assignkit/assignkit/strategy"
)

//go:embed driver/AssignDriver.java
var driverSource []byte

// A javaLibrary is Kafka's own clients and the process that runs them. It is opened before its peers are asked; peers of one that could
// not be opened are missing, with the reason. It is not safe for concurrent use.
type javaLibrary struct {
	megabytes int // that the process may use

	problem   error  // why it could not be opened
	classes   string // a folder with the compiled driver; "" if not open
	classPath string
	process   *javaProcess
}

// peers are Kafka's own assignors: those of its clients, and those that brokers use for groups of the protocol of KIP-848, which answer what
// members are to have in the end.
func (j *javaLibrary) peers() []Peer {
	var list []Peer
	for _, name := range []string{"cooperative-sticky", "sticky", "range", "roundrobin", "server-uniform", "server-range"} {
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

// open fetches the jars unless they are there, and compiles the driver.
func (j *javaLibrary) open(ctx context.Context) error {
	j.classes, j.classPath, j.problem = kafkatest.Compile(ctx, "AssignDriver.java", driverSource)
	return j.problem
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
		p, err := startJava(ctx, j.classPath, j.megabytes)
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

// close ends the process and removes what was compiled; the jars stay in their cache.
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
