package connect

import (
	"crypto/tls"
	"time"

	"github.com/IBM/sarama"
	"github.com/xdg-go/scram"
)

// clientID is how brokers know the program, in their logs and quotas.
const clientID = "assignctl"

// A broker that refuses is asked again a little later, as it may be starting.
const (
	retries = 2
	backoff = 200 * time.Millisecond
)

// config returns Sarama's for the target. Connections go through the gate.
func (t *target) config(secured *tls.Config, g *gate) *sarama.Config {
	c := sarama.NewConfig()
	c.ClientID = clientID
	c.Version = sarama.MaxVersion // Sarama asks each broker what it understands and sends that, so this is only the upper bound
	if t.version != "" {
		c.Version, _ = kafkaVersion(t.version) // was checked where it was set
	}
	c.Net.DialTimeout, c.Net.ReadTimeout, c.Net.WriteTimeout = t.timeout, t.timeout, t.timeout
	c.Net.Proxy.Enable, c.Net.Proxy.Dialer = true, g
	c.Metadata.Timeout = t.timeout
	c.Metadata.Retry.Max = retries
	c.Metadata.Retry.BackoffFunc = func(int, int) time.Duration { return g.backoff() }
	c.Metadata.AllowAutoTopicCreation = false
	c.Admin.Timeout = t.timeout
	c.Admin.Retry.Max, c.Admin.Retry.Backoff = retries, backoff
	if secured != nil {
		c.Net.TLS.Enable, c.Net.TLS.Config = true, secured
	}
	t.login(c)
	return c
}

func (t *target) login(c *sarama.Config) {
	if t.mechanism == "" || t.embedded() {
		return
	}
	sasl := &c.Net.SASL
	sasl.Enable, sasl.Handshake, sasl.Version = true, true, sarama.SASLHandshakeV1
	sasl.Mechanism, sasl.User, sasl.Password = sarama.SASLMechanism(t.mechanism), t.user, t.password.Reveal()
	switch t.mechanism {
	case scramSHA256:
		sasl.SCRAMClientGeneratorFunc = scramLogins(scram.SHA256)
	case scramSHA512:
		sasl.SCRAMClientGeneratorFunc = scramLogins(scram.SHA512)
	case oauthBearer:
		sasl.TokenProvider = tokenFile(t.tokenFile)
	}
}
