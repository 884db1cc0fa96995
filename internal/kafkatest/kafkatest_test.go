//go:build kafka

package kafkatest_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/connect"
	"github.com/assignkit/assignkit/internal/kafkatest"
)

// read checks that a topic has exactly these values at its start.
func read(t *testing.T, c sarama.Client, topic string, values ...string) {
	t.Helper()
	consumer, err := sarama.NewConsumerFromClient(c)
	if err != nil {
		t.Fatal(err)
	}
	defer consumer.Close()
	p, err := consumer.ConsumePartition(topic, 0, sarama.OffsetOldest)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, want := range values {
		select {
		case m := <-p.Messages():
			if string(m.Value) != want {
				t.Errorf("read %s, wanted %s", m.Value, want)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("%s was not read", want)
		}
	}
}

// timed says how long something took.
func timed(t *testing.T, what string, fn func()) {
	t.Helper()
	start := time.Now()
	fn()
	t.Logf("%s: %v", what, time.Since(start).Round(time.Millisecond))
}

// What was produced is still there after an orderly end and after a crash, and Kafka's tools see it.
func TestOneBroker(t *testing.T) {
	var c *kafkatest.Cluster
	timed(t, "start", func() {
		c = kafkatest.Start(t, kafkatest.Config{Properties: map[string]string{"log.retention.hours": "1"}})
	})
	first := c.Client()
	first.Create(t, "t", 1)
	first.Produce(t, "t", 0, "one")
	read(t, first, "t", "one")
	timed(t, "stop", func() { c.Stop(0) })
	timed(t, "restart", func() { c.Restart(0) })
	second := c.Client()
	second.Produce(t, "t", 0, "two")
	timed(t, "kill", func() { c.Kill(0) })
	timed(t, "restart after kill", func() { c.Restart(0) })
	third := c.Client()
	read(t, third, "t", "one", "two")

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	timed(t, "console consumer", func() {
		out, err := c.ConsoleConsumer(ctx, "--topic", "t", "--group", "g", "--from-beginning", "--max-messages", "2")
		if err != nil || out != "one\ntwo\n" {
			t.Errorf("console consumer: %q, %v", out, err)
		}
	})
	timed(t, "consumer groups", func() {
		out, err := c.ConsumerGroups(ctx, "--describe", "--group", "g", "--offsets")
		if err != nil || !strings.Contains(out, "CURRENT-OFFSET") || !strings.Contains(out, "g ") {
			t.Errorf("consumer groups: %s, %v", out, err)
		}
		t.Log(out)
	})
	if out, err := c.ConsumerGroups(ctx, "--nosuch"); err == nil || !strings.Contains(err.Error(), "nosuch") {
		t.Errorf("a wrong option: %s, %v", out, err)
	}
}

// One of three brokers is killed; the others go on, and it comes back.
func TestThreeBrokers(t *testing.T) {
	var c *kafkatest.Cluster
	timed(t, "start", func() { c = kafkatest.Start(t, kafkatest.Config{Brokers: 3}) })
	cl := c.Client()
	cl.Create(t, "t", 1)
	cl.Produce(t, "t", 0, "one")
	leader, err := cl.Leader("t", 0)
	if err != nil {
		t.Fatal(err)
	}
	killed := int(leader.ID())
	c.Kill(killed)
	timed(t, "others go on", c.Wait)
	timed(t, "produce after kill", func() { cl.Produce(t, "t", 0, "two") })
	timed(t, "restart", func() { c.Restart(killed) })
	back, err := sarama.NewClient(c.Addrs()[killed:killed+1], kafkatest.ClientConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	read(t, back, "t", "one", "two")
}

// The secure listener takes the right password from those who speak TLS, and each mistake has its error.
func TestSecure(t *testing.T) {
	var c *kafkatest.Cluster
	timed(t, "start", func() {
		c = kafkatest.Start(t, kafkatest.Config{Users: map[string]string{"alice": "right-pw"}, Properties: map[string]string{
			"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer", "super.users": "User:ANONYMOUS",
			"listener.name.secure.sasl.enabled.mechanisms":      "PLAIN,SCRAM-SHA-512,OAUTHBEARER",
			"listener.name.secure.oauthbearer.sasl.jaas.config": `org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";`,
		}})
	})
	dir := t.TempDir()
	right, wrong := filepath.Join(dir, "right"), filepath.Join(dir, "wrong")
	for path, password := range map[string]string{right: "right-pw\n", wrong: "wr0ng-pw\n"} {
		if err := os.WriteFile(path, []byte(password), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	token, expired := unsigned(t, "token", time.Now().Add(time.Hour)), unsigned(t, "expired", time.Now().Add(-time.Hour))
	addr, plain, ca := c.SecureAddrs()[0], c.Addrs()[0], c.Authority.File
	login := func(mechanism, file string) []string {
		return []string{"--sasl", mechanism, "--sasl-user", "alice", "--sasl-password-file", file}
	}
	tests := []struct {
		name string
		args []string
		kind error
	}{
		{"SCRAM-SHA-512", append(login("SCRAM-SHA-512", right), "--brokers", addr, "--tls-ca", ca), nil},
		{"OAUTHBEARER", []string{"--sasl", "OAUTHBEARER", "--sasl-token-file", token, "--brokers", addr, "--tls-ca", ca}, nil},
		{"PLAIN", append(login("PLAIN", right), "--brokers", addr, "--tls-ca", ca), nil},
		{"wrong SCRAM-SHA-512", append(login("SCRAM-SHA-512", wrong), "--brokers", addr, "--tls-ca", ca), connect.ErrCredentials},
		{"expired OAUTHBEARER", []string{"--sasl", "OAUTHBEARER", "--sasl-token-file", expired, "--brokers", addr, "--tls-ca", ca}, connect.ErrCredentials},
		{"wrong PLAIN", append(login("PLAIN", wrong), "--brokers", addr, "--tls-ca", ca), connect.ErrCredentials},
		{"other mechanism", append(login("SCRAM-SHA-256", right), "--brokers", addr, "--tls-ca", ca), connect.ErrMechanism},
		{"no login", []string{"--brokers", addr, "--tls-ca", ca}, connect.ErrMechanism},
		{"no TLS", append(login("SCRAM-SHA-512", right), "--brokers", addr), connect.ErrWantsTLS},
		{"no CA", append(login("SCRAM-SHA-512", right), "--brokers", addr, "--tls"), connect.ErrCertificate},
		{"TLS on plaintext", []string{"--brokers", plain, "--tls"}, connect.ErrNoTLS},
		{"login on plaintext", append(login("SCRAM-SHA-512", right), "--brokers", plain), connect.ErrMechanism},
		{"plaintext", []string{"--brokers", plain}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var o connect.Options
			cmd := &cobra.Command{RunE: func(*cobra.Command, []string) error { return nil }}
			connect.AddFlags(cmd, &o)
			cmd.SetArgs(append(test.args, "--timeout", "20s"))
			if err := cmd.Execute(); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			var warnings bytes.Buffer
			cl, err := o.Dial(t.Context(), &warnings)
			t.Logf("%v: %v", time.Since(start).Round(time.Millisecond), err)
			if !errors.Is(err, test.kind) || test.kind == nil && err != nil {
				t.Errorf("%v, wanted %v", err, test.kind)
			}
			if err != nil {
				if strings.Contains(fmt.Sprintf("%+v", err), "-pw") {
					t.Errorf("there is a password in it: %v", err)
				}
				return
			}
			defer cl.Close()
			if strings.Contains(test.name, "plaintext") {
				return
			}
			_, err = cl.Coordinator("billing")
			err = cl.Explain(err, connect.Access{Operation: "Describe", Resource: connect.Group, Name: "billing"})
			if !errors.Is(err, connect.ErrDenied) {
				t.Errorf("without an ACL: %v", err)
			}
			t.Log(err)
		})
	}
}

// unsigned writes a token that brokers accept that are not told how tokens are signed.
func unsigned(t *testing.T, name string, until time.Time) string {
	t.Helper()
	part := base64.RawURLEncoding.EncodeToString
	token := part([]byte(`{"alg":"none"}`)) + "." + part(fmt.Appendf(nil, `{"sub":"alice","iat":%d,"exp":%d}`, until.Add(-2*time.Hour).Unix(), until.Unix())) + "."
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
