package connect

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/kafkatest"
)

// listen serves each connection with a function and ends with the test.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, l, serve)
}

func serveOn(t *testing.T, l net.Listener, serve func(net.Conn)) string {
	var conns sync.WaitGroup
	conns.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns.Go(func() {
				defer conn.Close()
				serve(conn)
			})
		}
	})
	t.Cleanup(func() { l.Close(); conns.Wait() })
	return l.Addr().String()
}

// hang reads what it is sent until the other side ends, and says nothing.
func hang(conn net.Conn) { io.Copy(io.Discard, conn) }

// say reads once, answers, and hangs up.
func say(text string) func(net.Conn) {
	return func(conn net.Conn) {
		conn.Read(make([]byte, 1024))
		io.WriteString(conn, text)
	}
}

func fake(t *testing.T, opts ...kfake.Opt) string {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1), kfake.SeedTopics(3, "orders")}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c.ListenAddrs()[0]
}

func serverTLS(t *testing.T, p kafkatest.Pair) *tls.Config {
	t.Helper()
	cert, err := tls.LoadX509KeyPair(p.Cert, p.Key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}}
}

func pool(t *testing.T, a *kafkatest.Authority) *x509.CertPool {
	t.Helper()
	text, err := os.ReadFile(a.File)
	if err != nil {
		t.Fatal(err)
	}
	p := x509.NewCertPool()
	p.AppendCertsFromPEM(text)
	return p
}

