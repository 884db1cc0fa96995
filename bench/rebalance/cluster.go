package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/assignkit/assignkit/internal/kafkatest"
)

// withCluster starts real brokers, calls do, and ends them.
func withCluster(ctx context.Context, brokers int, do func(*kafkatest.Cluster) error) (err error) {
	s := &shim{ctx: ctx}
	defer s.end()
	defer func() {
		if p := recover(); p != nil {
			f, ours := p.(failure)
			if !ours {
				panic(p)
			}
			err = f.err
		}
	}()
	return do(kafkatest.Start(s, kafkatest.Config{Brokers: brokers, Properties: map[string]string{
		"auto.leader.rebalance.enable": "false", // coordinators stay where they are in a run
	}}))
}

// A shim is the test that brokers are started for, where there is none. What would fail the test is a panic with a failure. It has what
// package kafkatest uses; anything else of [testing.TB] panics.
type shim struct {
	testing.TB
	ctx      context.Context
	failed   bool
	cleanups []func()
}

type failure struct{ err error }

func (s *shim) Helper()                  {}
func (s *shim) Context() context.Context { return s.ctx }
func (s *shim) Cleanup(f func())         { s.cleanups = append(s.cleanups, f) }
func (s *shim) Failed() bool             { return s.failed }

func (s *shim) Fatal(args ...any) {
	s.failed = true
	panic(failure{fmt.Errorf("%s", fmt.Sprint(args...))})
}

func (s *shim) Fatalf(format string, args ...any) { s.Fatal(fmt.Sprintf(format, args...)) }

// Errorf and Logf are called when the brokers have ended.
func (s *shim) Errorf(format string, args ...any) {
	s.failed = true
	s.Logf(format, args...)
}

func (s *shim) Logf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

func (s *shim) end() {
	for _, f := range slices.Backward(s.cleanups) {
		f()
	}
}
