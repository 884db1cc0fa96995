package consume

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/strategy"
)

// secret begins the names of variables that commands are not shown.
const secret = "ASSIGNKIT_SASL_"

// A hook is a command for the shell, "" for none.
type hook struct {
	flag, command string
	errors        io.Writer // takes what it prints
}

// notice is what a hook reads.
type notice struct {
	Event      string             `json:"event"`
	Group      string             `json:"group"`
	Member     string             `json:"member"`
	Generation int32              `json:"generation"`
	Partitions map[string][]int32 `json:"partitions"`
	Current    map[string][]int32 `json:"current"`
	Reason     string             `json:"reason,omitempty"`
}

// run runs the command and waits until it has ended, or ctx has: then it is killed.
func (h *hook) run(ctx context.Context, what string, e *callbacks.Event, list []strategy.TopicPartitions, reason string) error {
	if h.command == "" {
		return nil
	}
	in, err := json.Marshal(notice{Event: what, Group: e.Group, Member: e.Member, Generation: e.Generation, Partitions: byTopic(list), Current: byTopic(e.Current), Reason: reason})
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", h.command) //nolint:gosec // that is what the flag is for
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(append(in, '\n')), h.errors, h.errors
	cmd.WaitDelay = time.Second // for what the shell has started, and holds its output
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, secret) {
			cmd.Env = append(cmd.Env, v)
		}
	}
	if err := cmd.Run(); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return fmt.Errorf("--%s: %w", h.flag, err)
	}
	return nil
}
