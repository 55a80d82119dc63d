package configs

import (
	"regexp"
	"strconv"
)

// prefixPattern keeps braces out: they would move the tag that puts all keys
// of a shard into one slot.
var prefixPattern = regexp.MustCompile(`^[A-Za-z0-9:._-]{0,64}$`)

func (d *decoder) checkStore(s Store) {
	d.checkRedis(child("store", "redis"), s.Redis)
	d.oneOf("store", "durability", string(s.Durability), string(Single), string(Strict), string(Replicated), string(Volatile))
	if s.Retention < MinRetention {
		d.show(child("store", "retention"))
		d.fault("store", "retention", "too short: a repeat after it would run again", "keep ended jobs for at least "+short(MinRetention))
	}
	if !prefixPattern.MatchString(s.Prefix) {
		d.fault("store", "prefix", "not usable before a key", "use up to 64 letters, digits, colons, dots, hyphens and underscores")
	}
}

func (d *decoder) checkRedis(at string, r Redis) {
	forms := 0
	for _, used := range []bool{!r.URL.IsZero(), r.Sentinel != nil, r.Cluster != nil} {
		if used {
			forms++
		}
	}
	switch {
	case forms == 0 && !d.bad["store"] && !d.badWithin(at, "url", "sentinel", "cluster"):
		d.missing("store", "redis", "say where the jobs are kept, such as redis: redis://127.0.0.1:6379")
	case forms > 1:
		d.fault("store", "redis", "has more than one of url, sentinel and cluster", "keep one of them")
	}
	d.checkAddresses(at, "sentinel", r.Sentinel)
	d.checkAddresses(at, "cluster", r.Cluster)
	if r.Sentinel != nil && r.Master == "" {
		d.missing(at, "master", "write the name by which the Sentinels know the master, such as mymaster")
	}
	d.onlyWith(at, "master", r.Master != "", r.Sentinel != nil, "sentinel")
	d.onlyWith(at, "sentinel_password", !r.SentinelPassword.IsZero(), r.Sentinel != nil, "sentinel")
	lists := r.Sentinel != nil || r.Cluster != nil
	d.onlyWith(at, "username", r.Username != "", lists, "sentinel or cluster; a url holds its own")
	d.onlyWith(at, "password", !r.Password.IsZero(), lists, "sentinel or cluster; a url holds its own")
	d.onlyWith(at, "tls", r.TLS, lists, "sentinel or cluster; a url says rediss://")
}

func (d *decoder) badWithin(at string, names ...string) bool {
	for _, n := range names {
		if d.bad[child(at, n)] {
			return true
		}
	}
	return false
}

func (d *decoder) checkAddresses(at, name string, list []string) {
	if list != nil && len(list) == 0 {
		d.fault(at, name, "lists no address", "write at least one HOST:PORT")
	}
	for i, a := range list {
		d.checkAddress(child(at, name), "["+strconv.Itoa(i)+"]", a)
	}
}

// onlyWith reports a setting that would have no effect.
func (d *decoder) onlyWith(at, name string, set, applies bool, with string) {
	if set && !applies {
		d.fault(at, name, "has no effect here", "use it with "+with)
	}
}
