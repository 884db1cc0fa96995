package protocol

import "github.com/assignkit/assignkit/strategy"

// Fit is the beginning of a list that takes at most so many bytes as an item of user data. What hints say of more partitions than there is
// room for is left out: without it nothing is wrong, only slower.
func Fit(list []strategy.TopicPartitions, room int) []strategy.TopicPartitions {
	room -= itemHead + 4
	for i := range list {
		room -= 2 + len(list[i].Topic) + 4
		n := len(list[i].Partitions)
		if room -= 4 * n; room >= 0 {
			continue
		}
		fits := n - (-room+3)/4
		if fits <= 0 {
			return list[:i:i]
		}
		return append(list[:i:i], strategy.TopicPartitions{Topic: list[i].Topic, Partitions: list[i].Partitions[:fits:fits]})
	}
	return list
}

// HintRoom is how many bytes of user data hints may take in all beside what an assignor of one's own sends.
func HintRoom(assignor []byte) int {
	return MaxUserData - len(userDataHead) - 1 - 4 - 4 - len(assignor) - 2*itemHead - 8
}
