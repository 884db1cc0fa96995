package strategy

import (
	"context"
	"reflect"
	"testing"
)

// sees is an assignor that shows what group it is asked about, and gives everybody what they own.
type sees struct{ group *Group }

func (*sees) Name() string { return "sees" }

func (s *sees) Assign(_ context.Context, g *Group) (Assignment, error) {
	s.group = g
	t, err := Tabulate(g)
	if err != nil {
		return Assignment{}, err
	}
	return t.Assignment(t.Keepers()), nil
}

func TestCooperativeKeepsPromises(t *testing.T) {
	reads := []string{"t"}
	expecting := func(m Member, partitions ...int32) Member {
		m.Expecting = []TopicPartitions{list("t", partitions...)}
		return m
	}
	releasing := func(m Member, partitions ...int32) Member {
		m.Releasing = []TopicPartitions{list("t", partitions...)}
		return m
	}
	draining := func(m Member) Member {
		m.Draining = true
		return m
	}
	for _, c := range []struct {
		name    string
		members []Member
		sees    []string // by partition: who the assignor thinks owns it
	}{
		{"free", []Member{claim("a", 4, reads, 0), expecting(claim("b", 4, reads), 1)}, []string{"a", "b", ""}},
		{"being released", []Member{releasing(claim("a", 4, reads, 0, 1), 1), expecting(claim("b", 4, reads), 1)}, []string{"a", "b", ""}},
		{"owned", []Member{claim("a", 4, reads, 0, 1), expecting(claim("b", 4, reads), 1, 2)}, []string{"a", "a", "b"}},
		{"promised twice", []Member{expecting(claim("a", 4, reads), 1), expecting(claim("b", 4, reads), 1, 2)}, []string{"", "", "b"}},
		{"not subscribed any more", []Member{claim("a", 4, reads, 0), expecting(claim("b", 4, []string{"u"}), 1)}, []string{"a", "", ""}},
		{"about to leave", []Member{claim("a", 4, reads, 0), draining(expecting(claim("b", 4, reads), 1))}, []string{"a", "", ""}},
		{"one about to leave, and one not", []Member{draining(expecting(claim("a", 4, reads), 0, 1)), expecting(claim("b", 4, reads), 1)}, []string{"", "b", ""}},
		{"expected by the first", []Member{expecting(claim("a", 4, reads), 1), claim("b", 4, reads, 0)}, []string{"b", "a", ""}},
		{"beside a dispute", []Member{claim("a", 4, reads, 0), claim("b", 4, reads, 0), expecting(claim("c", 4, reads), 1)}, []string{"", "c", ""}},
		{"beside one of a former subscriber", []Member{claim("a", 4, []string{"u"}, 0), expecting(claim("b", 4, reads), 1)}, []string{"", "b", ""}},
		{"disputed", []Member{claim("a", 4, reads, 1), claim("b", 4, reads, 1), expecting(claim("c", 4, reads), 1)}, []string{"", "", ""}},
		{"a topic that is gone", []Member{claim("a", 4, reads, 0), expecting(claim("b", 4, reads), 7, -1)}, []string{"a", "", ""}},
		{"of an older generation", []Member{claim("a", 4, reads, 0), expecting(claim("b", 2, reads), 1)}, []string{"a", "b", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &Group{Topics: []Topic{{Name: "t", Partitions: 3}}, Members: c.members}
			before := g.Clone()
			inner := &sees{}
			answer, err := Cooperative(inner).Assign(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(g, before) {
				t.Errorf("the group was changed: %+v", g)
			}
			if inner.group.Members[0].Expecting != nil {
				t.Error("the assignor sees hints")
			}
			table, err := Tabulate(inner.group)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i := range 3 {
				id := ""
				if o := table.Owner(i); o >= 0 {
					id = table.Group.Members[o].ID
				}
				got = append(got, id)
			}
			if !reflect.DeepEqual(got, c.sees) {
				t.Errorf("sees %q, want %q", got, c.sees)
			}
			for id, list := range answer.Members {
				for _, tp := range list {
					for _, p := range tp.Partitions {
						for _, m := range c.members {
							if m.ID != id && len(m.Owned) > 0 && contains(m.Owned[0].Partitions, p) {
								t.Errorf("%s is given t-%d, which %s owns", id, p, m.ID)
							}
						}
					}
				}
			}
		})
	}
}

func contains(list []int32, p int32) bool {
	for _, q := range list {
		if q == p {
			return true
		}
	}
	return false
}
