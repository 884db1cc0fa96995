package connect

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assignkit/assignkit/internal/fault"
)

// Embedded stands for addresses: a cluster with sample data in this process, which --brokers starts.
const Embedded = "embedded"

// defaultTimeout bounds the dial and each request where nothing else is said.
const defaultTimeout = 10 * time.Second

// The SASL mechanisms, as Kafka calls them, and what switches off the one of a profile.
const (
	plain       = "PLAIN"
	scramSHA256 = "SCRAM-SHA-256"
	scramSHA512 = "SCRAM-SHA-512"
	oauthBearer = "OAUTHBEARER"
	noSASL      = "none"
)

// mechanisms is what --sasl takes.
var mechanisms = []string{plain, scramSHA256, scramSHA512, oauthBearer, noSASL}

// settings is what flags or a profile say. Nothing said is the zero value.
type settings struct {
	brokers []string

	tls           *bool
	tlsCA         string
	tlsCert       string
	tlsKey        string
	tlsServerName string
	tlsInsecure   *bool

	mechanism    string
	user         string
	passwordFile string
	tokenFile    string

	timeout time.Duration
	version string
}

// or returns what s says and, where it says nothing, what base does.
func (s settings) or(base settings) settings {
	if len(s.brokers) == 0 {
		s.brokers = base.brokers
	}
	for _, b := range []struct{ s, base **bool }{{&s.tls, &base.tls}, {&s.tlsInsecure, &base.tlsInsecure}} {
		if *b.s == nil {
			*b.s = *b.base
		}
	}
	for _, t := range []struct{ s, base *string }{
		{&s.tlsCA, &base.tlsCA}, {&s.tlsCert, &base.tlsCert}, {&s.tlsKey, &base.tlsKey}, {&s.tlsServerName, &base.tlsServerName},
		{&s.mechanism, &base.mechanism}, {&s.user, &base.user}, {&s.passwordFile, &base.passwordFile}, {&s.tokenFile, &base.tokenFile},
		{&s.version, &base.version},
	} {
		if *t.s == "" {
			*t.s = *t.base
		}
	}
	if s.timeout == 0 {
		s.timeout = base.timeout
	}
	return s
}

// secures reports that something is said that only TLS needs.
func (s settings) secures() bool {
	return s.tlsCA != "" || s.tlsCert != "" || s.tlsKey != "" || s.tlsServerName != "" || s.tlsInsecure != nil && *s.tlsInsecure
}

// addFlags adds the flags that profiles have keys for.
func (s *settings) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(&value{kind: "list", set: func(text string) (err error) { s.brokers, err = addresses(text); return err }},
		"brokers", "where the cluster is: `HOST:PORT`,... or embedded, a cluster with sample data in this process (default $ASSIGNKIT_BROKERS)")
	addBool(flags, &s.tls, "tls", "speak TLS; any of the --tls- flags turns it on")
	flags.StringVar(&s.tlsCA, "tls-ca", "", "trust the authorities in `FILE` (PEM) instead of the system's")
	flags.StringVar(&s.tlsCert, "tls-cert", "", "show the certificate in `FILE` (PEM) to brokers that ask for one")
	flags.StringVar(&s.tlsKey, "tls-key", "", "the private key of --tls-cert, in `FILE` (PEM)")
	flags.StringVar(&s.tlsServerName, "tls-server-name", "", "the `NAME` that certificates of brokers are for, if it is not their host's")
	addBool(flags, &s.tlsInsecure, "tls-insecure", "accept any certificate, also that of an attacker")
	flags.Var(&value{kind: "mechanism", set: s.setMechanism}, "sasl", "log in with `MECHANISM`: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER")
	flags.StringVar(&s.user, "sasl-user", "", "log in as `NAME`")
	flags.StringVar(&s.passwordFile, "sasl-password-file", "", "the password is in `FILE` (default: in $ASSIGNKIT_SASL_PASSWORD)")
	flags.StringVar(&s.tokenFile, "sasl-token-file", "", "the token for OAUTHBEARER is in `FILE`, which is read at each login")
	flags.Var(&value{kind: "duration", set: s.setTimeout}, "timeout", "wait for connections and answers no longer than `DURATION` (default 10s)")
	flags.Var(&value{kind: "version", set: s.setVersion}, "kafka-version", "use nothing newer than what Kafka `VERSION` understands (default: what the brokers do)")

	_ = cmd.RegisterFlagCompletionFunc("sasl", cobra.FixedCompletions(mechanisms, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("brokers", cobra.FixedCompletions([]string{Embedded}, cobra.ShellCompDirectiveNoFileComp))
	for _, name := range []string{"sasl-user", "tls-server-name", "timeout", "kafka-version"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
}

// value is a flag that a function takes.
type value struct {
	kind string
	set  func(string) error
}

func (v *value) String() string         { return "" }
func (v *value) Type() string           { return v.kind }
func (v *value) Set(value string) error { return v.set(value) }

// optional is a flag that is true, false or not given.
type optional struct{ at **bool }

func (o *optional) String() string   { return "" }
func (o *optional) Type() string     { return "bool" }
func (o *optional) IsBoolFlag() bool { return true }
func (o *optional) Set(text string) error {
	switch text {
	case "true", "false":
		b := text == "true"
		*o.at = &b
		return nil
	}
	return fault.Usage("there are true, false")
}

func addBool(flags *pflag.FlagSet, at **bool, name, usage string) {
	flags.Var(&optional{at}, name, usage)
	flags.Lookup(name).NoOptDefVal = "true"
}
