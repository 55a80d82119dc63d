package jobstore

import (
	"errors"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	good := map[string]string{"redis_version": "7.0.15", "aof_enabled": "1", "role": "master", "maxmemory_policy": "noeviction"}
	with := func(pairs ...string) map[string]string {
		info := map[string]string{}
		for k, v := range good {
			info[k] = v
		}
		for i := 0; i < len(pairs); i += 2 {
			info[pairs[i]] = pairs[i+1]
		}
		return info
	}
	for _, c := range []struct {
		says  string
		info  map[string]string
		fsync string
		level Durability
		fix   string // part of the remedy; "" if it is accepted
	}{
		{"an ordinary Redis keeps jobs", good, "everysec", Single, ""},
		{"one that syncs always keeps them strictly", good, "always", Strict, ""},
		{"one that does not tell how it syncs is taken for single", good, "", Single, ""},
		{"a newer one, and Valkey with the version it claims, are as good", with("redis_version", "8.2.1"), "everysec", Single, ""},
		{"one that says nothing of its role or memory is taken at its word", with("role", "", "maxmemory_policy", ""), "everysec", Single, ""},
		{"one without an append-only file is accepted where that was asked for", with("aof_enabled", "0"), "", Volatile, ""},
		{"the embedded store is accepted where that was asked for", map[string]string{}, "", Volatile, ""},
		{"the embedded store is refused otherwise", map[string]string{}, "", Single, "durability: volatile"},
		{"a Redis before 7 is refused", with("redis_version", "6.2.14"), "everysec", Single, "7.0"},
		{"a version that is no number is refused", with("redis_version", "unstable"), "everysec", Single, "7.0"},
		{"a replica is refused", with("role", "slave"), "everysec", Single, "primary"},
		{"one that evicts is refused, also for volatile", with("maxmemory_policy", "volatile-lru"), "", Volatile, "noeviction"},
		{"one without an append-only file is refused", with("aof_enabled", "0"), "everysec", Single, "appendonly yes"},
		{"one that syncs every second is refused for strict", good, "everysec", Strict, "appendfsync always"},
		{"one that does not tell how it syncs is refused for strict", good, "", Strict, "appendfsync always"},
		{"one with a replica keeps jobs on two hosts", with("connected_slaves", "1"), "everysec", Replicated, ""},
		{"one without a replica is refused for replicated", with("connected_slaves", "0"), "everysec", Replicated, "connect one"},
		{"one that does not tell of replicas is refused for replicated", good, "everysec", Replicated, "connect one"},
	} {
		t.Run(c.says, func(t *testing.T) {
			err := judge(c.info, c.fsync, c.level)
			var refused *RefusedError
			if c.fix == "" && err == nil {
				return
			}
			if !errors.As(err, &refused) || c.fix == "" || !strings.Contains(refused.Fix, c.fix) || !strings.Contains(err.Error(), refused.Reason) {
				t.Errorf("got %v, want a remedy with %q", err, c.fix)
			}
		})
	}
}

func TestParseInfo(t *testing.T) {
	info := parseInfo("# Server\r\nredis_version:7.0.15\r\nexecutable:/a:b\r\n\r\n# Empty\r\n")
	if len(info) != 2 || info["redis_version"] != "7.0.15" || info["executable"] != "/a:b" {
		t.Errorf("%q", info)
	}
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		says    string
		options Options
		refused string
	}{
		{"nothing said is fine", Options{}, ""},
		{"a brace in the prefix would move keys to other slots", Options{Prefix: "a{b}:"}, "braces"},
		{"white space in the prefix is refused", Options{Prefix: "a b:"}, "white space"},
		{"a retention before now would drop a job as it ends", Options{Retention: -1}, "retention"},
		{"a retention below the clock's grain is none", Options{Retention: 1}, "retention"},
		{"an unknown level names the known ones", Options{Durability: "high"}, "choose single, strict, replicated or volatile"},
	} {
		t.Run(c.says, func(t *testing.T) {
			o, err := c.options.defaults()
			if c.refused == "" && (err != nil || o.Prefix == "" || o.Retention <= 0 || o.Durability != Single) {
				t.Errorf("%+v, %v", o, err)
			}
			if c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)) {
				t.Errorf("got %v, want %q in it", err, c.refused)
			}
		})
	}
	if _, err := connect(Options{URL: "redis://user:secret@host:port:bad"}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a malformed URL: %v; want an error without its password", err)
	}
}
