package configs

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// ownerName goes into every record, so it is visible ASCII of a bounded length.
var ownerName = regexp.MustCompile(`^[!-~]{1,128}$`)

func (d *decoder) checkKeys(keys []Key) {
	if len(keys) == 0 {
		d.missing("", "keys", "nobody could call; make one with inferonce keys new")
	}
	for i, k := range keys {
		at := child("keys", "["+strconv.Itoa(i)+"]")
		switch {
		case k.Owner == "":
			d.missing(at, "owner", "name the user or app that the key belongs to")
		case !ownerName.MatchString(k.Owner):
			d.fault(at, "owner", "not usable as an owner's name", "use up to 128 visible ASCII characters without spaces")
		}
		d.checkHash(at, k.Hash, keys[:i])
		d.checkScopes(at, k.Scopes)
	}
}

func (d *decoder) checkHash(at, hash string, before []Key) {
	if hash == "" {
		d.missing(at, "hash", "inferonce keys new prints a key and its hash")
		return
	}
	if _, ok := parseHash(hash); !ok {
		d.fault(at, "hash", "not the hash of a key", "write sha256: and 64 small hex digits, as inferonce keys new prints them; never the key itself")
		return
	}
	same := slices.IndexFunc(before, func(k Key) bool { return k.Hash == hash })
	if same >= 0 {
		d.fault(at, "hash", fmt.Sprintf("the same key as keys[%d]", same), "make another key with inferonce keys new")
	}
}

func (d *decoder) checkScopes(at string, scopes []Scope) {
	known := make([]string, 0, len(allScopes()))
	for _, s := range allScopes() {
		known = append(known, string(s))
	}
	if len(scopes) == 0 {
		d.missing(at, "scopes", "list what the key may do, such as [infer]; "+didYouMean("", known))
	}
	list := child(at, "scopes")
	for i, s := range scopes {
		index := "[" + strconv.Itoa(i) + "]"
		if slices.Contains(scopes[:i], s) && slices.Contains(known, string(s)) {
			d.fault(list, index, "listed twice", "take it out once")
			continue
		}
		d.oneOf(list, index, string(s), known...)
	}
}
