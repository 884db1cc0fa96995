package simulation

import (
	"fmt"
	"maps"
	"slices"

	"github.com/assignkit/assignkit/internal/expression"
)

// ownerFunction tells who has a partition after the step, "" if nobody has, or if it is not there at that step. A topic that is never
// there is an error: the name is wrong, and a comparison with != would hold for ever.
var ownerFunction = expression.Function{
	Name: "owner", Usage: `owner("topic", number)`,
	Call: func(env any, a ...any) (any, error) {
		v, topic, number := env.(*variables), a[0].(string), a[1].(int)
		id, words, err := v.owner(topic, number)
		if len(v.asked) < maxShown && err == nil {
			v.asked = append(v.asked, fmt.Sprintf("owner(%q, %d) is %s", clip(topic), number, words))
		}
		return id, err
	},
	Types: []any{(func(string, int) string)(nil)},
}

// owner returns a member's id, and what to say of it.
func (v *variables) owner(topic string, number int) (id, words string, err error) {
	n, ok := v.table.Topic(topic)
	if !ok {
		all := v.topics()
		if !all[topic] {
			return "", "", fmt.Errorf("no topic %q at any step%s", clip(topic), nearest(topic, sorted(slices.Collect(maps.Keys(all)))))
		}
		return "", "nobody, as the topic is not there", nil
	}
	if number < 0 || number >= int(v.table.Group.Topics[n].Partitions) {
		return "", "nobody, as the partition is not there", nil
	}
	if id = v.idOf(int(v.owners[v.table.Base(n)+number])); id == "" {
		return "", "nobody", nil
	}
	return id, fmt.Sprintf("%q", clip(id)), nil
}

func (v *variables) idOf(member int) string {
	if member < 0 {
		return ""
	}
	return v.table.Group.Members[member].ID
}
