package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A verdict says what an error of a call means for the process.
type verdict int

const (
	verdictAnswered  verdict = iota // it works
	verdictAbandoned                // nobody waits for its answer any more; it may still be busy with it
	verdictUseless                  // it crashed, hangs or talks nonsense
)

func judge(ctx context.Context, p *process, err error) (verdict, error) {
	text := cleanStatus(err)
	switch code := status.Code(err); {
	case errors.Is(ctx.Err(), context.Canceled):
		return verdictAbandoned, ctx.Err()
	case ctx.Err() != nil:
		return verdictUseless, fmt.Errorf("%w: %w", ErrUnresponsive, ctx.Err())
	case code == codes.Unavailable, code == codes.Canceled && isOurs(text.Error()): // or this side has closed the connection, as the process is gone
		if how := p.runner.ending(ctx); how != "" {
			return verdictUseless, fmt.Errorf("%w: %s", ErrCrashed, how)
		}
		return verdictUseless, fmt.Errorf("%w: the connection broke: %w", ErrCrashed, text)
	case code == codes.DeadlineExceeded, code == codes.Canceled: // its server gave up, a moment before this side; what it asked may go on
		return verdictUseless, fmt.Errorf("%w: %w", ErrUnresponsive, text)
	case code == codes.ResourceExhausted:
		return verdictUseless, fmt.Errorf("%w: %w", ErrTooLarge, text)
	case code == codes.Internal && isOurs(text.Error()):
		return verdictUseless, fmt.Errorf("%w: %w", ErrAnswer, text)
	case errors.Is(err, ErrAnswer):
		return verdictUseless, err
	}
	return verdictAnswered, text
}

// isOurs says whether an error is one of this side's gRPC, about what it was sent or what it did, and not one that was sent.
func isOurs(text string) bool {
	return strings.HasPrefix(text, "grpc: ") || strings.HasPrefix(text, "cardinality violation") || text == io.ErrUnexpectedEOF.Error()
}

// messageSize is the most that is kept of an error's text that a plugin has sent.
const messageSize = 1 << 10

// cleanStatus is a call's error without gRPC's words around it.
func cleanStatus(err error) error {
	if st, ok := status.FromError(err); ok {
		return errors.New(printable(st.Message(), messageSize))
	}
	return err
}
