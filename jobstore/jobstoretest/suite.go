package jobstoretest

import (
	"testing"

	"inferonce/jobstore"
)

// Run shows that jobs may be entrusted to the Redis behind options: every
// subtest is one promise of the store. It runs on every kind of Redis alike.
func Run(t *testing.T, options func(testing.TB) jobstore.Options) {
	open := func(t testing.TB) *Place { return NewPlace(t, options(t)) }
	// First and alone, because it empties the server's script cache.
	t.Run("scripts that the server forgot are sent again", func(t *testing.T) { forgotten(t, open) })
	for says, test := range map[string]func(*testing.T, func(testing.TB) *Place){
		"every move from every state is listed, and every listed move happens": moves,
		"a key of the wrong type errs and changes nothing":                     wrongTypes,
		"an argument that is no number errs and changes nothing":               badNumbers,
		"the same call again, now or later, answers the same":                  replays,
		"a call that is lost once has its answer and one effect":               lostOnce,
		"a call that is lost twice is indeterminate, and tells later":          lostTwice,
		"half a call leaves nothing":                                           cutShort,
		"fences":                                                               fences,
		"a request that could still leave is not called unexecuted":            sendWindow,
		"retention":   retention,
		"charges":     charges,
		"outbox":      outbox,
		"keys":        keys,
		"listing":     listing,
		"watching":    watching,
		"eligibility": eligibility,
		"audit chain": auditChain,
		"drift":       drift,
		"canary":      canary,
		"rests":       rests,
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			test(t, open)
		})
	}
}
