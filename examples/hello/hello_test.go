package main

import (
	"bytes"
	"testing"
)

// TestHello runs the example and checks what it prints.
func TestHello(t *testing.T) {
	addrs, stop := embeddedCluster()
	defer stop()
	var out bytes.Buffer
	if err := hello(t.Context(), addrs, &out); err != nil {
		t.Fatal(err)
	}
	want := "greetings-0@0: record greetings-0-0\ngreetings-0@1: record greetings-0-1\ngreetings-0@2: record greetings-0-2\n"
	if out.String() != want {
		t.Errorf("it printed\n%s\nwant\n%s", out.String(), want)
	}
}
