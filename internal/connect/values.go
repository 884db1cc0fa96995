package connect

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/suggest"
)

// What flags and profiles can say is read here, for both.

// addresses reads a list of brokers.
func addresses(text string) ([]string, error) {
	var list []string
	for part := range strings.SplitSeq(text, ",") {
		addr, err := address(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		if !slices.Contains(list, addr) {
			list = append(list, addr)
		}
	}
	if len(list) > 1 && slices.Contains(list, Embedded) {
		return nil, fmt.Errorf("%s is a cluster of its own and cannot be one of several brokers", Embedded)
	}
	return list, nil
}

func address(text string) (string, error) {
	if text == Embedded {
		return text, nil
	}
	if text == "" {
		return "", errors.New("an address is empty; HOST:PORT is wanted")
	}
	if strings.Contains(text, "@") { // what is before it may be a password
		return "", errors.New("an address has a login in it; HOST:PORT is wanted, and --sasl-user")
	}
	if _, rest, ok := strings.Cut(text, "://"); ok {
		return "", fmt.Errorf("%q is a URL; brokers are HOST:PORT, as in %s", text, rest)
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		if !strings.Contains(text, ":") {
			return "", fmt.Errorf("%q has no port; HOST:PORT is wanted, as in %s:9092", text, text)
		}
		return "", fmt.Errorf("%q is not HOST:PORT; IPv6 addresses go in brackets, as in [::1]:9092", text)
	}
	if n, err := strconv.Atoi(port); host == "" || err != nil || n < 1 || n > 65535 {
		return "", fmt.Errorf("%q is not HOST:PORT with a port from 1 to 65535", text)
	}
	return text, nil
}

func (s *settings) setMechanism(text string) error {
	for _, m := range mechanisms {
		if strings.EqualFold(text, m) {
			s.mechanism = m
			return nil
		}
	}
	if near := suggest.Nearest(strings.ToUpper(text), mechanisms); near != "" {
		return fmt.Errorf("there is no mechanism %q; did you mean %s?", text, near)
	}
	return fmt.Errorf("there is no mechanism %q; there are %s", text, strings.Join(mechanisms, ", "))
}

func (s *settings) setTimeout(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < time.Millisecond || d > time.Hour {
		return fmt.Errorf("%q is not a time from 1ms to 1h, such as 5s", text)
	}
	s.timeout = d
	return nil
}

// oldest is the oldest version that commands work with.
var oldest = sarama.V2_4_0_0

func (s *settings) setVersion(text string) error {
	v, err := kafkaVersion(text)
	if err != nil {
		return err
	}
	s.version = v.String()
	return nil
}

// kafkaVersion reads 3.6 and 3.6.1.
func kafkaVersion(text string) (sarama.KafkaVersion, error) {
	full := text
	if strings.Count(full, ".") == 1 {
		full += ".0"
	}
	v, err := sarama.ParseKafkaVersion(full)
	switch {
	case err != nil:
		return v, fmt.Errorf("%q is not a version of Kafka, such as 3.6.0", text)
	case !v.IsAtLeast(oldest):
		return v, fmt.Errorf("%s is too old; %s is the oldest that works", text, oldest)
	}
	return v, nil
}
