package connect

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/internal/fault"
	"github.com/assignkit/assignkit/internal/suggest"
)

// configPath says where profiles are.
func (o *Options) configPath() (string, error) {
	if o.file != "" {
		return o.file, nil
	}
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		var err error
		if dir, err = os.UserConfigDir(); err != nil {
			return "", fmt.Errorf("%w; name the file of profiles with --config", err)
		}
	}
	return filepath.Join(dir, "assignkit", "config.yaml"), nil
}

// readProfile returns the settings of the profile that is named. Without a name there are none, and no file is read.
func (o *Options) readProfile() (settings, error) {
	name := o.profile
	if name == "" {
		name = os.Getenv("ASSIGNKIT_PROFILE")
	}
	if name == "" {
		if o.file != "" {
			return settings{}, fault.Usage("--config is a file of profiles: name one of them with --profile")
		}
		return settings{}, nil
	}
	path, err := o.configPath()
	if err != nil {
		return settings{}, err
	}
	profiles, err := readConfig(path)
	if errors.Is(err, fs.ErrNotExist) {
		return settings{}, fmt.Errorf("profile %s: there is no file %s; see --config", name, path)
	}
	if err != nil {
		return settings{}, err
	}
	profile, ok := profiles[name]
	if !ok {
		all := names(profiles)
		if near := suggest.Nearest(name, all); near != "" {
			return settings{}, fmt.Errorf("%s: there is no profile %q in it; did you mean %s?", path, name, near)
		}
		return settings{}, fmt.Errorf("%s: there is no profile %q in it; there are %s", path, name, strings.Join(all, ", "))
	}
	return profile, nil
}

func names(profiles map[string]settings) []string { return slices.Sorted(maps.Keys(profiles)) }
