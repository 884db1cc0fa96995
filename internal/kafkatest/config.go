package kafkatest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Config says what cluster to start. The zero value is one broker that takes plain connections from anybody.
type Config struct {
	// Brokers is 1 or 3; 0 is 1. Each is a controller as well. Topics of Kafka's own are replicated to all.
	Brokers int
	// Properties are for server.properties of each broker. They go before those that Start sets.
	Properties map[string]string
	// Users have passwords by their names. If there are any, brokers also listen at SecureAddrs, with TLS and a login by PLAIN,
	// SCRAM-SHA-256 or SCRAM-SHA-512. The cluster's Authority has signed their certificates.
	Users map[string]string
}

// sasl is what the secure listener offers.
var sasl = []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"}

// properties returns the text of one broker's server.properties.
func (c *Cluster) properties(b *broker) string {
	n := len(c.brokers)
	var voters []string
	for _, other := range c.brokers {
		voters = append(voters, fmt.Sprintf("%d@127.0.0.1:%d", other.id, other.controllerPort))
	}
	listeners := fmt.Sprintf("PLAINTEXT://127.0.0.1:%d", b.port)
	protocols := "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT"
	if c.Authority != nil {
		listeners += fmt.Sprintf(",SECURE://127.0.0.1:%d", b.securePort)
		protocols += ",SECURE:SASL_SSL"
	}
	p := map[string]string{
		"process.roles":                                    "broker,controller",
		"node.id":                                          strconv.Itoa(b.id),
		"controller.quorum.voters":                         strings.Join(voters, ","),
		"controller.listener.names":                        "CONTROLLER",
		"listeners":                                        fmt.Sprintf("%s,CONTROLLER://127.0.0.1:%d", listeners, b.controllerPort),
		"advertised.listeners":                             listeners,
		"listener.security.protocol.map":                   protocols,
		"inter.broker.listener.name":                       "PLAINTEXT",
		"log.dirs":                                         b.path("data"),
		"broker.rack":                                      fmt.Sprintf("rack-%d", b.id),
		"auto.create.topics.enable":                        "false",
		"default.replication.factor":                       strconv.Itoa(n),
		"min.insync.replicas":                              "1",
		"offsets.topic.replication.factor":                 strconv.Itoa(n),
		"offsets.topic.num.partitions":                     "4", // each is a folder that has to be made
		"transaction.state.log.replication.factor":         strconv.Itoa(n),
		"transaction.state.log.min.isr":                    "1",
		"transaction.state.log.num.partitions":             "4",
		"share.coordinator.state.topic.replication.factor": strconv.Itoa(n),
		"share.coordinator.state.topic.min.isr":            "1",
		"group.initial.rebalance.delay.ms":                 "0",
		"broker.heartbeat.interval.ms":                     "500",
		"broker.session.timeout.ms":                        "4000", // a broker that was killed is missed, and may come back, after this
		"controlled.shutdown.enable":                       "true",
		"num.network.threads":                              "2",
		"num.io.threads":                                   "4",
		"log.cleaner.dedupe.buffer.size":                   "4194304",
	}
	if c.Authority != nil {
		c.secure(p, b)
	}
	maps.Copy(p, c.config.Properties)
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(p)) {
		fmt.Fprintf(&text, "%s=%s\n", key, strings.ReplaceAll(p[key], `\`, `\\`))
	}
	return text.String()
}

// secure adds the listener with TLS and logins.
func (c *Cluster) secure(p map[string]string, b *broker) {
	const prefix = "listener.name.secure."
	p[prefix+"ssl.keystore.type"], p[prefix+"ssl.keystore.location"] = "PEM", b.keystore
	p[prefix+"ssl.truststore.type"], p[prefix+"ssl.truststore.location"] = "PEM", c.Authority.File
	p[prefix+"sasl.enabled.mechanisms"] = strings.Join(sasl, ",")
	const module = "org.apache.kafka.common.security."
	login := []string{module + "plain.PlainLoginModule required"}
	for _, name := range slices.Sorted(maps.Keys(c.config.Users)) {
		login = append(login, fmt.Sprintf("user_%s=%q", name, c.config.Users[name]))
	}
	p[prefix+"plain.sasl.jaas.config"] = strings.Join(login, " ") + ";"
	for _, mechanism := range []string{"scram-sha-256", "scram-sha-512"} {
		p[prefix+mechanism+".sasl.jaas.config"] = module + "scram.ScramLoginModule required;"
	}
}

// scram are the arguments that make the users known to a cluster that is being formatted.
func (c *Cluster) scram() []string {
	var args []string
	for _, name := range slices.Sorted(maps.Keys(c.config.Users)) {
		for _, mechanism := range []string{"SCRAM-SHA-256", "SCRAM-SHA-512"} {
			args = append(args, "--add-scram", fmt.Sprintf("%s=[name=%s,password=%s]", mechanism, name, c.config.Users[name]))
		}
	}
	return args
}
