package failover

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"inferonce/providers/sim"
)

// Options of a run.
type Options struct {
	// Only tells the stories whose id matches one of these patterns: path.Match,
	// with a star that crosses a slash, "kill*". Empty: all.
	Only []string
	// Patience is the deadline of every wait; 0: one minute. It must exceed what
	// the deployment takes to notice a silent provider and a dead router.
	Patience time.Duration
	// Told is called after each story, from the goroutine of Run.
	Told func(Result)
}

func (o Options) patience() time.Duration {
	if o.Patience <= 0 {
		return time.Minute
	}
	return o.Patience
}

func (o Options) told(r Result) {
	if o.Told != nil {
		o.Told(r)
	}
}

// wants reports whether the story is asked for.
func (o Options) wants(id string) bool {
	flat := func(s string) string { return strings.ReplaceAll(s, "/", "-") } // so that a star crosses a slash
	return len(o.Only) == 0 || slices.ContainsFunc(o.Only, func(p string) bool {
		ok, err := path.Match(flat(p), flat(id))
		return err == nil && ok
	})
}

// clearing bounds what is done after a story, also after one that was given up.
const clearing = 30 * time.Second

// Run tells the stories of the catalogue to a deployment, one after the other.
// Its error means that none could be told; a story that fails is no error. When
// ctx ends, the stories that are left are reported as not run.
func Run(ctx context.Context, d Deployment, o Options) (Summary, error) {
	sum := Summary{Target: d.BaseURL, Started: time.Now().UTC()}
	h := newHTTP()
	defer h.CloseIdleConnections()
	r := &runner{d: &d, o: o, http: h, api: client{h, d.BaseURL, d.Key}, names: newNamer(), missing: map[Need]string{}}
	stop, err := r.prepare(ctx)
	if err != nil {
		return sum, err
	}
	defer stop()
	for _, s := range Catalog() {
		if o.wants(s.ID) {
			res := r.tell(ctx, s)
			sum.add(res)
			o.told(res)
		}
	}
	return sum, nil
}

// runner is one run.
type runner struct {
	d         *Deployment
	o         Options
	http      *http.Client
	api       client
	sim       sim.Client
	names     *namer
	missing   map[Need]string // why a need cannot be met
	secondary string
	told      []ranAs
}

func (r *runner) tell(ctx context.Context, s Story) Result {
	res := Result{ID: s.ID, Title: s.Title, Proves: s.Proves, Asks: s.Asks, Verdict: NotRun}
	if ctx.Err() != nil {
		res.Reason = "the run was ended before"
		return res
	}
	for _, n := range s.Needs {
		if why, ok := r.missing[n]; ok {
			res.Reason = fmt.Sprintf("needs %s: %s", n, why)
			return res
		}
	}
	w := &World{d: r.d, api: r.api, secondary: r.secondary, told: &r.told,
		stage: &stage{ctx: ctx, patience: r.o.patience(), sim: r.sim, names: r.names, result: &res}}
	perform(w.stage, func() {
		w.Faults(w.Primary())
		w.Faults(w.Fallback())
		s.Run(w)
	}, w.judge, w.tidy)
	return res
}

// perform runs a story; then, however it ended, gives back what it took, judges
// what ran, tidies up, and concludes.
func perform(s *stage, story, judge func(), tidy func(context.Context)) {
	begun := time.Now()
	reason := s.guard(story)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), clearing)
	defer cancel()
	s.giveBack(ctx)
	if r := s.guard(judge); reason == "" {
		reason = r
	}
	tidy(ctx)
	s.result.conclude(reason)
	s.result.ElapsedMS = time.Since(begun).Milliseconds()
}

// guard runs a part of a story and returns why it stopped, "" if it did not.
func (s *stage) guard(part func()) (reason string) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case stopped:
			reason = p.reason
		default:
			reason = fmt.Sprintf("the harness itself failed: %v", p)
		}
	}()
	part()
	return ""
}
