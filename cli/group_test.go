package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
)

// An assertion that fails has an exit code of its own, behind the answer.
func TestMainAssertion(t *testing.T) {
	c := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: "t", Partitions: 2, Records: []int{3}})
	if _, err := embeddedtest.Admin(t, c).AlterConsumerGroupOffsets("left", map[string]map[int32]sarama.OffsetAndMetadata{"t": {0: {Offset: 1}}}, nil); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := Main(context.Background(), []string{"group", "describe", "left", "--assert-owned", "--brokers", c.Addrs()[0]}, Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	if want := "assignctl: group left has no members; nobody consumes t:0,1\n"; code != exitAssertion || errs.String() != want || !strings.Contains(out.String(), "NOBODY CONSUMES t:0,1\n") {
		t.Errorf("exit %d, %q\n%s", code, errs.String(), out.String())
	}
}
