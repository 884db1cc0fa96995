package consumer

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
)

// clientID is how brokers know a consumer that says nothing else, in their logs and quotas.
const clientID = "assignkit"

// A SaramaError names fields of [Config.Sarama] that differ from Sarama's default and cannot be honoured.
//
// Honoured are ClientID, RackID, Version, all of Net but MaxOpenRequests, all of Metadata but Full and AllowAutoTopicCreation (topics are
// never created), MetricRegistry, and of Consumer: Fetch.Min, Fetch.Default, Fetch.MaxBytes, MaxWaitTime, IsolationLevel, Retry.Backoff,
// Interceptors; and, where Config has no value of its own, Group.InstanceId, Group.Session.Timeout, Group.Heartbeat.Interval,
// Group.Rebalance.Timeout, Group.ResetInvalidOffsets, Offsets.AutoCommit and Offsets.Initial. What equals Sarama's default cannot be told from
// what was not set: so records are read from the earliest unless [Config.Start] says otherwise, and the version is the newest one that the
// brokers and Sarama know. Producer and Admin are not looked at, so that one configuration can serve a whole program.
type SaramaError struct{ Fields []SaramaField }

// A SaramaField is one such field.
type SaramaField struct {
	Name    string // as in "Consumer.Return.Errors"
	Instead string // what to do instead
}

func (e *SaramaError) Error() string {
	parts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		parts[i] = fmt.Sprintf("%s (%s)", f.Name, f.Instead)
	}
	return "consumer: Config.Sarama has what cannot be honoured: " + strings.Join(parts, "; ")
}

// fromSarama takes over what Sarama's configuration says and Config does not, and refuses what cannot be honoured.
func (c *Config) fromSarama() error {
	if c.Sarama == nil {
		return nil
	}
	own := *c.Sarama
	c.Sarama = &own
	s, zero := c.Sarama, sarama.NewConfig()
	from := func(to *time.Duration, value, zero time.Duration) {
		if *to == 0 && value != zero {
			*to = value
		}
	}
	g := &s.Consumer.Group
	from(&c.SessionTimeout, g.Session.Timeout, zero.Consumer.Group.Session.Timeout)
	from(&c.HeartbeatInterval, g.Heartbeat.Interval, zero.Consumer.Group.Heartbeat.Interval)
	from(&c.RebalanceTimeout, g.Rebalance.Timeout, zero.Consumer.Group.Rebalance.Timeout)
	from(&c.CommitInterval, s.Consumer.Offsets.AutoCommit.Interval, zero.Consumer.Offsets.AutoCommit.Interval)
	if c.InstanceID == "" {
		c.InstanceID = g.InstanceId
	}
	if !s.Consumer.Offsets.AutoCommit.Enable {
		c.Commits = CommitManual
	}
	if !g.ResetInvalidOffsets && c.OutOfRange == OutOfRangeEarliest {
		c.OutOfRange = OutOfRangeFail
	}
	if s.Consumer.Offsets.Initial == sarama.OffsetOldest && c.Start.From == callbacks.FromCommitted {
		c.Start.From = callbacks.FromEarliest
	}
	return errors.Join(refused(s, zero), checkVersion(s, zero), validSarama(s))
}

// refused reports what cannot be honoured.
func refused(s, zero *sarama.Config) error {
	var e SaramaError
	g, zg := &s.Consumer.Group, &zero.Consumer.Group
	strategies := slices.EqualFunc(g.Rebalance.GroupStrategies, zg.Rebalance.GroupStrategies, func(a, b sarama.BalanceStrategy) bool {
		return a != nil && reflect.TypeOf(a) == reflect.TypeOf(b) && a.Name() == b.Name()
	})
	for _, f := range []struct {
		is            bool
		name, instead string
	}{
		{g.Rebalance.Strategy != nil, "Consumer.Group.Rebalance.Strategy", "set Config.Assignors"},
		{!strategies, "Consumer.Group.Rebalance.GroupStrategies", "set Config.Assignors"},
		{g.Rebalance.Retry != zg.Rebalance.Retry, "Consumer.Group.Rebalance.Retry", "joining is tried until it succeeds"},
		{len(g.Member.UserData) > 0, "Consumer.Group.Member.UserData", "what is sent is the assignor's; see strategy.UserDataProvider, or set Config.Labels"},
		{s.Consumer.Retry.BackoffFunc != nil, "Consumer.Retry.BackoffFunc", "set Consumer.Retry.Backoff"},
		{s.Consumer.Retry.Max != zero.Consumer.Retry.Max, "Consumer.Retry.Max", "reading is tried until it succeeds"},
		{s.Consumer.Fetch.Max != 0, "Consumer.Fetch.Max", "records larger than Fetch.Default are read all the same; set Config.PartitionBuffer"},
		{s.Consumer.MaxProcessingTime != zero.Consumer.MaxProcessingTime, "Consumer.MaxProcessingTime", "a slow handler stops nobody else; set Config.StuckAfter"},
		{s.Consumer.Return.Errors, "Consumer.Return.Errors", "there is no channel of errors; set Config.Observer"},
		{s.Consumer.Offsets.CommitInterval != 0, "Consumer.Offsets.CommitInterval", "set Config.CommitInterval"},
		{s.Consumer.Offsets.Retention != 0, "Consumer.Offsets.Retention", "brokers decide since Kafka 2.1: offsets.retention.minutes"},
		{s.Consumer.Offsets.Retry.Max != zero.Consumer.Offsets.Retry.Max, "Consumer.Offsets.Retry.Max", "commits are sent until they are answered"},
		{s.ChannelBufferSize != zero.ChannelBufferSize, "ChannelBufferSize", "set Config.PartitionBuffer, in bytes"},
		{!s.ApiVersionsRequest, "ApiVersionsRequest", "versions are always agreed on with the brokers"},
	} {
		if f.is {
			e.Fields = append(e.Fields, SaramaField{Name: f.name, Instead: f.instead})
		}
	}
	if len(e.Fields) > 0 {
		return &e
	}
	return nil
}

// checkVersion takes the newest version where none was set, and refuses brokers that are too old for the group protocol as it is spoken here.
func checkVersion(s, zero *sarama.Config) error {
	if s.Version == zero.Version {
		s.Version = sarama.MaxVersion
		return nil
	}
	if !s.Version.IsAtLeast(sarama.V2_4_0_0) {
		return fmt.Errorf("consumer: Config.Sarama.Version is %v; the least is 2.4.0", s.Version)
	}
	return nil
}

func validSarama(s *sarama.Config) error {
	if err := s.Validate(); err != nil {
		return fmt.Errorf("consumer: Config.Sarama: %w", err)
	}
	return nil
}

// saramaConfig is what clients and connections are made with. It may be changed.
func (c *Config) saramaConfig() *sarama.Config {
	conf := sarama.NewConfig()
	if c.Sarama != nil {
		own := *c.Sarama
		conf = &own
	} else {
		conf.ClientID = clientID
		conf.Version = sarama.MaxVersion
	}
	conf.Metadata.Full = false // the cluster may have many topics
	conf.Metadata.AllowAutoTopicCreation = false
	conf.Net.MaxOpenRequests = 1
	return conf
}
