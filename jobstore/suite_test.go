package jobstore_test

import (
	"testing"

	"inferonce/jobstore/jobstoretest"
)

// TestEveryRedisKeepsThePromises runs the suite on an embedded store, a real
// Redis and a cluster of three.
func TestEveryRedisKeepsThePromises(t *testing.T) {
	for name, options := range lab.On() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			jobstoretest.Run(t, options)
		})
	}
}
