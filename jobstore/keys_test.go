package jobstore

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// hash tags: only what stands in the first braces picks the slot.
var tag = regexp.MustCompile(`^p:\{s:[0-9a-f]{2}\}:[^{}]*$`)

func TestKeys(t *testing.T) {
	k := newKeyspace("p:")
	for _, name := range []string{"o", "a{b}c", "}{", "{s:00}", "with:colon", "", "ü", strings.Repeat("x", 255)} {
		id := newID(shardOf(name, name))
		shard, ok := shardOfID(id)
		if !ok || shard != shardOf(name, name) {
			t.Fatalf("%q: id %s reads back as shard %d, %t", name, id, shard, ok)
		}
		want := k.tag(shard)
		for _, key := range []string{k.idem(name, name), k.job(id), k.attempt(id, 16), k.due(shard), k.open(shard), k.ended(shard), k.owner(shard, shortHash(name))} {
			if !tag.MatchString(key) || !strings.HasPrefix(key, want) {
				t.Errorf("%q: key %q, want the tag %s and no other brace", name, key, want)
			}
		}
	}
}

func TestOwnerAndKeyDoNotRunTogether(t *testing.T) {
	k := newKeyspace("p:")
	if k.idem("ab", "c") == k.idem("a", "bc") || k.idem("", "abc") == k.idem("abc", "") {
		t.Error("two owners share a key")
	}
}

func TestEveryShardHasItsIDs(t *testing.T) {
	for shard := range Shards {
		if got, ok := shardOfID(newID(shard)); !ok || got != shard {
			t.Fatalf("shard %d reads back as %d, %t", shard, got, ok)
		}
	}
}

func TestWhatIsNoID(t *testing.T) {
	good := newID(7)
	for says, id := range map[string]string{
		"nothing": "", "another word": "att_" + good[4:], "one letter short": good[:len(good)-1], "one letter long": good + "0",
		"a shard that is no number": "job_zz" + good[6:], "a sign before the shard": "job_+7" + good[6:], "an upper case letter": strings.ToUpper(good),
		"a brace inside": good[:10] + "}" + good[11:], "a letter that the alphabet leaves out": good[:10] + "i" + good[11:],
	} {
		if shard, ok := shardOfID(id); ok {
			t.Errorf("%s (%q) was taken for an id of shard %d", says, id, shard)
		}
	}
}

func TestCursor(t *testing.T) {
	id := newID(200)
	got, err := parseCursor("1700000000000." + id)
	if err != nil || got.score != 1.7e12 || got.id != id {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{".", "1700000000000", "1700000000000." + id[1:], id, "x." + id, "-1." + id, "1e3." + id} {
		if _, err := parseCursor(text); err != ErrCursor {
			t.Errorf("%q: %v, want ErrCursor", text, err)
		}
	}
}

func TestRangesReadEachEntryOnce(t *testing.T) {
	// Entries of three shards at the cursor's score, below and above it.
	from := entry{100, newID(1)}
	for _, c := range []struct {
		shard  int
		newest bool
		want   string // start bounds of the ranges, in order
	}{
		{0, false, "[(100]"}, {1, false, "[100 (100]"}, {2, false, "[100]"},
		{0, true, "[100]"}, {1, true, "[100 (100]"}, {2, true, "[(100]"},
	} {
		var starts []any
		for _, r := range ranges(c.shard, from, 5, c.newest) {
			starts = append(starts, r.Start)
		}
		if got := fmt.Sprint(starts); got != c.want {
			t.Errorf("shard %d, newest first %t: ranges begin at %s, want %s", c.shard, c.newest, got, c.want)
		}
	}
}
