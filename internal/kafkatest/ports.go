package kafkatest

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// Ports come from below those that systems give to outgoing connections: one of those could take the port of a broker that is down.
const (
	firstPort = 15000
	lastPort  = 31000
)

// freePorts returns ports that nobody listens on.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range 100 * n {
		port := firstPort + rand.IntN(lastPort-firstPort)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		defer func() { _ = l.Close() }() // held until all are found, so that none is found twice
		if ports = append(ports, port); len(ports) == n {
			return ports, nil
		}
	}
	return nil, fmt.Errorf("there are no %d free ports between %d and %d", n, firstPort, lastPort)
}
