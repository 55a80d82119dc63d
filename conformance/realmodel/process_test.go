//go:build realmodel

package realmodel

import (
	"bufio"
	"crypto/rand"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"inferonce/configs"
	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/openaicompat"
)

// server is a running server.mjs.
type server struct {
	url, key, model string
	cmd             *exec.Cmd
	ended           chan error
	stopped         bool
}

// start serves a model on a free port until the test ends, and then expects it
// to stop when it is asked to, without a fault.
func start(t *testing.T, model string, args ...string) *server {
	t.Helper()
	s := &server{key: rand.Text(), model: model, ended: make(chan error, 1)}
	s.cmd = exec.Command("node", append([]string{"server.mjs", "--model", model}, args...)...)
	s.cmd.Env = append(os.Environ(), "MODEL_API_KEY="+s.key)
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		t.Fatalf("start node; make model says what is missing: %v", err)
	}
	t.Cleanup(func() { s.stop(t) })
	line, err := bufio.NewReader(out).ReadString('\n')
	go func() {
		_, _ = io.Copy(io.Discard, out)
		s.ended <- s.cmd.Wait()
	}()
	var ok bool
	if s.url, ok = strings.CutPrefix(strings.TrimSpace(line), "listening on "); !ok {
		t.Fatalf("the %s model is not served: %q, %v", model, line, err)
	}
	return s
}

// stop ends the server; it may be called twice.
func (s *server) stop(t *testing.T) {
	t.Helper()
	if s.stopped {
		return
	}
	s.stopped = true
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // one that has ended already says below how
	select {
	case err := <-s.ended:
		if err != nil {
			t.Errorf("the server of %s: %v", s.model, err)
		}
	case <-time.After(30 * time.Second):
		_ = s.cmd.Process.Kill()
		t.Errorf("the server of %s did not stop when it was asked to", s.model)
	}
}

// provider speaks to the server as the router would.
func (s *server) provider(t *testing.T, key string) *openaicompat.Client {
	t.Helper()
	c, err := openaicompat.New(openaicompat.Config{BaseURL: s.url, APIKey: func() string { return key }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func (s *server) target() providers.Target {
	return providers.Target{Name: s.model, Provider: "local", Model: s.model}
}

// bulk is the contract that the trained model is good enough for.
func bulk(t *testing.T) *contracts.Contract {
	t.Helper()
	c, err := contracts.Load(os.DirFS("contracts"), "ticket-triage-bulk.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// strict is the sample contract, whose critical cases it misses. The model answers
// under a grammar and can't repeat a text, which its contract has to say.
func strict(t *testing.T) *contracts.Contract {
	t.Helper()
	files := fstest.MapFS{}
	for _, name := range []string{"ticket-triage.yaml", "cases/ticket-triage.jsonl"} {
		raw, err := configs.Samples.ReadFile("contracts/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: raw}
	}
	const classifier = "probes: {rendering: not_applicable, reason: a classifier that can't follow other instructions}\n"
	files["ticket-triage.yaml"].Data = append([]byte(classifier), files["ticket-triage.yaml"].Data...)
	c, err := contracts.Load(files, "ticket-triage.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return c
}
