package plugin

import (
	"regexp"
	"strconv"
)

// A handshakeLine is what go-plugin's protocol has a plugin print: core version, version, network, address, protocol, certificate.
type handshakeLine struct {
	version  int
	network  string
	address  string
	protocol string // "grpc", or what this package does not speak
}

var handshakePattern = regexp.MustCompile(`1\|(\d{1,9})\|(unix|tcp)\|([^|]*)(?:\|([a-z]+)(?:\|.*)?)?$`)

// parseHandshake finds a handshake at the end of a line, and what stands before it: something that was printed without an end of line.
func parseHandshake(line string) (before string, shake handshakeLine, ok bool) {
	m := handshakePattern.FindStringSubmatchIndex(line)
	if m == nil {
		return "", handshakeLine{}, false
	}
	shake = handshakeLine{network: line[m[4]:m[5]], address: line[m[6]:m[7]], protocol: "netrpc"}
	if m[8] >= 0 {
		shake.protocol = line[m[8]:m[9]]
	}
	shake.version, _ = strconv.Atoi(line[m[2]:m[3]]) // has at most nine digits
	return line[:m[0]], shake, true
}
