package explain

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/assignkit/assignkit/strategy"
)

// ParsePartition takes TOPIC:PARTITION, as partitions are shown.
func ParsePartition(text string) (strategy.TopicPartition, error) {
	colon := strings.LastIndexByte(text, ':')
	if colon <= 0 {
		return strategy.TopicPartition{}, fmt.Errorf("%q is not TOPIC:PARTITION, such as orders:7", text)
	}
	n, err := strconv.ParseUint(text[colon+1:], 10, 31)
	if err != nil {
		return strategy.TopicPartition{}, fmt.Errorf("%q: %q is not the number of a partition", text, text[colon+1:])
	}
	return strategy.TopicPartition{Topic: text[:colon], Partition: int32(n)}, nil
}
