package histories

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/strategy"
)

// A Spec is how a process is started.
type Spec struct {
	Name, Instance string
	Offers         []string      // wire names; cooperative-sticky if empty
	Topics         []string      // all if empty
	Callback       time.Duration // how long its callbacks take; 1 ms if 0
	Slow           map[membership.Kind]time.Duration
	Seed           uint64
	FailAssign     bool
	Drain          bool          // it drains from the beginning
	Plan           time.Duration // how long its assignor takes the first time
	FailPlan       bool          // its assignor fails
	Looks          time.Duration // between looks at the topics; 500 ms if 0
	Garbage        bool          // what it says when it joins makes no sense
	HandOver       bool          // it takes part in hand-overs
	Rack           string
}

// config returns the timings of members in histories, short so that much happens.
func (s *Spec) config() membership.Config {
	offers := s.Offers
	if len(offers) == 0 {
		offers = []string{"cooperative-sticky"}
	}
	cfg := membership.Config{Group: groupName, ClientID: s.Name, InstanceID: s.Instance, Rack: s.Rack, Session: 6 * time.Second, Rebalance: 4 * time.Second,
		Heartbeat: time.Second, Request: 2 * time.Second, Leave: 5 * time.Second, Seed: s.Seed, HandOver: s.HandOver}
	for _, name := range offers {
		cfg.Offers = append(cfg.Offers, membership.Offer{Name: name, Protocol: strategy.ProtocolOf(assignors[name])})
	}
	return cfg
}

// String renders a process in script notation.
func (s Spec) String() string {
	var b strings.Builder
	b.WriteString(s.Name)
	add := func(key, value string) { fmt.Fprintf(&b, " %s=%s", key, value) }
	if s.Instance != "" {
		add("instance", s.Instance)
	}
	if s.Rack != "" {
		add("rack", s.Rack)
	}
	if len(s.Offers) > 0 {
		add("offers", strings.Join(s.Offers, ","))
	}
	if len(s.Topics) > 0 {
		add("topics", strings.Join(s.Topics, ","))
	}
	if s.Seed > 0 {
		add("seed", strconv.FormatUint(s.Seed, 10))
	}
	for _, d := range []struct {
		key   string
		value time.Duration
	}{{"callback", s.Callback}, {"plan", s.Plan}, {"looks", s.Looks}} {
		if d.value > 0 {
			add(d.key, d.value.String())
		}
	}
	for _, k := range []membership.Kind{membership.Assign, membership.Revoke, membership.Lost} {
		if d := s.Slow[k]; d > 0 {
			add(k.String(), d.String())
		}
	}
	for _, f := range []struct {
		key string
		on  bool
	}{{"fail", s.FailAssign}, {"failplan", s.FailPlan}, {"garbage", s.Garbage}, {"handover", s.HandOver}} {
		if f.on {
			b.WriteString(" " + f.key)
		}
	}
	return b.String()
}

// parseSpec reads what [Spec.String] writes.
func parseSpec(f []string) (Spec, error) {
	s := Spec{Name: f[0], Slow: map[membership.Kind]time.Duration{}}
	for _, arg := range f[1:] {
		key, value, _ := strings.Cut(arg, "=")
		d, err := time.ParseDuration(value)
		switch key {
		case "instance":
			s.Instance, err = value, nil
		case "rack":
			s.Rack, err = value, nil
		case "offers":
			s.Offers, err = strings.Split(value, ","), nil
		case "topics":
			s.Topics, err = strings.Split(value, ","), nil
		case "fail":
			s.FailAssign, err = true, nil
		case "failplan":
			s.FailPlan, err = true, nil
		case "garbage":
			s.Garbage, err = true, nil
		case "handover":
			s.HandOver, err = true, nil
		case "plan":
			s.Plan = d
		case "looks":
			s.Looks = d
		case "seed":
			s.Seed, err = strconv.ParseUint(value, 10, 64)
		case "callback":
			s.Callback = d
		case "assign":
			s.Slow[membership.Assign] = d
		case "revoke":
			s.Slow[membership.Revoke] = d
		case "lost":
			s.Slow[membership.Lost] = d
		default:
			err = fmt.Errorf("no setting %q", key)
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}
