package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"inferonce/configs"
	"inferonce/conformance/failover"
	"inferonce/providers/sim"
)

func newDemoCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Show the main job on real tickets, with everything going wrong",
		Long: `Start 'inferonce dev' on a free port of this machine and send real customer
tickets through it, while the first provider times out, refuses, breaks the schema
and answers late. Prints what became of one ticket of each kind, then what the
providers' own ledger says ran. Exit code 1 if anything ran twice.`,
		Example: "  inferonce demo",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), 2*time.Minute)
			defer cancel()
			d := &demo{out: cmd.OutOrStdout()}
			var held error
			err := runDev(ctx, devOptions{listen: "127.0.0.1:0", quiet: true}, io.Discard, func(url string) error {
				held = d.run(ctx, url)
				cancel()
				return nil
			})
			if held != nil {
				return held
			}
			return err
		},
	}
}

// scene is one way in which things go.
type scene struct {
	title   string
	faulty  bool
	fault   sim.Fault // what the primary does to each of its calls
	tickets int
	clicks  int           // how often each ticket is sent at once
	settle  bool          // an operator says of the unknown attempt that it never ran
	want    string        // how every job ends
	late    time.Duration // how long to wait for what comes late
}

var scenes = []scene{
	{title: "all is well", tickets: 8, clicks: 1, want: "succeeded by sim-a"},
	{title: "the user double-clicks, five times", tickets: 4, clicks: 5, want: "succeeded by sim-a"},
	{title: "the primary is overloaded", faulty: true, fault: sim.Fault{Status: 503, Headers: map[string]string{"Retry-After": "1"}}, tickets: 6, clicks: 1, want: "succeeded by sim-b"},
	{title: "the primary breaks the schema", faulty: true, fault: sim.Fault{WrongSchema: true}, tickets: 6, clicks: 1, want: "succeeded by sim-b"},
	{title: "the primary answers late", faulty: true, fault: sim.Fault{Late: sim.Duration(4 * time.Second)}, tickets: 6, clicks: 2, want: "succeeded by sim-a"},
	{title: "the primary never answers, and an operator settles it", faulty: true, fault: sim.Fault{Hang: true}, tickets: 4, clicks: 2, settle: true, want: "succeeded by sim-b"},
	{title: "the fallback wins, and the primary's late answer is dropped", faulty: true, fault: sim.Fault{Late: sim.Duration(7 * time.Second)}, tickets: 4, clicks: 1, settle: true, late: 8 * time.Second, want: "succeeded by sim-b"},
}

type demo struct {
	out     io.Writer
	api     *client
	sim     sim.Client
	texts   []string
	jobs    []failover.Job
	problem []string
	settled int
}

func (d *demo) run(ctx context.Context, url string) error {
	d.api = localClient(url)
	d.sim = sim.Client{Base: url}
	if err := d.readTickets(); err != nil {
		return exit(exitCouldNotRun, err)
	}
	// What conformance ran is not the demo's.
	if err := d.sim.ResetLedger(ctx); err != nil {
		return exit(exitCouldNotRun, err)
	}
	fmt.Fprintf(d.out, "Real tickets from BANKING77 (CC BY 4.0) through contract ticket-triage: primary sim-a, fallback sim-b.\n")
	for i, s := range scenes {
		if err := d.play(ctx, i+1, s); err != nil {
			return exit(exitCouldNotRun, err)
		}
	}
	return d.verdict(ctx)
}

func (d *demo) readTickets() error {
	f, err := configs.Samples.Open("data/banking77/answers.jsonl")
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var t struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			return err
		}
		d.texts = append(d.texts, t.Text)
	}
	return lines.Err()
}

// play sends a scene's tickets, waits until they are at rest, and shows one.
func (d *demo) play(ctx context.Context, number int, s scene) error {
	begin := time.Now()
	if s.faulty {
		if err := d.sim.SetFaults(ctx, simulated[0], slices.Repeat([]sim.Fault{s.fault}, s.tickets)...); err != nil {
			return err
		}
	}
	first := d.send(ctx, number, s)
	if s.settle {
		d.settle(ctx, first)
	}
	ids := make([]string, 0, len(first))
	for _, j := range first {
		ids = append(ids, j.ID)
	}
	done, err := d.atRest(ctx, ids, s)
	if err != nil {
		return err
	}
	d.jobs = append(d.jobs, done...)
	d.show(number, s, begin, first[0], done[0])
	for _, j := range done {
		if got := outcomeOf(j); got != s.want {
			d.problem = append(d.problem, fmt.Sprintf("scene %d: job %s %s, expected %s", number, j.ID, got, s.want))
		}
	}
	return nil
}

// send posts every ticket as often as it is clicked, all at once, and gives
// back what the first click of each was told.
func (d *demo) send(ctx context.Context, number int, s scene) []failover.Job {
	first := make([]failover.Job, s.tickets)
	var wg sync.WaitGroup
	var mu sync.Mutex
	for t := range s.tickets {
		text := d.texts[0]
		d.texts = d.texts[1:]
		for click := range s.clicks {
			wg.Go(func() {
				j, err := d.infer(ctx, fmt.Sprintf("demo-%d-%d", number, t+1), text)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err != nil:
					d.problem = append(d.problem, fmt.Sprintf("scene %d: %v", number, err))
				case click == 0:
					first[t] = j
				}
			})
		}
	}
	wg.Wait()
	return first
}

