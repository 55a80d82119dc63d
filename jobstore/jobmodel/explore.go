package jobmodel

import (
	"fmt"
	"strings"

	"inferonce/jobstore"
)

// Options choose what is explored.
type Options struct {
	Mutant Mutant
	Races  bool // the contract lets a second attempt start beside a silent one
}

// Report is what an exploration found.
type Report struct {
	States    int
	Violation string   // "" if the design holds
	Trace     []string // the steps that lead to the violation
	Moves     map[jobstore.Move]bool
	// Stuck is a state from which no way without a further fault leads to rest; -1 if there is none.
	Stuck int
}

type explorer struct {
	mutant Mutant
	races  bool

	seen      map[world]int32
	worlds    []world
	from      []edge
	calm      [][]int32 // predecessors over steps that are no fault
	moves     []jobstore.Move
	made      map[jobstore.Move]bool
	violation string
	bad       edge
	at        int32
}

type edge struct {
	before int32
	name   string
}

// Explore walks every state that can be reached, breadth first, so that a trace
// is a shortest one.
func Explore(o Options) Report {
	e := &explorer{mutant: o.Mutant, races: o.Races, seen: map[world]int32{}, made: map[jobstore.Move]bool{}}
	e.add(world{crashes: crashes, losses: losses}, edge{before: -1})
	for e.at = 0; int(e.at) < len(e.worlds) && e.violation == ""; e.at++ {
		e.steps(e.worlds[e.at])
	}
	r := Report{States: len(e.worlds), Violation: e.violation, Moves: e.made, Stuck: -1}
	if e.violation != "" {
		r.Trace = e.trace(e.bad)
		return r
	}
	r.Stuck = e.stuck()
	return r
}

// Why tells a violation step by step.
func (r Report) Why() string { return r.Violation + "\n  " + strings.Join(r.Trace, "\n  ") }

func (e *explorer) breaks(what string) {
	if e.violation == "" {
		e.violation = what
	}
}

// arrive takes a finished step, checks it and keeps the world it leads to.
func (e *explorer) arrive(x *step) {
	before := e.worlds[e.at]
	for _, m := range e.moves {
		e.made[m] = true
	}
	e.moves = e.moves[:0]
	e.check(before, x.w)
	if e.violation != "" {
		if e.bad.name == "" {
			e.bad = edge{e.at, x.name}
		}
		return
	}
	at := e.add(x.w, edge{e.at, x.name})
	if !x.fault {
		e.calm[at] = append(e.calm[at], e.at)
	}
}

func (e *explorer) add(w world, by edge) int32 {
	if at, ok := e.seen[w]; ok {
		return at
	}
	at := int32(len(e.worlds))
	e.seen[w] = at
	e.worlds, e.from, e.calm = append(e.worlds, w), append(e.from, by), append(e.calm, nil)
	return at
}

// check holds the invariants against one step.
func (e *explorer) check(a, b world) {
	open := 0
	for _, t := range b.att {
		if t.state.open() {
			open++
		}
	}
	switch {
	case a.job.exists && !a.job.state.live() && a.job.state != b.job.state:
		e.breaks(fmt.Sprintf("a job that was %s is %s", a.job.state.job(), b.job.state.job()))
	case a.job.winner != 0 && a.job.winner != b.job.winner:
		e.breaks("the winner has changed")
	case b.job.claims > claimLimit:
		e.breaks("more claims without progress than there may be")
	case int(b.job.open) != open:
		e.breaks(fmt.Sprintf("the job counts %d open attempts and has %d", b.job.open, open))
	case !e.races && open > 1:
		e.breaks("two attempts are open")
	case b.job.exists && b.job.state == queued && open > 0:
		e.breaks("the job is queued and an attempt is open")
	}
	for n := 1; n <= attempts; n++ {
		if t := b.att[n]; t.work != unsent && t.state == none {
			e.breaks(fmt.Sprintf("attempt %d was sent without a record", n))
		}
		if a.att[n].state != none && !a.att[n].state.open() && a.att[n].state != b.att[n].state {
			e.breaks(fmt.Sprintf("attempt %d had ended and changed", n))
		}
	}
}

func (e *explorer) trace(last edge) []string {
	out := []string{last.name}
	for at := last.before; at > 0; at = e.from[at].before {
		out = append([]string{e.from[at].name}, out...)
	}
	return out
}

// stuck finds a state from which no calm way leads to rest: the job has ended,
// or is unknown and waits for somebody outside.
func (e *explorer) stuck() int {
	good := make([]bool, len(e.worlds))
	var next []int32
	for at, w := range e.worlds {
		if w.job.exists && (!w.job.state.live() || w.job.state == unknown) {
			good[at] = true
			next = append(next, int32(at))
		}
	}
	for len(next) > 0 {
		at := next[len(next)-1]
		next = next[:len(next)-1]
		for _, p := range e.calm[at] {
			if !good[p] {
				good[p] = true
				next = append(next, p)
			}
		}
	}
	for at, ok := range good {
		if !ok && e.worlds[at].job.exists {
			return at
		}
	}
	return -1
}
