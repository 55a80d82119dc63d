package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"inferonce/providers/sim"
)

// startSim runs the command until the test ends, and returns its address and
// how to end it.
func startSim(t *testing.T, f simFlags) (base string, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := runSim(ctx, &printer{out: w, talk: io.Discard, json: true}, f)
		_ = w.CloseWithError(io.ErrUnexpectedEOF)
		ended <- err
	}()
	var said struct {
		Base      string            `json:"base"`
		Providers map[string]string `json:"providers"`
	}
	if err := json.NewDecoder(bufio.NewReader(r)).Decode(&said); err != nil {
		cancel()
		t.Fatalf("it announced nothing (%v): %v", err, <-ended)
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	if want := said.Base + "/sim/sim-a/v1"; said.Providers["sim-a"] != want {
		t.Errorf("sim-a at %s, want %s", said.Providers["sim-a"], want)
	}
	stop = func() error { cancel(); return <-ended }
	return said.Base, stop
}

func complete(t *testing.T, base, key string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, base+"/sim/sim-a/v1/chat/completions",
		strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"How old do we have to be?"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func TestSimAnswersTheSampleTicketsAndEndsWell(t *testing.T) {
	base, stop := startSim(t, simFlags{listen: "127.0.0.1:0"})
	if status, body := complete(t, base, "any"); status != 200 || !strings.Contains(body, "identity") {
		t.Errorf("%d %s", status, body)
	}
	if err := stop(); err != nil {
		t.Errorf("an interrupt is no fault: %v", err)
	}
}

func TestSimEndsAlthoughACallHangs(t *testing.T) {
	base, stop := startSim(t, simFlags{listen: "127.0.0.1:0"})
	c := sim.Client{Base: base}
	if err := c.SetFaults(t.Context(), "sim-a", sim.Fault{Hang: true}); err != nil {
		t.Fatal(err)
	}
	gone := make(chan int)
	go func() {
		status, _ := complete(t, base, "any")
		gone <- status
	}()
	if _, err := c.Await(t.Context(), sim.Query{}, sim.Started, 1); err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if status := <-gone; status != 0 {
		t.Errorf("the call that hung was answered %d", status)
	}
}

func TestSimTakesTheKeyAndTheAnswersOfFiles(t *testing.T) {
	dir := t.TempDir()
	key, answers := filepath.Join(dir, "key"), filepath.Join(dir, "answers.jsonl")
	for name, text := range map[string]string{key: " sk-sim\n", answers: `{"text":"How old do we have to be?","output":"eighteen"}`} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	base, stop := startSim(t, simFlags{listen: "127.0.0.1:0", keyFile: key, answers: answers})
	if status, _ := complete(t, base, "sk-other"); status != 401 {
		t.Errorf("another key: %d", status)
	}
	if status, body := complete(t, base, "sk-sim"); status != 200 || !strings.Contains(body, "eighteen") {
		t.Errorf("its key: %d %s", status, body)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestSimListensOnThisMachineOnlyUnlessToldOtherwise(t *testing.T) {
	for name, row := range map[string]struct {
		address string
		public  bool
		want    int
	}{
		"loopback":                {"127.0.0.1:9797", false, exitFine},
		"another of its numbers":  {"127.8.0.1:9797", false, exitFine},
		"loopback of version 6":   {"[::1]:9797", false, exitFine},
		"by name":                 {"localhost:9797", false, exitFine},
		"every address":           {"0.0.0.0:9797", false, exitUsage},
		"every address, unstated": {":9797", false, exitUsage},
		"an outer one":            {"192.0.2.1:9797", false, exitUsage},
		"a name like ours":        {"localhost.example.com:9797", false, exitUsage},
		"an outer one, wanted":    {"192.0.2.1:9797", true, exitFine},
		"no port":                 {"127.0.0.1", true, exitUsage},
	} {
		if got := codeOf(checkListen(row.address, row.public)); got != row.want {
			t.Errorf("%s: %d, want %d", name, got, row.want)
		}
	}
}
