package plugin

import (
	"context"
	"log/slog"
	"reflect"
	"testing"
	"time"

	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
	"github.com/assignkit/assignkit/strategy/strategytest"
)

// A plugin answers as its assignor does in this process, also if it prints before it serves.
func TestAnswers(t *testing.T) {
	for _, name := range []string{"sticky", "prints"} {
		t.Run(name, func(t *testing.T) {
			a, err := Unlocked(context.Background(), Config{Logger: slog.New(slog.NewTextHandler(t.Output(), nil)), Private: t.TempDir()}, executable(t, folder(t), name))
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range testGroups() {
				got, err := a.Assign(context.Background(), g)
				want, _ := sticky.Assignor{}.Assign(context.Background(), g)
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %v, %v, want %v", g.Name, got, err, want)
				}
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
	strategytest.Options{Patience: time.Minute}.Run(t, func() strategy.Assignor { return a })
}
