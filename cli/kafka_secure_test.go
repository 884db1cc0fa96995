//go:build kafka

package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/assignkit/assignkit/internal/kafkatest"
)

// TestKafkaSecure runs the commands through TLS and a login, against a group whose member has logged in as well.
func TestKafkaSecure(t *testing.T) {
	const user, password, wrong = "alice", "right-pw", "wr0ng-pw"
	s := startSuite(t, kafkatest.Config{Users: map[string]string{user: password}})
	s.outside.Create(t, "orders", 3)
	pem, err := os.ReadFile(s.Authority.File)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	login := scram.Sha256(func(context.Context) (scram.Auth, error) { return scram.Auth{User: user, Pass: password}, nil })
	s.franz(t, "billing", "one", kgo.SeedBrokers(s.SecureAddrs()...), kgo.DialTLSConfig(&tls.Config{RootCAs: pool}), kgo.SASL(login), kgo.ConsumeTopics("orders"))
	s.settled(t, "billing", 1)

	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "password")
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	right, bad := file(password), file(wrong)
	commands := [][]string{
		{"group", "list"},
		{"group", "list", "-o", "json"},
		{"group", "describe", "billing", "--assert-owned"},
		{"group", "describe", "billing", "-o", "json"},
		{"simulate", "--group", "billing", "--join", "1"},
	}
	for _, mechanism := range []string{"SCRAM-SHA-256", "SCRAM-SHA-512"} {
		for _, command := range commands {
			t.Run(strings.Join(append([]string{mechanism}, command...), " "), func(t *testing.T) {
				secure := &suite{flags: []string{
					"--brokers", s.SecureAddrs()[0], "--timeout", "30s", "--tls-ca", s.Authority.File, "--sasl", mechanism, "--sasl-user", user,
				}}
				a := secure.run(t, append(command, "--sasl-password-file", right)...)
				if a.code != exitOK || !strings.Contains(a.out, "billing") && command[0] == "group" || strings.Contains(a.out+a.errs, password) {
					t.Errorf("exit code %d: %s%s", a.code, a.errs, a.out)
				}
				// The brokers' addresses come from the listener that was asked, not from the plain one.
				if strings.Contains(a.out+a.errs, s.Addrs()[0]) {
					t.Errorf("the plain listener is named: %s%s", a.errs, a.out)
				}
				if want := fmt.Sprintf(`"address":%q`, s.SecureAddrs()[0]); command[len(command)-1] == "json" && !strings.Contains(a.out, want) {
					t.Errorf("wanted %s in %s", want, a.out)
				}
				a = secure.run(t, append(command, "--sasl-password-file", bad)...)
				if a.code != exitError || a.out != "" || !strings.Contains(a.errs, user) || !strings.Contains(a.errs, mechanism) || strings.Contains(a.errs, "-pw") {
					t.Errorf("wrong password: exit code %d: %s%s", a.code, a.errs, a.out)
				}
			})
		}
	}
}