// Every way in which a broker can be wrong has an error that says so, with its address and what to do.
func TestDialErrors(t *testing.T) {
	ca, other := kafkatest.NewAuthority(t), kafkatest.NewAuthority(t)
	good := serverTLS(t, ca.Issue(t, "broker", time.Time{}, "127.0.0.1"))
	mutual := good.Clone()
	mutual.ClientAuth, mutual.ClientCAs = tls.RequireAndVerifyClientCert, pool(t, ca)
	foreign := other.Issue(t, "client", time.Time{})
	users := []kfake.Opt{kfake.EnableSASL(), kfake.Superuser("PLAIN", "alice", "right"), kfake.Superuser("SCRAM-SHA-256", "alice", "right"), kfake.Superuser("SCRAM-SHA-512", "alice", "right")}
	password, token := write(t, "password", "wr0ng-pw\n"), write(t, "token", "a.b.c\n")

	tests := map[string]struct {
		addr string
		args []string
		kind error
		says string
	}{
		"nobody there":    {embeddedtest.Nobody(t), nil, ErrUnreachable, "cannot be reached: connection refused"},
		"unknown host":    {"nosuch.invalid:9092", nil, ErrUnreachable, "cannot be found: "},
		"hangs":           {listen(t, hang), []string{"--timeout", "300ms"}, ErrSilent, "accepts the connection but does not answer within 300ms (--timeout): is it a Kafka broker, and should there be --tls?"},
		"hangs with TLS":  {listen(t, hang), []string{"--timeout", "300ms", "--tls"}, ErrSilent, "does not shake hands within 300ms"},
		"hangs after TLS": {tlsListen(t, good, hang), []string{"--timeout", "500ms", "--tls-ca", ca.File}, ErrSilent, "does not answer within 500ms (--timeout): is it a Kafka broker?"},
		"HTTP":            {listen(t, say("HTTP/1.1 400 Bad Request\r\n\r\n")), nil, ErrNotKafka, "is an HTTP server, not a Kafka broker"},
		"HTTP, with TLS":  {listen(t, say("HTTP/1.0 400 Bad Request\r\n\r\n")), []string{"--tls"}, ErrNotKafka, "is an HTTP server"},
		"SSH":             {listen(t, say("SSH-2.0-OpenSSH_9.6\r\n")), nil, ErrNotKafka, `is not a Kafka broker: it answers "SSH-2.0-OpenSSH_9.6\r\n"`},
		"short garbage":   {listen(t, say("no")), nil, ErrNotKafka, `it answers "no"`},
		"size only":       {listen(t, say("\x00\x00\x00\x08\x00\x00\x00\x01")), nil, ErrUnreachable, "closes the connection without an answer"},
		"garbage inside":  {listen(t, say("\x00\x00\x00\x06\x00\x00\x00\x01zz")), nil, ErrNotKafka, "is not a Kafka broker"},
		"SSH, with TLS":   {listen(t, say("SSH-2.0-OpenSSH_9.6\r\n")), []string{"--tls"}, ErrNoTLS, "does not speak TLS: leave --tls out"},
		"closes":          {listen(t, say("")), nil, ErrUnreachable, "closes the connection without an answer"},
		"closes, TLS":     {listen(t, say("")), []string{"--tls"}, ErrNoTLS, "closes the connection in the TLS handshake"},
		"needs TLS":       {fake(t, kfake.TLS(good)), nil, ErrWantsTLS, "expects TLS: add --tls"},
		"closes, is TLS":  {quietTLS(t, good), nil, ErrWantsTLS, "expects TLS: add --tls"},
		"has no TLS":      {fake(t), []string{"--tls", "--timeout", "1s"}, ErrNoTLS, "does not speak TLS: leave --tls out"},
		"unknown CA":      {fake(t, kfake.TLS(good)), []string{"--tls"}, ErrCertificate, `is signed by "CN=test authority", which is not trusted: give the authority's with --tls-ca`},
		"another CA":      {fake(t, kfake.TLS(good)), []string{"--tls-ca", other.File}, ErrCertificate, "which is not trusted"},
		"another name": {
			fake(t, kfake.TLS(serverTLS(t, ca.Issue(t, "named", time.Time{}, "kafka.example")))),
			[]string{"--tls-ca", ca.File}, ErrCertificate, "shows a certificate for kafka.example, not for 127.0.0.1: give the name with --tls-server-name",
		},
		"expired": {
			fake(t, kfake.TLS(serverTLS(t, ca.Issue(t, "old", time.Now().Add(-24*time.Hour), "127.0.0.1")))),
			[]string{"--tls-ca", ca.File}, ErrCertificate, "shows a certificate that is valid from ",
		},
		"wants ours":        {fake(t, kfake.TLS(mutual)), []string{"--tls-ca", ca.File}, ErrCertificate, "asks for a certificate of ours"},
		"does not like it":  {fake(t, kfake.TLS(mutual)), []string{"--tls-ca", ca.File, "--tls-cert", foreign.Cert, "--tls-key", foreign.Key}, ErrCertificate, "does not accept the certificate in " + foreign.Cert},
		"wants a login":     {fake(t, users...), nil, ErrMechanism, "wants a login with PLAIN or SCRAM-SHA-256 or SCRAM-SHA-512: --sasl"},
		"other mechanism":   {fake(t, users...), []string{"--sasl", "OAUTHBEARER", "--sasl-token-file", token}, ErrMechanism, "does not know OAUTHBEARER; it offers PLAIN, SCRAM-SHA-256, SCRAM-SHA-512: --sasl"},
		"wants no login":    {noLogin(t), []string{"--sasl", "PLAIN", "--sasl-user", "alice", "--sasl-password-file", password}, ErrMechanism, "wants no login: leave --sasl out"},
		"wrong PLAIN":       {fake(t, users...), []string{"--sasl", "PLAIN", "--sasl-user", "alice", "--sasl-password-file", password}, ErrCredentials, `refuses the login of "alice" with PLAIN: `},
		"wrong SCRAM":       {fake(t, users...), []string{"--sasl", "SCRAM-SHA-512", "--sasl-user", "alice", "--sasl-password-file", password}, ErrCredentials, `refuses the login of "alice" with SCRAM-SHA-512: `},
		"wrong SCRAM user":  {fake(t, users...), []string{"--sasl", "SCRAM-SHA-256", "--sasl-user", "bob", "--sasl-password-file", password}, ErrCredentials, `refuses the login of "bob"`},
		"hangs at metadata": {silentMetadata(t), []string{"--timeout", "400ms"}, ErrSilent, "does not answer within 400ms"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			_, _, err := dial(t, t.Context(), append([]string{"--brokers", test.addr, "--timeout", "5s"}, test.args...)...)
			if !errors.Is(err, test.kind) {
				t.Errorf("is not %v: %v", test.kind, err)
			}
			if err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), "the broker at "+test.addr) {
				t.Errorf("says\n  %v, wanted\n  %s", err, test.says)
			}
			if err != nil && strings.Contains(err.Error(), "wr0ng-pw") {
				t.Errorf("there is the password in %v", err)
			}
			if errors.Is(err, context.Canceled) {
				t.Errorf("looks like an interrupt: %v", err)
			}
			t.Logf("%v %v", time.Since(start).Round(time.Millisecond), err)
		})
	}
}