func (d *demo) infer(ctx context.Context, key, text string) (failover.Job, error) {
	body := map[string]any{"contract": "ticket-triage", "input": map[string]string{"text": text}}
	var j failover.Job
	err := d.api.exchange(ctx, "POST", "/v1/infer", map[string]string{"Idempotency-Key": key}, body, &j)
	return j, err
}

// settle says, as an operator who asked the provider, that nothing ran.
func (d *demo) settle(ctx context.Context, jobs []failover.Job) {
	for _, j := range jobs {
		body := map[string]string{"as": "not_executed", "reason": "the provider has no trace of it"}
		for ctx.Err() == nil {
			err := d.api.exchange(ctx, "POST", "/v1/jobs/"+j.ID+"/attempts/1/resolve", nil, body, nil)
			if err == nil {
				d.settled++
				break
			}
			if !isCode(err, "too_soon") {
				d.problem = append(d.problem, err.Error())
				break
			}
			pause(ctx, 100*time.Millisecond) // the request could still have left
		}
	}
}

// atRest waits until every job has ended, and what comes late has come.
func (d *demo) atRest(ctx context.Context, ids []string, s scene) ([]failover.Job, error) {
	if s.late > 0 {
		pause(ctx, s.late)
	}
	var done []failover.Job
	for _, id := range ids {
		for {
			var j failover.Job
			if err := d.api.exchange(ctx, "GET", "/v1/jobs/"+id, nil, nil, &j); err != nil {
				return nil, err
			}
			if !j.Live() {
				done = append(done, j)
				break
			}
			pause(ctx, 100*time.Millisecond)
			if ctx.Err() != nil {
				return nil, fmt.Errorf("job %s did not end in time; it is %s", id, j.State)
			}
		}
	}
	return done, nil
}

func outcomeOf(j failover.Job) string {
	if j.CompletedBy == 0 {
		return j.State
	}
	return j.State + " by " + j.Attempt(j.CompletedBy).Target
}

// show prints what happened to one job of the scene, in order.
func (d *demo) show(number int, s scene, begin time.Time, told, j failover.Job) {
	fmt.Fprintf(d.out, "\n%d. %s (%d tickets, each sent %s)\n", number, s.title, s.tickets, times(s.clicks))
	moments := timeline(told, j)
	slices.SortStableFunc(moments, func(a, b moment) int { return a.at.Compare(b.at) })
	for _, m := range moments {
		fmt.Fprintf(d.out, "   %6.2fs  %s\n", m.at.Sub(begin).Seconds(), m.what)
	}
	for _, a := range j.Attempts {
		if len(a.Late) > 0 {
			fmt.Fprintf(d.out, "     later  attempt %d's answer came after another had won: discarded whole\n", a.Number)
		}
	}
}

// moment is a line of a timeline.
type moment struct {
	at   time.Time
	what string
}

func timeline(told, j failover.Job) (out []moment) {
	for _, a := range j.Attempts {
		out = append(out, moment{a.StartedAt, fmt.Sprintf("attempt %d at %s began", a.Number, a.Target)})
		if told.State == "unknown" && a.Number == 1 {
			out = append(out, moment{told.Attempt(1).UnknownSince, "nobody knows whether it runs: the caller is told 202 unknown, nothing else may start"})
		}
		end := moment{at: a.EndedAt}
		switch {
		case a.Settlement != nil:
			end.what = fmt.Sprintf("%s settles it as %s: %s", a.Settlement.By, a.Settlement.As, a.Settlement.Reason)
		case a.State == "failed":
			end.what = fmt.Sprintf("it failed: %s, effect %s", a.Failure.Class, a.Failure.Effect)
		case a.State == "succeeded":
			end.what = fmt.Sprintf("its answer completes the job: %s", j.Result.Output)
		default:
			continue
		}
		out = append(out, end)
	}
	return out
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times at once", n)
}

// verdict compares the records with the providers' ledger.
func (d *demo) verdict(ctx context.Context) error {
	ran, err := d.sim.Ledger(ctx, sim.Query{})
	if err != nil {
		return exit(exitCouldNotRun, err)
	}
	var executions, clicks, late, recovered int
	var breaches []string
	for _, e := range ran {
		if e.Executed {
			executions++
		}
	}
	ids := map[string]bool{}
	for _, j := range d.jobs {
		ids[j.ID] = true
		breaches = append(breaches, failover.Breaches(j, ran, false)...)
		for _, a := range j.Attempts {
			if len(a.Late) > 0 {
				late++
			}
		}
		if j.Recovered {
			recovered++
		}
	}
	for _, s := range scenes {
		clicks += s.tickets * s.clicks
	}
	fmt.Fprintln(d.out)
	w := tabwriter.NewWriter(d.out, 0, 4, 2, ' ', 0)
	for _, row := range []struct {
		what string
		n    int
	}{{"requests sent", clicks}, {"jobs", len(ids)}, {"executions, by the providers' own ledger", executions},
		{"double executions", len(breaches)}, {"recovered (needed more than one attempt)", recovered},
		{"late results discarded", late}, {"unknown attempts settled by an operator", d.settled}} {
		fmt.Fprintf(w, "%s\t%d\n", row.what, row.n)
	}
	_ = w.Flush()
	for _, p := range append(d.problem, breaches...) {
		fmt.Fprintln(d.out, "NOT HELD:", p)
	}
	if len(d.problem)+len(breaches) > 0 {
		return exit(exitChecksFailed, fmt.Errorf("%d promise(s) did not hold", len(d.problem)+len(breaches)))
	}
	fmt.Fprintln(d.out, "\nIt held: every ticket has one job and one result, and nothing ran beside an open attempt.")
	return nil
}
