package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"inferonce/providers/sim"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"inferonce": func() { os.Exit(run()) }})
}

// TestScripts runs the sessions in testdata/script, each with a router of its
// own at $INFERONCE_URL. Beside testscript's commands there are
//
//	exits CODE PROGRAM ARG...   the program ends with this code
//	json FILE [NAME... VALUE]   the file is one JSON value; what is at NAME... is VALUE
//	keep VARIABLE FILE NAME...  puts what is there into the environment
//	faults PROVIDER JSON        orders faults
//	arrived GATE                waits until a call has come to the gate
//	open GATE                   lets it through
//	ran PROVIDER N              waits until the provider has executed N calls, and sees that it is no more
func TestScripts(t *testing.T) {
	p := scriptParams()
	p.Dir = "testdata/script"
	testscript.Run(t, p)
}

func scriptParams() testscript.Params {
	return testscript.Params{
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setUp,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "json": checkJSON, "keep": keepJSON,
			"faults": orderFaults, "arrived": arrived, "open": openGate, "ran": ran,
		},
	}
}

type worldKey struct{}

func setUp(env *testscript.Env) error { return setUpWith(env, simFlags{}) }

func setUpWith(env *testscript.Env, provider simFlags) error {
	w, err := newWorld(provider)
	if err != nil {
		return err
	}
	env.Defer(w.close)
	env.Values[worldKey{}] = w
	env.Setenv(envURL, w.url)
	env.Setenv("ACME_KEY", w.key)
	return nil
}

func worldOf(ts *testscript.TestScript) *world { return ts.Value(worldKey{}).(*world) }

func need(ts *testscript.TestScript, neg, ok bool, usage string) {
	if neg || !ok {
		ts.Fatalf("usage: %s", usage)
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) >= 2, "exits CODE PROGRAM ARG...")
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		got = e.ExitCode()
	} else {
		ts.Check(err)
	}
	if want, err := strconv.Atoi(args[0]); err != nil || got != want {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 1 || len(args) > 2, "json FILE [NAME... VALUE]")
	raw := []byte(ts.ReadFile(args[0]))
	if len(args) == 1 {
		_, err := jsonAt(raw)
		ts.Check(err)
		return
	}
	last := len(args) - 1
	got, err := jsonAt(raw, args[1:last]...)
	ts.Check(err)
	if got != args[last] {
		ts.Fatalf("%s is %s, want %s", strings.Join(args[1:last], "."), got, args[last])
	}
}

func keepJSON(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) > 2, "keep VARIABLE FILE NAME...")
	value, err := jsonAt([]byte(ts.ReadFile(args[1])), args[2:]...)
	ts.Check(err)
	ts.Setenv(args[0], value)
}

func orderFaults(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 2, "faults PROVIDER JSON")
	w := worldOf(ts)
	req, err := http.NewRequest(http.MethodPut, w.url+"/sim/"+args[0]+"/faults", strings.NewReader(args[1]))
	ts.Check(err)
	resp, err := http.DefaultClient.Do(req)
	ts.Check(err)
	ts.Check(resp.Body.Close())
	if resp.StatusCode != http.StatusOK {
		ts.Fatalf("the simulator refuses %s with %d", args[1], resp.StatusCode)
	}
}

// patience bounds a wait that a correct program makes short.
const patience = time.Minute

func arrived(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 1, "arrived GATE")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ts.Check(worldOf(ts).sim.WaitGate(ctx, args[0]))
}

func openGate(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 1, "open GATE")
	worldOf(ts).sim.OpenGate(args[0])
}

func ran(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, len(args) == 2, "ran PROVIDER N")
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	all, err := worldOf(ts).sim.Await(ctx, sim.Query{Provider: args[0]}, sim.Executed, want)
	ts.Check(err)
	got := 0
	for _, e := range all {
		if e.Executed {
			got++
		}
	}
	if got != want {
		ts.Fatalf("%s executed %d calls, want %d", args[0], got, want)
	}
}
