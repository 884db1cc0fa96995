package strategytest

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/assignkit/assignkit/internal/groupjson"
	"github.com/assignkit/assignkit/strategy"
)

// different says where two answers to one group differ, "" if nowhere. The order of Unassigned makes no difference, nor does an empty list
// for a missing one.
func different(a, b *strategy.Assignment) string {
	if !maps.EqualFunc(a.Members, b.Members, equalLists) || !slices.Equal(reasons(a), reasons(b)) {
		return fmt.Sprintf("%s\nand then\n%s", groupjson.AppendAnswer(nil, a), groupjson.AppendAnswer(nil, b))
	}
	if !maps.EqualFunc(a.UserData, b.UserData, bytes.Equal) {
		return fmt.Sprintf("user data %q\nand then %q", a.UserData, b.UserData)
	}
	return ""
}

func equalLists(a, b []strategy.TopicPartitions) bool {
	return slices.EqualFunc(a, b, strategy.TopicPartitions.Equal)
}

// reason is an entry of Unassigned that can be compared.
type reason struct {
	strategy.TopicPartition
	reason strategy.Reason
	with   strategy.TopicPartition
}

func reasons(a *strategy.Assignment) []reason {
	list := make([]reason, len(a.Unassigned))
	for i, u := range a.Unassigned {
		list[i] = reason{TopicPartition: strategy.TopicPartition{Topic: u.Topic, Partition: u.Partition}, reason: u.Reason}
		if u.With != nil {
			list[i].with = *u.With
		}
	}
	slices.SortFunc(list, func(a, b reason) int {
		return cmp.Or(a.Compare(b.TopicPartition), cmp.Compare(a.reason, b.reason), a.with.Compare(b.with))
	})
	return list
}

// copied returns a copy of an answer that shares nothing with it.
func copied(a *strategy.Assignment) strategy.Assignment {
	c := strategy.Assignment{Members: map[string][]strategy.TopicPartitions{}}
	for id, list := range a.Members {
		own := make([]strategy.TopicPartitions, len(list))
		for i := range list {
			own[i] = strategy.TopicPartitions{Topic: list[i].Topic, Partitions: slices.Clone(list[i].Partitions)}
		}
		c.Members[id] = own
	}
	for _, u := range a.Unassigned {
		if u.With != nil {
			with := *u.With
			u.With = &with
		}
		c.Unassigned = append(c.Unassigned, u)
	}
	if a.UserData != nil {
		c.UserData = map[string][]byte{}
	}
	for id, data := range a.UserData {
		c.UserData[id] = slices.Clone(data)
	}
	return c
}
