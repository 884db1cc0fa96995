package plugin

import (
	"cmp"
	"log/slog"
	"path/filepath"
	"time"
)

// Config says which plugins may run, and how. Its zero value reads assignors.lock in the working directory.
type Config struct {
	// Lock is the lock file. "": "assignors.lock".
	Lock string
	// Folders have the plugins' executables, each named "assignor-" and its name. None: the folder of the lock file.
	Folders []string

	// StartTimeout bounds a start, until the plugin has said what it is. 0: 5 s.
	StartTimeout time.Duration
	// CallTimeout bounds a call of Assign whose context has no sooner deadline. 0: 5 s.
	CallTimeout time.Duration
	// NoticeTimeout bounds a call of UserData, and each notice of an assignment. 0: 1 s.
	NoticeTimeout time.Duration
	// Memory bounds the memory that a plugin's process may write to, in bytes, on Linux; elsewhere it is not bounded. The process is told three quarters of
	// it as GOMEMLIMIT, which Go's garbage collector keeps to as far as it can. 0: 2 GiB. Negative: no bound.
	Memory int64
	// Private is the folder in which executables are copied to a folder of their own, to be checked and run there, as are the
	// plugins' sockets. Executables in it must be allowed to run, and its path be short. "": os.TempDir().
	Private string
	// Logger gets what plugins log, and what happens to them, each with the plugin's name. Nil: slog.Default().
	Logger *slog.Logger
}

// withDefaults fills in what is not set.
func (c Config) withDefaults() Config {
	c.Lock = cmp.Or(c.Lock, DefaultLock)
	if len(c.Folders) == 0 {
		c.Folders = []string{filepath.Dir(c.Lock)}
	}
	c.StartTimeout = cmp.Or(c.StartTimeout, 5*time.Second)
	c.CallTimeout = cmp.Or(c.CallTimeout, 5*time.Second)
	c.NoticeTimeout = cmp.Or(c.NoticeTimeout, time.Second)
	c.Memory = max(0, cmp.Or(c.Memory, 2<<30))
	c.Logger = cmp.Or(c.Logger, slog.Default())
	return c
}
