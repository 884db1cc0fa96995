package main

import (
	"context"
	"log"

	"github.com/assignkit/assignkit/internal/embedded"
)

// embeddedCluster starts a cluster in this process, so that the example runs without one. A program of your own does not need this file.
func embeddedCluster() (addrs []string, stop func()) {
	ctx := context.Background()
	cluster, err := embedded.Start(ctx, embedded.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := cluster.Create(ctx, embedded.Topic{Name: "greetings", Partitions: 1, Records: []int{5}}); err != nil {
		log.Fatal(err)
	}
	return cluster.Addrs(), cluster.Close
}
