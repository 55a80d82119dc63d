package jobstore_test

import (
	"testing"

	"inferonce/jobstore"
	"inferonce/jobstore/jobstoretest"
)

func TestPingSaysWhatTheStoreIs(t *testing.T) {
	t.Parallel()
	for name, options := range lab.On() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := jobstoretest.NewPlace(t, options(t))
			h, err := p.Store.Ping(jobstoretest.Context(t))
			level := jobstore.Single
			if name == "embedded" {
				level = jobstore.Volatile
			}
			if err != nil || h.Embedded != (name == "embedded") || h.Durability != level || h.RoundTrip <= 0 {
				t.Errorf("%+v, %v", h, err)
			}
		})
	}
}
