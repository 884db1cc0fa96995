package plugin

import "context"

// Found is a plugin that is in a folder, in the lock file, or in both.
type Found struct {
	Name   string
	Path   string  // of its executable, "" if there is none
	Locked *Locked // what the lock says of it, nil if nothing
	Err    error   // why it would not run, nil if it would
}

// Find lists the plugins of the folders and of the lock file by name, and checks those that are locked by their sha256. It starts none. A lock file that
// does not exist locks nothing.
func Find(cfg Config) ([]Found, error) { panic("to be written") }

// Describe starts the executable at a path, whatever it is, has it say what it is and pass a self-test, and returns what a lock file would say
// of it. environment lists what it gets of the host's environment, by name.
func Describe(ctx context.Context, cfg Config, path string, environment ...string) (Locked, error) {
	panic("to be written")
}

// Sum returns the sha256 of an executable in hexadecimal, and the platform that it runs on: [AnyPlatform] for a script.
func Sum(path string) (platform, sum string, err error) { panic("to be written") }
