// Package jobstore keeps jobs and attempts in Redis, and is the only place
// that knows Redis. A job is what an app wants; an attempt is one try at it.
//
//	job      queued ──begin──► running ──settle──► succeeded
//	           ▲                │  │  └──settle──► failed
//	           └────settle──────┘  ▼
//	         queued ◄──resolve── unknown ──settle, resolve──► succeeded, failed
//	         every live state ──cancel──► cancelled
//
//	attempt  starting ──accept──► running
//	         starting, running ──settle, claim──► unknown
//	         starting, running, unknown ──settle──► succeeded, failed, discarded
//	         unknown ──resolve──► succeeded, failed, cancelled
//	         every open state ──cancel──► cancelled
//
// Each move is one Lua script, atomic in one slot. Three fences keep moves
// apart. The op token: a call repeated after a lost reply answers the same.
// The epoch: only the newest claim of a job drives it. The version together
// with completed_by: a result is written only if nothing has closed the result
// slot since its attempt began. Time decides only when somebody looks again;
// no fence rests on it.
//
// What is guaranteed holds as far as Redis keeps what it acknowledged; the
// durability level says how far that is. See docs/guarantees.md.
package jobstore