// tlsListen shakes hands before it serves.
func tlsListen(t *testing.T, conf *tls.Config, serve func(net.Conn)) string {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", conf)
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, l, serve)
}

// quietTLS closes a connection that does not begin with TLS without a word.
func quietTLS(t *testing.T, conf *tls.Config) string {
	return listen(t, func(conn net.Conn) {
		first := make([]byte, 1)
		if _, err := io.ReadFull(conn, first); err != nil || first[0] != 0x16 {
			return
		}
		tls.Server(&prefixed{conn, first}, conf).Handshake()
	})
}

type prefixed struct {
	net.Conn
	first []byte
}

func (p *prefixed) Read(b []byte) (int, error) {
	if len(p.first) > 0 {
		n := copy(b, p.first)
		p.first = p.first[n:]
		return n, nil
	}
	return p.Conn.Read(b)
}

// noLogin refuses handshakes as a broker without logins does.
func noLogin(t *testing.T) string {
	return controlled(t, 17, func(req kmsg.Request) (kmsg.Response, error, bool) {
		resp := req.ResponseKind().(*kmsg.SASLHandshakeResponse)
		resp.ErrorCode = illegalState
		return resp, nil, true
	})
}

// silentMetadata answers who it is and then nothing.
func silentMetadata(t *testing.T) string {
	return listen(t, func(conn net.Conn) {
		head := make([]byte, 4)
		io.ReadFull(conn, head)
		body := make([]byte, int(head[3]))
		io.ReadFull(conn, body)
		conn.Write([]byte{0, 0, 0, 10, body[4], body[5], body[6], body[7], 0, 0, 0, 0, 0, 0})
		hang(conn)
	})
}

func controlled(t *testing.T, key int16, fn func(kmsg.Request) (kmsg.Response, error, bool)) string {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	c.ControlKey(key, func(req kmsg.Request) (kmsg.Response, error, bool) { c.KeepControl(); return fn(req) })
	return c.ListenAddrs()[0]
}

func TestDial(t *testing.T) {
	ca := kafkatest.NewAuthority(t)
	pair := ca.Issue(t, "broker", time.Time{}, "127.0.0.1")
	client := ca.Issue(t, "client", time.Time{})
	mutual := serverTLS(t, pair)
	mutual.ClientAuth, mutual.ClientCAs = tls.RequireAndVerifyClientCert, pool(t, ca)
	named := serverTLS(t, ca.Issue(t, "named", time.Time{}, "kafka.example"))
	users := []kfake.Opt{kfake.EnableSASL(), kfake.Superuser("PLAIN", "alice", "right"), kfake.Superuser("SCRAM-SHA-256", "alice", "right"), kfake.Superuser("SCRAM-SHA-512", "alice", "right")}
	password := write(t, "password", "right\n")
	login := func(mechanism string) []string {
		return []string{"--sasl", mechanism, "--sasl-user", "alice", "--sasl-password-file", password}
	}
	tests := map[string]struct {
		addr  string
		args  []string
		warns string
	}{
		"plain":             {fake(t), nil, ""},
		"2.4":               {fake(t, kfake.MaxVersions(kversion.V2_4_0())), nil, ""},
		"2.4, as 2.4":       {fake(t, kfake.MaxVersions(kversion.V2_4_0())), []string{"--kafka-version", "2.4"}, ""},
		"4.0":               {fake(t, kfake.MaxVersions(kversion.V4_0_0())), nil, ""},
		"TLS":               {fake(t, kfake.TLS(serverTLS(t, pair))), []string{"--tls-ca", ca.File}, ""},
		"mTLS":              {fake(t, kfake.TLS(mutual)), []string{"--tls-ca", ca.File, "--tls-cert", client.Cert, "--tls-key", client.Key}, ""},
		"another name":      {fake(t, kfake.TLS(named)), []string{"--tls-ca", ca.File, "--tls-server-name", "kafka.example"}, ""},
		"any certificate":   {fake(t, kfake.TLS(named)), []string{"--tls-insecure"}, "assignctl: warning: --tls-insecure: any certificate is accepted; whoever is in between can read and change everything, the login included\n"},
		"PLAIN":             {fake(t, users...), login("plain"), "assignctl: warning: PLAIN without --tls sends the secret readable\n"},
		"PLAIN, TLS":        {fake(t, append(users, kfake.TLS(serverTLS(t, pair)))...), append(login("PLAIN"), "--tls-ca", ca.File), ""},
		"SCRAM-SHA-256":     {fake(t, users...), login("SCRAM-SHA-256"), ""},
		"SCRAM-SHA-512":     {fake(t, users...), login("SCRAM-SHA-512"), ""},
		"one of three dead": {embeddedtest.Nobody(t) + "," + fake(t) + "," + embeddedtest.Nobody(t), nil, ""},
		"the first hangs":   {listen(t, hang) + "," + fake(t), nil, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, warnings, err := dial(t, t.Context(), append([]string{"--brokers", test.addr}, test.args...)...)
			if err != nil {
				t.Fatal(err)
			}
			if warnings != test.warns {
				t.Errorf("warns %q", warnings)
			}
			partitions, err := c.Partitions("orders")
			if err != nil || len(partitions) != 3 {
				t.Errorf("partitions %v, %v", partitions, err)
			}
			admin, err := sarama.NewClusterAdminFromClient(c)
			if err != nil {
				t.Fatal(err)
			}
			if groups, err := admin.ListConsumerGroups(); err != nil || len(groups) != 0 {
				t.Errorf("groups %v, %v", groups, err)
			}
			if strings.Join(c.Addrs(), ",") != test.addr || c.Config().ClientID != "assignctl" {
				t.Errorf("addresses %v, client id %s", c.Addrs(), c.Config().ClientID)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if err := c.Close(); !errors.Is(err, sarama.ErrClosedClient) {
				t.Errorf("closed twice: %v", err)
			}
		})
	}
}

