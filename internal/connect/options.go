package connect

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/fault"
)

// Options are the connection flags of a command. They have no secrets in them: those are read by Dial.
type Options struct {
	flags   settings
	profile string // what --profile says
	file    string // what --config says
}

// AddFlags adds the flags to a command. They are the same for all.
func AddFlags(cmd *cobra.Command, o *Options) {
	o.flags.addFlags(cmd)
	cmd.Flags().StringVar(&o.profile, "profile", "", "connect as the profile `NAME` says, but for what other flags do (default $ASSIGNKIT_PROFILE)")
	cmd.Flags().StringVar(&o.file, "config", "", "profiles are in `FILE` (default: assignkit/config.yaml where the system keeps configuration)")
	_ = cmd.RegisterFlagCompletionFunc("profile", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return o.profileNames(), cobra.ShellCompDirectiveNoFileComp
	})
}

// Given reports whether the command line names a cluster, for commands that can do without one. What is in the environment does not
// count.
func (o *Options) Given() bool { return len(o.flags.brokers) > 0 || o.profile != "" }

// profileNames is for completion: whatever goes wrong, there are none.
func (o *Options) profileNames() []string {
	path, err := o.configPath()
	if err != nil {
		return nil
	}
	profiles, err := readConfig(path)
	if err != nil {
		return nil
	}
	return names(profiles)
}

// target is one cluster: settings that agree with each other, and the secrets to them.
type target struct {
	settings
	password Secret
}

// resolve puts together what the command line, the environment and the profile say, in this order, and checks it. Warnings go to warn,
// if it is not nil.
func (o *Options) resolve(warn io.Writer) (*target, error) {
	profile, err := o.readProfile()
	if err != nil {
		return nil, err
	}
	t := &target{settings: o.flags.or(profile)}
	// A profile that the command line names goes before brokers that the environment does, lest a login goes to another cluster.
	if env := os.Getenv("ASSIGNKIT_BROKERS"); env != "" && len(o.flags.brokers) == 0 && (o.profile == "" || len(profile.brokers) == 0) {
		if t.brokers, err = addresses(env); err != nil {
			return nil, fmt.Errorf("ASSIGNKIT_BROKERS: %w", err)
		}
	}
	if t.timeout == 0 {
		t.timeout = defaultTimeout
	}
	switch {
	case len(t.brokers) == 0:
		return nil, fault.Usage("no cluster is named: give --brokers HOST:PORT or --profile NAME, or set ASSIGNKIT_BROKERS or ASSIGNKIT_PROFILE; --brokers %s needs no cluster", Embedded)
	case t.embedded():
		return t, o.flags.checkEmbedded()
	}
	if err := t.checkTLS(o.flags); err != nil {
		return nil, err
	}
	if err := t.checkSASL(o.flags.passwordFile != ""); err != nil {
		return nil, err
	}
	t.warn(warn)
	return t, nil
}

func (t *target) embedded() bool { return slices.Equal(t.brokers, []string{Embedded}) }

// checkEmbedded refuses flags that say how to connect to a real cluster. A profile may say so; it is not asked.
func (s settings) checkEmbedded() error {
	if s.tls != nil && *s.tls || s.secures() || s.mechanism != "" && s.mechanism != noSASL || s.user != "" || s.passwordFile != "" || s.tokenFile != "" {
		return fault.Usage("--brokers %s has neither TLS nor logins; leave the --tls and --sasl flags out", Embedded)
	}
	return nil
}

func (t *target) checkTLS(flags settings) error {
	switch {
	case t.tls == nil:
		on := t.secures()
		t.tls = &on
	case !*t.tls && flags.secures():
		return fault.Usage("--tls=false contradicts the other --tls- flags")
	}
	switch {
	case !*t.tls:
		return nil
	case t.tlsKey != "" && t.tlsCert == "":
		return fault.Usage("--tls-key needs --tls-cert, the certificate that the key is for")
	case t.tlsCert != "" && t.tlsKey == "":
		return fault.Usage("--tls-cert needs --tls-key, the private key of the certificate")
	}
	return nil
}

// checkSASL sees to it that a mechanism has what it needs, and fetches the password.
func (t *target) checkSASL(passwordFlag bool) error {
	switch t.mechanism {
	case noSASL:
		t.mechanism = ""
		return nil
	case "":
		if t.user != "" || t.passwordFile != "" || t.tokenFile != "" {
			return fault.Usage("a login needs its mechanism: --sasl %s", strings.Join(mechanisms[:4], "|"))
		}
		return nil
	case oauthBearer:
		if t.tokenFile == "" {
			return fault.Usage("--sasl %s needs --sasl-token-file, the file that its token is in", t.mechanism)
		}
		_, err := tokenFile(t.tokenFile).Token() // so that a bad file is found before anything is connected
		return err
	}
	if t.user == "" {
		return fault.Usage("--sasl %s needs --sasl-user", t.mechanism)
	}
	env := os.Getenv("ASSIGNKIT_SASL_PASSWORD")
	var err error
	switch {
	case env != "" && !passwordFlag: // the environment goes before a profile
		t.password = NewSecret(env)
	case t.passwordFile != "":
		t.password, err = readSecret("password", t.passwordFile)
	default:
		err = fault.Usage("--sasl %s needs a password: set ASSIGNKIT_SASL_PASSWORD, or give --sasl-password-file", t.mechanism)
	}
	return err
}

func (t *target) warn(w io.Writer) {
	if w == nil {
		return
	}
	if *t.tls && t.tlsInsecure != nil && *t.tlsInsecure {
		fmt.Fprintln(w, "assignctl: warning: --tls-insecure: any certificate is accepted; whoever is in between can read and change everything, the login included")
	}
	if !*t.tls && (t.mechanism == plain || t.mechanism == oauthBearer) {
		fmt.Fprintf(w, "assignctl: warning: %s without --tls sends the secret readable\n", t.mechanism)
	}
}
