// Package connect connects commands to a Kafka cluster: the flags that say which cluster and how, which are the same for every command,
// the profiles in the configuration file behind them, and a client that is connected or an error that says what to do.
//
// What belongs here: where brokers are, TLS, logins, timeouts, and what went wrong on the way to a broker. What does not: what is asked
// of a cluster once there is a connection; commands do that with the [Client], and put what fails through [Client.Explain].
//
// A configuration file has all that flags can say, by profile. Names of files in it are relative to it:
//
//	profiles:
//	  production:
//	    brokers: [kafka-1.example:9093, kafka-2.example:9093]
//	    tls: {ca: ca.pem, cert: me.pem, key: me.key, server_name: kafka.example} # or true
//	    sasl: {mechanism: SCRAM-SHA-512, user: billing, password_file: password} # or token_file
//	    timeout: 5s
//	    kafka_version: 3.6.0
//
// Passwords and tokens come from the environment or from files, never from the command line or the configuration file, and are in no
// error and in nothing that is printed; see [Secret].
package connect
