package jobstore_test

import (
	"os"
	"testing"

	"inferonce/jobstore/jobstoretest"
)

// lab holds the servers that the tests of this package share.
var lab jobstoretest.Lab

func TestMain(m *testing.M) { os.Exit(lab.Main(m)) }
