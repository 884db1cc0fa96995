package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// A trace that cannot be written is no success.
func TestConsumeTraceFull(t *testing.T) {
	var out, errs bytes.Buffer
	args := strings.Fields("consume --brokers embedded --group mine --topics orders --count 1 --no-records --trace /dev/full")
	code := Main(context.Background(), args, Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	if want := "assignctl: --trace: write /dev/full: no space left on device\n"; code != exitError || errs.String() != want {
		t.Errorf("exit %d, %q", code, errs.String())
	}
}
