// Command host is a consumer whose group is assigned by a plugin, and by sticky where the plugin fails (member.go). It runs what its lock file
// names, and on SIGHUP reads that again: a plugin that was replaced, and locked anew, takes the place of the one that runs.
//
//	go run ./examples/plugins/host --lock bin/assignors.lock --plugin labels
//	go run ./examples/plugins/host --lock bin/assignors.lock --plugin labels --label tier=gold --brokers localhost:9092
package main

import (
	"context"
	"flag"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/plugin"
)

func main() {
	if err := host(context.Background(), os.Args[1:], os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// host is the program. Without brokers it is two members on a cluster in this process.
func host(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("host", flag.ContinueOnError)
	lock := flags.String("lock", plugin.DefaultLock, "the lock file; plugins are in its folder")
	name := flags.String("plugin", "labels", "the plugin")
	brokers := flags.String("brokers", "", "addresses, host:port, with commas between; none: a cluster in this process")
	topics := flags.String("topics", "gold.orders,orders", "topics, with commas between")
	label := flags.String("label", "", "of this member, as in tier=gold")
	if err := flags.Parse(args); err != nil {
		return err
	}
	catalog, err := plugin.Open(plugin.Config{Lock: *lock})
	if err != nil {
		return err
	}
	defer catalog.Close() //nolint:errcheck // what is left is a private copy of the plugin
	defer reloadOnHangup(ctx, catalog)()
	list := strings.Split(*topics, ",")
	if *brokers == "" {
		return showMembers(ctx, catalog, *name, list, out)
	}
	cfg := consumer.Config{Brokers: strings.Split(*brokers, ","), Group: "plugins", Topics: list, Labels: labels(*label)}
	m, err := newMember(catalog, *name, "member", cfg, log.New(out, "", 0))
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, m.Stop)() // hands over first, which the end of Run's context would not
	return m.run(context.WithoutCancel(ctx))
}

// reloadOnHangup has the lock file read again on SIGHUP, until stop is called.
func reloadOnHangup(ctx context.Context, catalog *plugin.Catalog) (stop func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		for range hangups {
			if err := catalog.Reload(ctx); err != nil {
				log.Print(err) // and everything goes on as it was
			}
		}
	}()
	return func() {
		signal.Stop(hangups)
		close(hangups)
	}
}

// labels reads a label as it is written on the command line.
func labels(text string) map[string]string {
	name, value, found := strings.Cut(text, "=")
	if !found {
		return nil
	}
	return map[string]string{name: value}
}
