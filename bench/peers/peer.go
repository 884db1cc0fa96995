package main

import (
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// A Peer is one assignor of one library.
type Peer struct {
	Library, Assignor string

	// Cooperative peers withhold what is to move for a round: they are asked again until they have handed out everything.
	Cooperative bool

	// Outside says that the assignor runs in a process of its own and ends when the call's context does.
	Outside bool

	// Prepare turns a group into what the library takes, claims as its clients would send them. It is not timed, and called anew
	// for each call, as libraries change what they are given. It must not change the group.
	Prepare func(ctx context.Context, g *strategy.Group) (Call, error)
}

// A Call has the assignor answer once and says how long that took, without preparation and without turning the answer into a plan.
type Call func(ctx context.Context) (plan, time.Duration, error)

// String names the peer, as in franz-go/cooperative-sticky.
func (p Peer) String() string { return p.Library + "/" + p.Assignor }

// protocol is what the peer's answers are checked by.
func (p *Peer) protocol() strategy.Protocol {
	if p.Cooperative {
		return strategy.ProtocolCooperative
	}
	return strategy.ProtocolEager
}

// all lists the peers, ours first.
func all(java *javaLibrary) []Peer {
	return slices.Concat(ourPeers(), franzPeers(), saramaPeers(), kafkagoPeers(), java.peers())
}

// choose returns ours and those whose name matches.
func choose(list []Peer, match *regexp.Regexp) []Peer {
	return slices.DeleteFunc(list, func(p Peer) bool { return p.Library != ours && !match.MatchString(p.String()) })
}

// ownedMap writes a list as the map that most libraries have for it, in memory of its own.
func ownedMap(list []strategy.TopicPartitions) map[string][]int32 {
	m := make(map[string][]int32, len(list))
	for _, tp := range list {
		m[tp.Topic] = append(m[tp.Topic], tp.Partitions...)
	}
	return m
}
