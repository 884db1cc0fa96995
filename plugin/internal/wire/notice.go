package wire

import (
	pluginproto "github.com/assignkit/assignkit/plugin/proto"
	"github.com/assignkit/assignkit/strategy"
)

// OnAssignmentRequest is what a plugin is told of an assignment. It keeps nothing of what r refers to but its user data.
func OnAssignmentRequest(r strategy.Received) *pluginproto.OnAssignmentRequest {
	topics := newNames(len(r.Partitions))
	c := columns(r.Partitions, topics)
	return &pluginproto.OnAssignmentRequest{
		Group: text(r.Group), Generation: r.Generation, Member: text(r.Member),
		Topics: texts(topics.list), Partitions: c, UserData: r.UserData,
	}
}

// Received is the inverse of [OnAssignmentRequest].
func Received(r *pluginproto.OnAssignmentRequest) (strategy.Received, error) {
	list, err := partitions(r.Partitions, raws(r.Topics))
	if err != nil {
		return strategy.Received{}, err
	}
	return strategy.Received{Group: raw(r.Group), Generation: r.Generation, Member: raw(r.Member), Partitions: list, UserData: r.UserData}, nil
}

// UserDataRequest asks what to send with a join that subscribes to some topics.
func UserDataRequest(topics []string) *pluginproto.UserDataRequest {
	return &pluginproto.UserDataRequest{Topics: texts(topics)}
}

// Topics is the inverse of [UserDataRequest].
func Topics(r *pluginproto.UserDataRequest) []string { return raws(r.Topics) }
