package consumer_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// TestNewRefuses has configurations that are wrong. What is wrong is named, all of it.
func TestNewRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		wrong func(*consumer.Config)
		want  []string
	}{
		"nothing":     {func(c *consumer.Config) { *c = consumer.Config{} }, []string{"Config.Group", "Config.Brokers", "Config.Topics"}},
		"topic":       {func(c *consumer.Config) { c.Topics = []string{"or ders", ""} }, []string{`"or ders" is no name`, `"" is no name`}},
		"address":     {func(c *consumer.Config) { c.Brokers = []string{"localhost", "localhost:9092", "[::1]:9092"} }, []string{`Brokers: "localhost" is no address; host:port is wanted`}},
		"assignors":   {func(c *consumer.Config) { c.Assignors = []strategy.Assignor{} }, []string{"Assignors is empty"}},
		"nil":         {func(c *consumer.Config) { c.Assignors = []strategy.Assignor{nil} }, []string{"Assignors[0] is nil"}},
		"twice":       {func(c *consumer.Config) { c.Assignors = []strategy.Assignor{sticky.Assignor{}, sticky.Assignor{}} }, []string{`two assignors have the name "sticky"`}},
		"capacity":    {func(c *consumer.Config) { c.Capacity = -1 }, []string{"Capacity is -1"}},
		"commits":     {func(c *consumer.Config) { c.Commits = 9 }, []string{"Commits is 9"}},
		"range":       {func(c *consumer.Config) { c.OutOfRange = 9 }, []string{"OutOfRange is 9"}},
		"start":       {func(c *consumer.Config) { c.Start = callbacks.Start{Offset: 7} }, []string{"Start has an offset"}},
		"offset":      {func(c *consumer.Config) { c.Start = callbacks.Start{From: callbacks.FromOffset, Offset: -7} }, []string{"Start: "}},
		"then":        {func(c *consumer.Config) { c.Failure.Then = 9 }, []string{"Failure.Then is 9"}},
		"never":       {func(c *consumer.Config) { c.Failure = consumer.FailurePolicy{Retries: -1, Then: consumer.ThenSkip} }, []string{"Failure.Retries is negative"}},
		"times":       {func(c *consumer.Config) { c.SessionTimeout, c.CloseTimeout = -1, 1 }, []string{"SessionTimeout is -1ns", "CloseTimeout is 1ns"}},
		"heartbeat":   {func(c *consumer.Config) { c.SessionTimeout, c.HeartbeatInterval = time.Second, time.Second }, []string{"HeartbeatInterval 1s has to be shorter than SessionTimeout 1s"}},
		"stalled":     {func(c *consumer.Config) { c.StalledAfter = 500 * time.Millisecond }, []string{"longer than the 500ms"}},
		"buffers":     {func(c *consumer.Config) { c.Buffer = -1 }, []string{"PartitionBuffer and Buffer"}},
		"old brokers": {func(c *consumer.Config) { c.Sarama = sarama.NewConfig(); c.Sarama.Version = sarama.V2_3_0_0 }, []string{"the least is 2.4.0"}},
		"signals": {func(c *consumer.Config) {
			c.Signals = consumer.Signals{Interval: 1, Timeout: -1, MaxAge: -1, Measure: []consumer.Signal{
				{}, {Name: "cpu"}, {Name: "cpu", Members: cpu}, {Name: "uptime", Members: cpu}, {Name: "lag", Members: cpu},
			}}
		}, []string{"Interval is 1ns", "Timeout is -1ns", "MaxAge is -1ns", "Measure[0] has no name", `"cpu" needs one of`, `two signals with the name "cpu"`, `tell "uptime" by themselves`, `"lag" is of partitions`}},
		"no client": {func(c *consumer.Config) { c.Sarama = &sarama.Config{} }, []string{"Config.Sarama"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := config([]string{"127.0.0.1:1"}, "g", "orders")
			test.wrong(&c)
			_, err := consumer.New(c)
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in: %v", want, err)
				}
			}
		})
	}
}

// TestSignalsAreNeverMeasured has an interval that does not end.
func TestSignalsAreNeverMeasured(t *testing.T) {
	c := config([]string{"127.0.0.1:1"}, "g", "orders")
	c.Signals.Interval = math.MaxInt64
	if _, err := consumer.New(c); err != nil {
		t.Error(err)
	}
}

func cpu(context.Context, []strategy.Member) (map[string]float64, error) { return nil, nil }

// honoured are the fields of Sarama's configuration that a consumer takes from it, or need not look at.
var honoured = []string{
	"Admin.", "Net.", "Metadata.", "Producer.", "ClientID", "RackID", "Version", "MetricRegistry",
	"Consumer.Group.Session.Timeout", "Consumer.Group.Heartbeat.Interval", "Consumer.Group.Rebalance.Timeout", "Consumer.Group.InstanceId",
	"Consumer.Group.ResetInvalidOffsets", "Consumer.Retry.Backoff", "Consumer.Fetch.Min", "Consumer.Fetch.Default", "Consumer.Fetch.MaxBytes",
	"Consumer.MaxWaitTime", "Consumer.IsolationLevel", "Consumer.Interceptors", "Consumer.Offsets.AutoCommit.", "Consumer.Offsets.Initial",
}

// TestSaramaFields changes each field of Sarama's configuration by itself: it is honoured, or refused by its name.
func TestSaramaFields(t *testing.T) {
	eachField("", reflect.ValueOf(sarama.NewConfig()).Elem(), nil, func(name string, index []int) {
		s := sarama.NewConfig()
		field := reflect.ValueOf(s).Elem().FieldByIndex(index)
		if !other(field) {
			t.Errorf("%s is of a kind that this test does not know, %s", name, field.Kind())
			return
		}
		cfg := config([]string{"127.0.0.1:1"}, "g", "orders")
		cfg.Sarama = s
		_, err := consumer.New(cfg)
		refused, ok := errors.AsType[*consumer.SaramaError](err)
		wanted := !slices.ContainsFunc(honoured, func(h string) bool { return name == h || strings.HasSuffix(h, ".") && strings.HasPrefix(name, h) })
		if ok != wanted || ok && (len(refused.Fields) != 1 || !strings.HasPrefix(name, refused.Fields[0].Name)) {
			t.Errorf("%s changed: %v", name, err)
		}
	})
}

// eachField calls f for each field that is no struct.
func eachField(prefix string, v reflect.Value, index []int, f func(name string, index []int)) {
	for i := range v.NumField() {
		field, at := v.Type().Field(i), append(slices.Clone(index), i)
		switch {
		case !field.IsExported():
		case field.Type.Kind() == reflect.Struct && field.Type != reflect.TypeFor[sarama.KafkaVersion]():
			eachField(prefix+field.Name+".", v.Field(i), at, f)
		default:
			f(prefix+field.Name, at)
		}
	}
}

// other gives a field another value than it has.
func other(v reflect.Value) bool {
	switch v.Kind() { //nolint:exhaustive // others are not in the configuration
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.String:
		v.SetString("other")
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2)) // none has as many
	case reflect.Func:
		v.Set(reflect.MakeFunc(v.Type(), func([]reflect.Value) []reflect.Value { return []reflect.Value{reflect.Zero(v.Type().Out(0))} }))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Struct:
		v.Set(reflect.ValueOf(sarama.V3_0_0_0))
	case reflect.Interface:
		if b := reflect.TypeFor[sarama.BalanceStrategy](); v.Type() == b {
			v.Set(reflect.ValueOf(sarama.NewBalanceStrategySticky()))
		}
	default:
		return false
	}
	return true
}
