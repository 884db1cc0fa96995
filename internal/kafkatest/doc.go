// Package kafkatest runs real Apache Kafka for tests: one or three brokers in KRaft mode on loopback, as processes of their own that
// can be stopped, killed and started again, and Kafka's own command line tools against them. The jars come from Maven, once; Java 17 and
// mvn are all that has to be there.
//
// What belongs here: processes, files, certificates and users of brokers. What does not: the fake cluster in process, which is package
// embedded, and what is asked of a cluster. Tests that start brokers carry the build tag kafka, as they take seconds and need Java; the
// package itself compiles everywhere, but brokers run where there are process groups, which leaves Windows out.
package kafkatest
