package embedded

import (
	"context"

	"github.com/IBM/sarama"
	"golang.org/x/sync/errgroup"
)

// sampleTopics are a shop's.
var sampleTopics = []Topic{
	{Name: "orders", Partitions: 12, Records: []int{40, 25, 30, 10}},
	{Name: "payments", Partitions: 6, Records: []int{20, 15}},
	{Name: "clicks", Partitions: 8, Records: []int{50}},
}

// sampleGroups read them, each with a strategy of its own, and lag behind in different ways.
var sampleGroups = []Group{
	{Name: "billing", Strategy: sarama.NewBalanceStrategySticky, Members: 3, Topics: []string{"orders", "payments"}, Lag: []int64{3, 0, 7}},
	{Name: "shipping", Strategy: sarama.NewBalanceStrategyCooperativeSticky, Members: 2, Topics: []string{"orders"}, Lag: []int64{0, 1}},
	{Name: "audit", Strategy: sarama.NewBalanceStrategyRange, Members: 3, Topics: []string{"clicks", "orders"}, Lag: []int64{12, 0, 0, 0}},
}

// StartSample starts a cluster with topics, records, and consumer groups whose members are alive: billing (sticky), shipping
// (cooperative-sticky) and audit (range). It returns when the groups are at rest. Names, counts, offsets and lags are the same in each
// run; the ids of members begin with the same names but are random behind them. The caller closes it.
func StartSample(ctx context.Context) (*Cluster, error) {
	c, err := Start(ctx, Options{})
	if err != nil {
		return nil, err
	}
	if err := c.fill(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) fill(ctx context.Context) error {
	if err := c.Create(ctx, sampleTopics...); err != nil {
		return err
	}
	members, end := context.WithCancel(context.Background()) // they outlive ctx
	c.end = end
	joining, ctx := errgroup.WithContext(ctx)
	for _, g := range sampleGroups {
		joining.Go(func() error { return c.join(ctx, members, g) })
	}
	return joining.Wait()
}
