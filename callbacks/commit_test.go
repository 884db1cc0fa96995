package callbacks_test

import (
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/strategy"
)

type offsets = map[strategy.TopicPartition]callbacks.Offset

func TestCommit(t *testing.T) {
	tooLarge := errors.New("metadata too large")
	down := errors.New("coordinator not available")
	for _, test := range []struct {
		name   string
		commit offsets
		host   error
		sent   offsets // to the host
		want   string  // the error
	}{
		{"removed", offsets{order(1): {Offset: 5, Metadata: "m"}}, nil, offsets{order(1): {Offset: 5, Metadata: "m"}}, ""},
		{"current", offsets{order(8): {Offset: 5}}, nil, offsets{order(8): {Offset: 5}}, ""},
		{"nothing", nil, nil, nil, ""},
		{"not owned", offsets{order(1): {Offset: 5}, order(3): {}}, nil, offsets{order(1): {Offset: 5}},
			"not committed: orders-3: not the member's partition"},
		{"only not owned", offsets{order(3): {}, order(4): {}}, nil, nil, "not committed: orders-3, orders-4: not the member's partition"},
		{"negative", offsets{order(1): {Offset: -1}}, nil, nil, "not committed: orders-1: offset -1 is negative"},
		{"one refused", offsets{order(1): {}, order(2): {}, order(3): {}},
			&callbacks.CommitError{Failed: map[strategy.TopicPartition]error{order(2): tooLarge}}, offsets{order(1): {}, order(2): {}},
			"not committed: orders-2: metadata too large; orders-3: not the member's partition"},
		{"all refused", offsets{order(1): {}, order(2): {}, order(3): {}}, down, offsets{order(1): {}, order(2): {}},
			"not committed: orders-1, orders-2: coordinator not available; orders-3: not the member's partition"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &callbacks.Revocation{Event: billing(8), Removed: orders(1, 2)}
			var sent offsets
			r.CommitFunc = func(_ context.Context, o map[strategy.TopicPartition]callbacks.Offset) error {
				sent = o
				return test.host
			}
			err := r.Commit(t.Context(), test.commit)
			if !maps.Equal(sent, test.sent) {
				t.Errorf("sent %v, want %v", sent, test.sent)
			}
			switch {
			case test.want == "" && err != nil:
				t.Errorf("got error %v", err)
			case test.want != "" && (err == nil || err.Error() != test.want):
				t.Errorf("got error %v, want %s", err, test.want)
			}
		})
	}
}

func TestCommitErrorIsEachCause(t *testing.T) {
	down := errors.New("coordinator not available")
	err := error(&callbacks.CommitError{Failed: map[strategy.TopicPartition]error{order(1): down, order(2): callbacks.ErrNotOwned}})
	if !errors.Is(err, down) || !errors.Is(err, callbacks.ErrNotOwned) || errors.Is(err, callbacks.ErrEnded) {
		t.Errorf("%v is not what it says", err)
	}
}

func TestCommitAfterEnd(t *testing.T) {
	r := revocation(1)
	r.CommitFunc = func(context.Context, map[strategy.TopicPartition]callbacks.Offset) error {
		t.Error("the host was asked")
		return nil
	}
	r.End()
	if err := r.Commit(t.Context(), offsets{order(1): {}}); !errors.Is(err, callbacks.ErrEnded) {
		t.Errorf("got %v, want ErrEnded", err)
	}
}

func TestCommitWithoutHost(t *testing.T) {
	if err := revocation(1).Commit(t.Context(), offsets{order(1): {}}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got %v, want ErrUnsupported", err)
	}
}
