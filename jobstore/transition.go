package jobstore

// Move is one legal step of a job and, where it has one, of an attempt.
// An empty From means that the record did not exist; an empty attempt pair,
// that no attempt is touched.
type Move struct {
	Name                   string
	JobFrom, JobTo         JobState
	AttemptFrom, AttemptTo AttemptState
}

// Moves lists every legal move, once. A script that does anything else is
// wrong; the suite in jobstoretest compares the two from every state.
var Moves = []Move{
	{"submit", "", JobRunning, "", AttemptStarting},
	{"submit", "", JobQueued, "", ""},

	{"claim", JobQueued, JobQueued, "", ""},
	{"claim", JobUnknown, JobUnknown, "", ""},
	{"claim", JobRunning, JobUnknown, AttemptStarting, AttemptUnknown},
	{"claim", JobRunning, JobUnknown, AttemptRunning, AttemptUnknown},
	{"claim", JobQueued, JobFailed, "", ""}, // quarantined

	{"begin", JobQueued, JobRunning, "", AttemptStarting},
	{"begin", JobUnknown, JobRunning, "", AttemptStarting}, // a race (R15)

	{"accept", JobRunning, JobRunning, AttemptStarting, AttemptRunning},
	{"accept", JobSucceeded, JobSucceeded, AttemptStarting, AttemptRunning}, // it lost its race and still runs

	{"settle", JobRunning, JobSucceeded, AttemptStarting, AttemptSucceeded},
	{"settle", JobRunning, JobSucceeded, AttemptRunning, AttemptSucceeded},
	{"settle", JobRunning, JobSucceeded, AttemptUnknown, AttemptSucceeded}, // the silent one wins its race
	{"settle", JobUnknown, JobSucceeded, AttemptUnknown, AttemptSucceeded},
	{"settle", JobRunning, JobQueued, AttemptStarting, AttemptFailed},
	{"settle", JobRunning, JobQueued, AttemptRunning, AttemptFailed},
	{"settle", JobUnknown, JobQueued, AttemptUnknown, AttemptFailed},
	{"settle", JobRunning, JobFailed, AttemptStarting, AttemptFailed},
	{"settle", JobRunning, JobFailed, AttemptRunning, AttemptFailed},
	{"settle", JobUnknown, JobFailed, AttemptUnknown, AttemptFailed},
	{"settle", JobRunning, JobUnknown, AttemptStarting, AttemptFailed}, // another attempt is unknown
	{"settle", JobRunning, JobUnknown, AttemptRunning, AttemptFailed},
	{"settle", JobRunning, JobRunning, AttemptUnknown, AttemptFailed}, // another attempt is under way
	{"settle", JobUnknown, JobUnknown, AttemptUnknown, AttemptFailed},
	{"settle", JobRunning, JobUnknown, AttemptStarting, AttemptUnknown},
	{"settle", JobRunning, JobUnknown, AttemptRunning, AttemptUnknown},
	// An attempt that was open beside the winner.
	{"settle", JobSucceeded, JobSucceeded, AttemptStarting, AttemptDiscarded},
	{"settle", JobSucceeded, JobSucceeded, AttemptRunning, AttemptDiscarded},
	{"settle", JobSucceeded, JobSucceeded, AttemptUnknown, AttemptDiscarded},
	{"settle", JobSucceeded, JobSucceeded, AttemptStarting, AttemptFailed},
	{"settle", JobSucceeded, JobSucceeded, AttemptRunning, AttemptFailed},
	{"settle", JobSucceeded, JobSucceeded, AttemptUnknown, AttemptFailed},
	{"settle", JobSucceeded, JobSucceeded, AttemptStarting, AttemptUnknown},
	{"settle", JobSucceeded, JobSucceeded, AttemptRunning, AttemptUnknown},

	{"fail", JobQueued, JobFailed, "", ""},

	{"resolve", JobUnknown, JobSucceeded, AttemptUnknown, AttemptSucceeded},
	{"resolve", JobRunning, JobSucceeded, AttemptUnknown, AttemptSucceeded},
	{"resolve", JobUnknown, JobQueued, AttemptUnknown, AttemptFailed},
	{"resolve", JobUnknown, JobQueued, AttemptUnknown, AttemptCancelled},
	{"resolve", JobUnknown, JobFailed, AttemptUnknown, AttemptFailed},
	{"resolve", JobUnknown, JobFailed, AttemptUnknown, AttemptCancelled},
	{"resolve", JobUnknown, JobUnknown, AttemptUnknown, AttemptFailed}, // another attempt is unknown too
	{"resolve", JobUnknown, JobUnknown, AttemptUnknown, AttemptCancelled},
	{"resolve", JobRunning, JobRunning, AttemptUnknown, AttemptFailed}, // another attempt is under way
	{"resolve", JobRunning, JobRunning, AttemptUnknown, AttemptCancelled},

	{"cancel", JobQueued, JobCancelled, "", ""},
	{"cancel", JobRunning, JobCancelled, AttemptStarting, AttemptCancelled},
	{"cancel", JobRunning, JobCancelled, AttemptRunning, AttemptCancelled},
	{"cancel", JobRunning, JobCancelled, AttemptUnknown, AttemptCancelled},
	{"cancel", JobUnknown, JobCancelled, AttemptUnknown, AttemptCancelled},
}
