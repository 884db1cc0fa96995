package plugin

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/assignkit/assignkit/strategy"
	"github.com/assignkit/assignkit/strategy/strategytest"
)

func TestSmoke(t *testing.T) {
	for _, name := range []string{"sticky", "prints"} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			a, err := Unlocked(context.Background(), Config{Logger: slog.New(slog.NewTextHandler(t.Output(), nil)), Private: t.TempDir()}, executable(t, folder(t), name))
			if err != nil {
				t.Fatal(err)
			}
			t.Log(time.Since(began), a.Name())
			for _, g := range testGroups() {
				began := time.Now()
				got, err := a.Assign(context.Background(), g)
				t.Log(time.Since(began), got, err)
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestContract(t *testing.T) {
	a, err := Unlocked(context.Background(), Config{Private: t.TempDir()}, executable(t, folder(t), "sticky"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	strategytest.Run(t, func() strategy.Assignor { return a })
}
