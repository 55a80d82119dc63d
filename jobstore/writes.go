package jobstore

// Write is one script as a reviewer needs it: what it changes, what keeps two
// runs of it or two writers apart, and what follows when its answer is lost.
type Write struct {
	Script     string `json:"script"`
	Changes    string `json:"changes"`
	Protection string `json:"protection"`
	Lost       string `json:"answer_lost"`
}

// Writes describes every script, in the order of a job's life. load only reads.
func Writes() []Write {
	const sameToken = "it is sent once more with the same op token and answers the same; lost twice, the record is read"
	const untilStored = "it is made again until the store answers; what stands already is not changed"
	return []Write{
		{"submit", "a job under its idempotency key, and its first attempt", "the key is set only if it is free; the new id is the op token",
			"asked again with the same id; if the record stands, its attempt was never sent and is settled so"},
		{"claim", "the job's holder and epoch; an orphaned attempt turns unknown", "op token; the lease must have lapsed; the new epoch fences the old holder out", sameToken},
		{"renew", "the job's lease", "epoch; a counter that only goes up", "the next heartbeat renews it"},
		{"release", "the job's holder and alarm", "op token, epoch", "the lease lapses and another router takes the job"},
		{"begin", "the next attempt, before its request leaves", "op token, epoch, the number of the attempt; refused beside an open one", "nothing is sent; the record is read, and an attempt that stands is settled as not sent"},
		{"accept", "an attempt turns running", "op token; an ended attempt stays ended", "tried again a second later; nothing depends on it"},
		{"settle", "the outcome and the cost of an attempt; the result of a job", "op token, epoch, version: a result is written by compare-and-swap, a certain cost once", untilStored},
		{"fail", "the end of a job for which nothing more can be done", "op token, epoch, number of attempts, nothing open", untilStored},
		{"resolve", "an unknown attempt settled from outside", "op token, version that the operator saw, the send window is over", "the operator repeats it; an attempt that is settled already is refused"},
		{"cancel", "the end of a job by its owner's word", "op token, number of attempts; cancelling twice is cancelling once", "the caller repeats it"},
		{"deliver", "an event that is owed to an app: taken, delivered or put off", "the token of its taking", "the taking lapses and the event is delivered again under the same event id"},
		{"eligibility", "who may take over, and its audit entry", "op token, version; the entry fits behind one predecessor only", sameToken},
		{"drift", "what live answers of a pair were worth", "op token, for a minute", "the notes of a batch may be missing; no job depends on them"},
		{"rest", "how long a target that refused is left alone, and at which pace it is called afterwards", "the later end stands; a refusal of a call from before the last cut lowers no pace", "this router rests it for itself; the next refusal tells the others"},
		{"slot", "the turn of a call at a target that is paced", "no two calls have the same turn", "a turn that nobody uses; the call takes another"},
		{"rests", "nothing: it reads who rests", "none needed", "it is read again within half a second"},
		{"load", "nothing: it reads a job as of one moment", "none needed", "it is read again"},
	}
}
