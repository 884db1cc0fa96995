// Package browser has a browser look at pages: that it draws them, shows the numbers that JSON has, asks no network for anything, can be
// used with the keyboard, and that axe finds nothing serious. A module of its own, as nothing else needs what drives a browser.
//
// It wants Chromium, and axe-core as npm ci puts it beside this file.
package browser

import (
	"bytes"
	"context"
	"flag"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/assignkit/assignkit/cli"
	_ "github.com/assignkit/assignkit/strategies/standard"
)

var shots = flag.String("shots", "", "write pictures of pages into this folder, to look at")

// patience is how long a browser gets for one test. Nothing is measured by it.
const patience = 3 * time.Minute

// A step is something that a browser is to do.
type step = chromedp.Action[chromedp.Void]

// A tab is a browser with one page.
type tab struct {
	context.Context
	t *testing.T

	mu       sync.Mutex
	asked    []string // addresses that the page has asked for, but for its own
	troubles []string // what the browser complains of
}

// open starts a browser and has it load a page.
func open(t *testing.T, file string, before ...step) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1400, 1000),
		chromedp.DisableGPU)
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &tab{Context: ctx, t: t}
	address := (&url.URL{Scheme: "file", Path: file}).String()
	if err := chromedp.Listen(ctx, func(event any) { b.hear(event, address) }); err != nil {
		t.Fatal(err)
	}
	b.run(call(network.Enable, network.EnableParams{}), call(log.Enable, cdp.Empty{}))
	b.run(before...)
	b.run(chromedp.Navigate(address))
	return b
}

// chromium finds the browser by the names that distributions give it.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("there is no Chromium; Debian's package is called chromium")
	return ""
}

func (b *tab) hear(event any, address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; u != address && !strings.HasPrefix(u, address+"#") && u != "about:blank" {
			b.asked = append(b.asked, u)
		}
	case *runtime.EventExceptionThrown:
		b.troubles = append(b.troubles, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		b.troubles = append(b.troubles, e.Entry.Text)
	}
}

// quiet fails the test if the page has asked for anything, or the browser complained.
func (b *tab) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.asked) > 0 || len(b.troubles) > 0 {
		b.t.Errorf("the page asked for %q; the browser says %q", b.asked, b.troubles)
	}
}

func (b *tab) run(steps ...step) {
	b.t.Helper()
	if err := chromedp.Do(b, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// call is a command of the browser's protocol.
func call[P, R any](command cdp.Command[P, R], params P) step {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, command, params)
		return err
	})
}

// eval returns what an expression of the page is, or what the promise that it is comes to.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// picture writes what a reader sees, if that is wanted.
func (b *tab) picture(name string) {
	b.t.Helper()
	if *shots == "" {
		return
	}
	png, err := chromedp.Run(b, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// dark is how a page looks for who likes it dark, on a medium: "" is the screen.
func dark(medium string) step {
	return call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
	})
}

func scripts(off bool) step {
	return call(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: off})
}

// simulate runs the command on a scenario, and returns the page and what is printed.
func simulate(t *testing.T, scenario string, args ...string) (file, printed string) {
	t.Helper()
	in := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(in, []byte(scenario), 0o644); err != nil {
		t.Fatal(err)
	}
	return page(t, append([]string{"simulate", in}, args...)...)
}

// page runs a command, and returns the page that it writes and what it prints.
func page(t *testing.T, args ...string) (file, printed string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "page.html")
	var out, errs bytes.Buffer
	args = append(args, "--html", file)
	if code := cli.Main(t.Context(), args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}); code != 0 {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	return file, out.String()
}
