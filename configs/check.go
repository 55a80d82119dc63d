package configs

import (
	"maps"
	"net"
	"slices"
	"strconv"
)

// check reports what is wrong with settings that are right by themselves. It
// also fills in the defaults that depend on other settings.
func (d *decoder) check(c *Config) {
	d.checkAddress("", "listen", c.Listen)
	d.checkStore(c.Store)
	d.checkProviders(c.Providers)
	d.checkTargets(c)
	d.checkRoutes(c)
	d.checkCanary(c)
	d.checkKeys(c.Keys)
	d.checkAmounts(c.Limits)
	d.oneOf("", "drift", string(c.Drift), string(DriftSuspend), string(DriftOff))
	d.oneOf("log", "level", c.Log.Level, "debug", "info", "warn", "error")
	d.oneOf("log", "format", c.Log.Format, "json", "text")
}

// fault reports a problem with a setting of parent, at its value if the file
// gives it and else at the parent's name. A setting that was reported before
// isn't reported again.
func (d *decoder) fault(parent, name, message, fix string) {
	path := child(parent, name)
	if d.bad[path] || d.bad[parent] && parent != "" {
		return
	}
	at, given := d.values[path]
	if !given {
		at = d.parentPlace(parent)
	}
	d.report(at, path, message, fix)
}

func (d *decoder) parentPlace(parent string) place {
	if at, ok := d.names[parent]; ok {
		return at
	}
	return place{line: 1, column: 1}
}

func (d *decoder) missing(parent, name, fix string) {
	d.fault(parent, name, "is missing", fix)
}

func (d *decoder) oneOf(parent, name, got string, known ...string) {
	if !slices.Contains(known, got) {
		d.show(child(parent, name))
		d.fault(parent, name, "unknown word", didYouMean(got, known))
	}
}

// sorted yields the names of a map in an order that doesn't change.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func (d *decoder) checkAddress(parent, name, address string) {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		d.fault(parent, name, "not a host and a port", "write HOST:PORT, such as "+DefaultListen+" or [::1]:8787")
	}
}
