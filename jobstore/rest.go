package jobstore

import (
	"context"
	"time"
)

// maxRest bounds what one refusal can do to a name, whatever wait it states.
const maxRest = time.Hour

// paceKept is how long a target's calls are paced after its last refusal.
const paceKept = 30 * time.Second

// Rest is what all routers know of a target that refused, as of
// the moment it was read. Times are from then.
type Rest struct {
	Name string
	// Left is how long nothing should be sent; 0 or less: the rest is over.
	Left time.Duration
	// Paced is how long each call needs a Slot; 0 or less: not any more.
	Paced time.Duration
	// Cut names the refusal that the pace was last lowered for.
	Cut int64
}

// Rest has a name rest for wait, in every router, and keeps the later of two
// ends. With pace, calls after it need a Slot for a while, and ago, the time since the
// refused call began, tells refusals apart that belong together. Names hold no
// white space. The same call again, within the rest, lowers no pace further.
func (s *Store) Rest(ctx context.Context, name string, wait, ago time.Duration, pace bool) (Rest, error) {
	kept := time.Duration(0)
	if pace {
		kept = paceKept
	}
	wait, ago = min(max(wait, time.Millisecond), maxRest), min(max(ago, 0), maxRest)
	w, err := s.words(ctx, s.scripts.rest, []string{s.keys.rests()}, name, ms(wait), ms(ago), ms(kept))
	if err != nil {
		return Rest{}, err
	}
	if w[0] != "rest" || len(w) != 5 {
		return Rest{}, unexpected(s.scripts.rest, w)
	}
	return restOf(name, w[1], w[2], w[3], w[4]), nil
}

func restOf(name, now, until, ends, cut string) Rest {
	at := number(now)
	span := func(end string) time.Duration { return time.Duration(number(end)-at) * time.Millisecond }
	return Rest{Name: name, Left: span(until), Paced: span(ends), Cut: number(cut)}
}

// Slot is a call's turn at a target that is paced.
type Slot struct {
	Free bool          // it is not paced any more: go
	Full bool          // the next turn is Wait away, and was not taken
	Wait time.Duration // until the turn
	Cut  int64         // a turn that was given before a later cut is void
}

// Slot takes the next turn at a target, unless it is further away than most.
// Of all routers' calls no two get the same.
func (s *Store) Slot(ctx context.Context, name string, most time.Duration) (Slot, error) {
	w, err := s.words(ctx, s.scripts.slot, []string{s.keys.rests()}, name, ms(max(most, 0)))
	switch {
	case err != nil:
		return Slot{}, err
	case w[0] == "free":
		return Slot{Free: true}, nil
	case w[0] == "full" && len(w) == 2:
		return Slot{Full: true, Wait: time.Duration(number(w[1])) * time.Millisecond}, nil
	case w[0] == "slot" && len(w) == 3:
		return Slot{Wait: time.Duration(number(w[1])) * time.Millisecond, Cut: number(w[2])}, nil
	}
	return Slot{}, unexpected(s.scripts.slot, w)
}

// Rests reads every name that rests or is paced, in one call.
func (s *Store) Rests(ctx context.Context) ([]Rest, error) {
	w, err := s.words(ctx, s.scripts.rests, []string{s.keys.rests()})
	if err != nil {
		return nil, err
	}
	if w[0] != "rests" || len(w)%4 != 2 {
		return nil, unexpected(s.scripts.rests, w)
	}
	var out []Rest
	for i := 2; i < len(w); i += 4 {
		out = append(out, restOf(w[i], w[1], w[i+1], w[i+2], w[i+3]))
	}
	return out, nil
}
