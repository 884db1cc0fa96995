// Command tested is a small application with the tests that such a one should have, in stock_test.go: its callbacks under every sequence of
// events that there may be, and the whole of it through deploys, expired sessions and a coordinator that dies. They need no Kafka.
//
// Run, it keeps the stock of articles. Without brokers it shows that on a cluster in this process.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"

	"github.com/assignkit/assignkit/consumer"
)

func main() {
	brokers := flag.String("brokers", "", "addresses, host:port, with commas between; none: a cluster in this process")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *brokers, os.Stdout); err != nil {
		log.Print(err)
	}
}

func run(ctx context.Context, brokers string, out io.Writer) error {
	if brokers == "" {
		return show(ctx, out)
	}
	k := newStock(newStore())
	cfg := k.config()
	cfg.Brokers = strings.Split(brokers, ",")
	member, err := consumer.New(cfg)
	if err != nil {
		return err
	}
	if err := member.Run(ctx, k.handle); err != nil {
		return err
	}
	fmt.Fprintln(out, "bolts:", k.store.level("bolts"), "nuts:", k.store.level("nuts"))
	return nil
}