func TestDialEmbedded(t *testing.T) {
	c, _, err := dial(t, t.Context(), "--brokers", "embedded")
	if err != nil {
		t.Fatal(err)
	}
	admin, err := sarama.NewClusterAdminFromClient(c)
	if err != nil {
		t.Fatal(err)
	}
	groups, err := admin.ListConsumerGroups()
	if err != nil || len(groups) != 3 {
		t.Errorf("groups %v, %v", groups, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// Several brokers that fail are listed with their causes, in the order that they were named in.
func TestDialNoneOfSeveral(t *testing.T) {
	first, second, third := embeddedtest.Nobody(t), listen(t, say("HTTP/1.1 400\r\n")), listen(t, hang)
	_, _, err := dial(t, t.Context(), "--brokers", first+","+second+","+third, "--timeout", "700ms")
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, ErrUnreachable) || !errors.Is(err, ErrNotKafka) || !errors.Is(err, ErrSilent) {
		t.Fatal(err)
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 4 || lines[0] != "none of 3 brokers can be used:" || !strings.Contains(lines[1], first) || !strings.Contains(lines[2], second) || !strings.Contains(lines[3], third) {
		t.Error(err)
	}
}

// A login that is refused is not tried at all brokers.
func TestDialRefusedOnce(t *testing.T) {
	password := write(t, "password", "wrong")
	users := []kfake.Opt{kfake.EnableSASL(), kfake.Superuser("PLAIN", "alice", "right")}
	_, _, err := dial(t, t.Context(), "--brokers", fake(t, users...)+","+listen(t, hang), "--sasl", "PLAIN", "--sasl-user", "alice", "--sasl-password-file", password)
	if !errors.Is(err, ErrCredentials) || errors.Is(err, ErrSilent) {
		t.Error(err)
	}
}

// A dial in progress ends with its context, whatever it waits for.
func TestDialCancel(t *testing.T) {
	ca := kafkatest.NewAuthority(t)
	for name, args := range map[string][]string{
		"answer":    {"--brokers", listen(t, hang)},
		"handshake": {"--brokers", listen(t, hang), "--tls-ca", ca.File},
		"metadata":  {"--brokers", silentMetadata(t)},
		"several":   {"--brokers", listen(t, hang) + "," + listen(t, hang) + "," + embeddedtest.Nobody(t)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(100*time.Millisecond, cancel)
			_, _, err := dial(t, ctx, append(args, "--timeout", "1m")...)
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, _, err := dial(t, ctx, "--brokers", listen(t, hang), "--timeout", "1m"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
