package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/assignkit/assignkit/internal/fault"
)

const profiles = `profiles:
  prod:
    brokers: [p1:9093, p2:9093]
    tls: {ca: ca.pem, server_name: kafka.example}
    sasl: {mechanism: scram-sha-512, user: paul, password_file: secret}
    timeout: 3s
    kafka_version: "3.6"
  lab:
    brokers: lab:9092
    tls: false
  login:
    sasl: {mechanism: PLAIN, user: lois, password_file: secret}
`

// What the command line says goes before the environment, and that before the profile.
func TestPrecedence(t *testing.T) {
	config := write(t, "config.yaml", profiles)
	dir := filepath.Dir(config)
	for name, text := range map[string]string{"secret": "from-profile\n", "other": "from-flag\r\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		args string
		env  string
		want string // brokers, TLS, its CA, login, password, timeout, version
	}{
		{"--brokers a:1,b:2,a:1", "", "a:1,b:2 false   10s "},
		{"", "BROKERS=e:1", "e:1 false   10s "},
		{"--brokers a:1", "BROKERS=e:1", "a:1 false   10s "},
		{"--config C --profile prod", "", "p1:9093,p2:9093 true ca.pem SCRAM-SHA-512:paul from-profile 3s 3.6.0"},
		{"--config C", "PROFILE=prod", "p1:9093,p2:9093 true ca.pem SCRAM-SHA-512:paul from-profile 3s 3.6.0"},
		{"--config C --profile lab", "PROFILE=prod", "lab:9092 false   10s "},
		{"--config C --profile prod", "BROKERS=e:1", "p1:9093,p2:9093 true ca.pem SCRAM-SHA-512:paul from-profile 3s 3.6.0"},
		{"--config C", "PROFILE=prod BROKERS=e:1", "e:1 true ca.pem SCRAM-SHA-512:paul from-profile 3s 3.6.0"},
		{"--config C --profile login", "BROKERS=e:1", "e:1 false  PLAIN:lois from-profile 10s "},
		{"--config C --profile prod", "SASL_PASSWORD=from-env", "p1:9093,p2:9093 true ca.pem SCRAM-SHA-512:paul from-env 3s 3.6.0"},
		{"--config C --profile prod --sasl-password-file D/other", "SASL_PASSWORD=from-env", "p1:9093,p2:9093 true ca.pem SCRAM-SHA-512:paul from-flag 3s 3.6.0"},
		{"--config C --profile prod --brokers x:1 --tls=false --sasl none --timeout 1s --kafka-version 4.1.0", "", "x:1 false ca.pem  1s 4.1.0"},
		{"--config C --profile prod --tls-ca D/mine --sasl PLAIN --sasl-user me", "", "p1:9093,p2:9093 true mine PLAIN:me from-profile 3s 3.6.0"},
		{"--config C --profile prod --brokers embedded", "", "embedded true ca.pem SCRAM-SHA-512:paul  3s 3.6.0"},
		{"--brokers [::1]:9092 --tls-insecure", "", "[::1]:9092 true   10s "},
	}
	for _, test := range tests {
		t.Run(test.args+" "+test.env, func(t *testing.T) {
			for pair := range strings.FieldsSeq(test.env) {
				name, value, _ := strings.Cut(pair, "=")
				t.Setenv("ASSIGNKIT_"+name, value)
			}
			o, err := parse(t, strings.Fields(strings.NewReplacer(" C", " "+config, " D/", " "+dir+"/").Replace(test.args))...)
			if err != nil {
				t.Fatal(err)
			}
			r, err := o.resolve(nil)
			if err != nil {
				t.Fatal(err)
			}
			login, ca := "", ""
			if r.mechanism != "" && r.mechanism != noSASL {
				login = r.mechanism + ":" + r.user
			}
			if r.tlsCA != "" {
				ca = filepath.Base(r.tlsCA)
			}
			password := r.password.Reveal()
			got := strings.Join([]string{strings.Join(r.brokers, ","), strconv.FormatBool(r.tls != nil && *r.tls), ca, login, password, r.timeout.String(), r.version}, " ")
			want := test.want
			if login == "" { // neither login nor password
				got = strings.Join([]string{strings.Join(r.brokers, ","), strconv.FormatBool(r.tls != nil && *r.tls), ca, "", r.timeout.String(), r.version}, " ")
			}
			if got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func TestUsageErrors(t *testing.T) {
	password := write(t, "password", "pw")
	tests := []struct{ args, says string }{
		{"", "no cluster is named: give --brokers HOST:PORT or --profile NAME"},
		{"--brokers a", `"a" has no port; HOST:PORT is wanted, as in a:9092`},
		{"--brokers http://a:1", "is a URL"},
		{"--brokers a:1,,b:1", "an address is empty"},
		{"--brokers ::1:9092", "IPv6 addresses go in brackets"},
		{"--brokers a:99999", "with a port from 1 to 65535"},
		{"--brokers a:1,embedded", "cannot be one of several brokers"},
		{"--brokers embedded --tls", "has neither TLS nor logins"},
		{"--brokers a:1 --tls=maybe", "there are true, false"},
		{"--brokers a:1 --tls=false --tls-ca x", "--tls=false contradicts"},
		{"--brokers a:1 --tls-key x", "--tls-key needs --tls-cert"},
		{"--brokers a:1 --tls-cert x", "--tls-cert needs --tls-key"},
		{"--brokers a:1 --sasl SCRAM-SHA512", `there is no mechanism "SCRAM-SHA512"; did you mean SCRAM-SHA-512?`},
		{"--brokers a:1 --sasl GSSAPIXYZ", "there are PLAIN, SCRAM-SHA-256"},
		{"--brokers a:1 --sasl-user x", "a login needs its mechanism"},
		{"--brokers a:1 --sasl PLAIN", "needs --sasl-user"},
		{"--brokers a:1 --sasl PLAIN --sasl-user x", "set ASSIGNKIT_SASL_PASSWORD, or give --sasl-password-file"},
		{"--brokers a:1 --sasl OAUTHBEARER", "needs --sasl-token-file"},
		{"--brokers a:1 --timeout 5", "is not a time"},
		{"--brokers a:1 --timeout 0s", "is not a time"},
		{"--brokers a:1 --kafka-version 2.3", "2.4.0 is the oldest"},
		{"--brokers a:1 --kafka-version new", "is not a version of Kafka"},
		{"--config " + password, "name one of them with --profile"},
	}
	for _, test := range tests {
		o, err := parse(t, strings.Fields(test.args)...)
		inFlag := err != nil // which package root makes a usage error of
		if err == nil {
			_, err = o.resolve(nil)
		}
		var usage *fault.UsageError
		if err == nil || !strings.Contains(err.Error(), test.says) || !inFlag && !errors.As(err, &usage) {
			t.Errorf("%s: %v, wanted %s", test.args, err, test.says)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	tests := []struct {
		text string
		says []string // after the name of the file
	}{
		{"", []string{": no documents in stream"}},
		{"profiles:\n", []string{":1:10: profiles should be keys and values, not nothing"}},
		{"profile:\n  a: {}\n", []string{`:1:1: the file has no key "profile"; did you mean profiles?`}},
		{"profiles:\n  a:\n    broker: [x:1]\n    tls: [1]\n", []string{`:3:5: a profile has no key "broker"; did you mean brokers?`, ":4:10: tls should be keys and values, not a list"}},
		{"profiles:\n  a: {brokers: [x]}\n", []string{`:2:16: "x" has no port`}},
		{"profiles:\n  a: {brokers: [[x:1]]}\n", []string{":2:17: should be a text, not a list"}},
		{"profiles:\n  a: {tls: hunter2}\n", []string{":2:12: should be true or false, not a text"}},
		{"profiles:\n  a: {tls: {insecure: 1}}\n", []string{":2:23: should be true or false, not a number"}},
		{"profiles:\n  a:\n    sasl: {mechanism: PLAIN, user: u, password: hunter2}\n", []string{":3:49: passwords do not belong here: use password_file"}},
		{"profiles:\n  a: {sasl: {password: *hunter2}}\n", []string{":2:24: unknown anchor; quote a text"}},
		{"profiles:\n  a: {sasl: {password=hunter2: x}}\n", []string{":2:14: sasl has no such key; there are mechanism, password_file"}},
		{"profiles:\n  a: {brokers: 'sasl://me:hunter2@x:1'}\n", []string{":2:16: an address has a login in it"}},
		{"profiles:\n  a: {sasl: hunter2}\n", []string{":2:13: sasl should be keys and values, not a text"}},
		{"profiles:\n  a: {sasl: {mechanism: GSS}}\n", []string{`:2:25: there is no mechanism "GSS"`}},
		{"profiles:\n  a: {timeout: 10}\n", []string{":2:16: \"10\" is not a time"}},
		{"profiles:\n  a: {kafka_version: 1.0.0}\n", []string{":2:22: 1.0.0 is too old"}},
		{"profiles:\n  a: {}\n  a: {}\n", []string{`:3:3: key "a" is there twice`}},
		{"profiles:\n  ? [x]\n  : {}\n", []string{":2:5: a key should be a word"}},
		{"profiles: {a: {}}\n---\nprofiles: {}\n", []string{":"}},
		{"profiles: [", []string{":2:1: "}},
		{"profiles:\n\ta: {}\n", []string{":2:"}},
		{"profiles: {b: &x {}, c: *x}\n", []string{":1:25: a profile should be keys and values, not an alias"}},
		{"profiles: {proud: {}}\n", []string{`: there is no profile "prod" in it; did you mean proud?`}},
		{"profiles: {somewhere: {}, else: {}}\n", []string{`: there is no profile "prod" in it; there are else, somewhere`}},
		{"profiles: " + strings.Repeat("[", 500000), []string{":"}},
		{strings.Repeat("# too long\n", 100000), []string{" is larger than 1024 KiB"}},
	}
	for _, test := range tests {
		path := write(t, "config.yaml", test.text)
		o, err := parse(t, "--config", path, "--profile", "prod")
		if err != nil {
			t.Fatal(err)
		}
		_, err = o.resolve(nil)
		if err == nil {
			t.Errorf("%.60q: no error", test.text)
			continue
		}
		for _, says := range test.says {
			if !strings.Contains(err.Error(), path+says) {
				t.Errorf("%.60q:\n%v\nwanted %s", test.text, err, path+says)
			}
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("there is a value in %v", err)
		}
	}
}

func TestConfigPath(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	o, err := parse(t, "--profile", "lab")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "assignkit", "config.yaml")
	if _, err := o.resolve(nil); err == nil || !strings.Contains(err.Error(), "profile lab: there is no file "+path) {
		t.Error(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(profiles), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := o.resolve(nil); err != nil || r.brokers[0] != "lab:9092" || !o.Given() {
		t.Error(r, err)
	}
	if got := strings.Join(o.profileNames(), " "); got != "lab login prod" {
		t.Error(got)
	}
}

// No way of printing shows a secret, also not inside what has it.
func TestRedaction(t *testing.T) {
	const password = "hunter2"
	r := &target{settings: settings{user: "alice"}, password: NewSecret(password)}
	var logged, encoded bytes.Buffer
	slog.New(slog.NewTextHandler(&logged, nil)).Info("m", "secret", r.password, "target", r, "value", *r)
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("m", "secret", r.password, "target", r)
	if err := json.NewEncoder(&encoded).Encode(map[string]any{"s": r.password, "t": r}); err != nil {
		t.Fatal(err)
	}
	y, err := yaml.Dump(r.password)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join([]string{
		fmt.Sprint(r.password), fmt.Sprintf("%v %+v %#v %s %q %x", r.password, r.password, r.password, r.password, r.password, r.password),
		fmt.Sprintf("%v %+v %#v", r, r, r), fmt.Sprintf("%v %+v %#v", *r, *r, *r), logged.String(), encoded.String(), string(y),
	}, "\n")
	if strings.Contains(all, password) || strings.Contains(all, fmt.Sprintf("%x", password)) {
		t.Error(all)
	}
	if !strings.Contains(fmt.Sprint(r.password), redacted) || r.password.Reveal() != password || (Secret{}).Reveal() != "" {
		t.Error("a secret is lost")
	}
}

func TestSecretFiles(t *testing.T) {
	for text, says := range map[string]string{"": "is empty", "\n": "is empty", "hunter2\nmore\n": "has more than one line", "hunter2" + strings.Repeat("x", maxSecret): "is larger than 64 KiB", "hunter2\x01": "bytes that are not text"} {
		_, err := readSecret("password", write(t, "password", text))
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	for _, args := range []string{
		"--config /dev/zero --profile a", "--brokers a:1 --sasl PLAIN --sasl-user u --sasl-password-file /dev/zero", "--brokers a:1 --sasl OAUTHBEARER --sasl-token-file /dev/zero",
		"--brokers a:1 --tls-ca /dev/zero", "--brokers a:1 --tls-cert /dev/zero --tls-key /dev/zero",
	} {
		if runtime.GOOS == "windows" {
			break
		}
		o, err := parse(t, strings.Fields(args)...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = o.Dial(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "/dev/zero is larger than") {
			t.Errorf("%s: %v", args, err)
		}
	}
	if _, err := readSecret("token", filepath.Join(t.TempDir(), "nosuch")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// A token is read whenever one is needed, as it changes.
func TestToken(t *testing.T) {
	path := write(t, "token", "first\n")
	f := tokenFile(path)
	for _, want := range []string{"first", "second"} {
		token, err := f.Token()
		if err != nil || token.Token != want {
			t.Errorf("%v, %v", token, err)
		}
		if err := os.WriteFile(path, []byte("second\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
