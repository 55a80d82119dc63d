package jobstore

import (
	"errors"
	"fmt"
	"time"
)

// What a move may be refused with. A refused move has changed nothing.
var (
	ErrNotFound    = errors.New("no such job")
	ErrEnded       = errors.New("the job has ended")
	ErrStale       = errors.New("stale epoch: another claim drives the job")
	ErrBlocked     = errors.New("an earlier attempt is still open")
	ErrHeld        = errors.New("the job is held by a live lease")
	ErrQuarantined = errors.New("the job was claimed too often without progress")
	ErrLimit       = errors.New("the job has no attempts left")
	ErrLost        = errors.New("another outcome stands")
	ErrBusy        = errors.New("the job has an attempt under way")
	// ErrUnavailable is returned when the store did not answer or refused to
	// write. Unless the error also is ErrIndeterminate, nothing was done.
	ErrUnavailable = errors.New("the store is not available")
	// ErrIndeterminate is returned when no reply came, twice: the move may have
	// happened. Load tells; for a Submit, Resubmit with the same id does.
	ErrIndeterminate = errors.New("no reply: the move may have happened")
	// ErrMoved refuses a Begin with another number than the next one. After a
	// Begin that was indeterminate it says that the attempt exists; Load tells.
	ErrMoved = errors.New("the job has another number of attempts than the caller knows")
)

// KeyReusedError refuses a key that stands for another intent (R4).
type KeyReusedError struct{ JobID string }

func (e *KeyReusedError) Error() string {
	return "the idempotency key stands for another intent, job " + e.JobID
}

// ConflictError refuses a change that was based on an older version.
type ConflictError struct{ Version int64 }

func (e *ConflictError) Error() string {
	return fmt.Sprintf("version conflict: the current version is %d", e.Version)
}

// NotUnknownError refuses to settle an attempt that is not unknown.
type NotUnknownError struct{ State AttemptState }

func (e *NotUnknownError) Error() string {
	return "only an unknown attempt can be settled; this one is " + string(e.State)
}

// TooSoonError refuses "not executed" while the request could still leave.
type TooSoonError struct{ Wait time.Duration }

func (e *TooSoonError) Error() string {
	return fmt.Sprintf("the request could still be sent; ask again in %s", e.Wait)
}
