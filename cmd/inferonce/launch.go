package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"inferonce/configs"
	"inferonce/conformance"
	"inferonce/conformance/failover"
	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/providers/sim"
)

// launched is a complete deployment for the failover stories: routers as
// processes of their own, so that they can be killed, on a store that can be
// stopped.
type launched struct {
	dir      string
	bin      string
	env      []string
	simAddr  string
	key      string
	otherKey string
	first    routerProcess
	second   routerProcess
	store    ownStore
	sim      *sim.Server
	simHTTP  *http.Server
	talk     io.Writer
}

type routerProcess struct {
	addr string
	cmd  *exec.Cmd
	log  *os.File
}

// ownStore is a store that this process started.
type ownStore interface {
	URL() string
	Durability() jobstore.Durability
	Stop() error
	Start() error
	Close()
}

func launch(ctx context.Context, o verifyOptions, talk io.Writer) (*launched, error) {
	dir, err := os.MkdirTemp("", "inferonce-verify-")
	if err != nil {
		return nil, exit(exitCouldNotRun, err)
	}
	l := &launched{dir: dir, talk: talk}
	if err := l.prepare(o); err != nil {
		l.stop()
		return nil, exit(exitCouldNotRun, err)
	}
	if err := l.start(ctx, &l.first); err != nil {
		l.stop()
		return nil, exit(exitCouldNotRun, err)
	}
	return l, nil
}

// simulate serves the simulated providers, which know the right answers.
func (l *launched) simulate() (err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	l.simAddr = listener.Addr().String()
	if l.sim, err = newSimulator(); err != nil {
		return errors.Join(err, listener.Close())
	}
	l.simHTTP = &http.Server{Handler: l.sim}
	go func() { _ = l.simHTTP.Serve(listener) }()
	return nil
}

func (l *launched) prepare(o verifyOptions) (err error) {
	if l.bin = o.program; l.bin == "" {
		if l.bin, err = os.Executable(); err != nil {
			return err
		}
	}
	if err := l.simulate(); err != nil {
		return err
	}
	if l.store, err = newOwnStore(o, l.dir, l.talk); err != nil {
		return err
	}
	var hash, otherHash string
	if l.key, hash, err = configs.NewAPIKey("verify"); err != nil {
		return err
	}
	if l.otherKey, otherHash, err = configs.NewAPIKey("verify"); err != nil {
		return err
	}
	if err := l.writeConfig(otherHash); err != nil {
		return err
	}
	l.env = append(os.Environ(), "INFERONCE_REDIS="+l.store.URL(), "INFERONCE_DURABILITY="+string(l.store.Durability()),
		"INFERONCE_SIM="+l.simAddr, "INFERONCE_KEY_HASH="+hash)
	for _, p := range []*routerProcess{&l.first, &l.second} {
		if p.addr, err = freeAddr(); err != nil {
			return err
		}
	}
	return nil
}

// nobodyListens is an address that refuses connections: the port of a service
// that is long gone (RFC 1078), and never one that somebody else is given.
const nobodyListens = "127.0.0.1:1"

// writeConfig writes the sample verify.yaml with one more owner, and with a
// contract whose primary is an address where nothing listens.
func (l *launched) writeConfig(otherHash string) error {
	sample, err := configs.Samples.ReadFile("verify.yaml")
	if err != nil {
		return err
	}
	text := string(sample)
	for _, add := range []struct{ after, text string }{
		{"\nproviders:\n", "  dead: {kind: openai, base_url: http://" + nobodyListens + "/v1}\n"},
		{"\ntargets:\n", "  dead: {provider: dead, model: sim}\n"},
		{"\nroutes:\n", "  ticket-refused:\n    {contract: ticket-refused, primary: dead, fallbacks: [sim-b], budget: 8s, attempts: 3,\n" +
			"     connect: 1s, first_byte: 1s, answer_within: 1s, listen_for: 30s, needs: 100ms}\n"},
		{"\nkeys:\n", "  - {owner: other, hash: \"" + otherHash + "\", scopes: [infer]}\n"},
	} {
		text = strings.Replace(text, add.after, add.after+add.text, 1)
	}
	text += "contracts: contracts\n"
	if err := os.CopyFS(l.dir, configs.Samples); err != nil {
		return err
	}
	triage, err := configs.Samples.ReadFile("contracts/ticket-triage.yaml")
	if err != nil {
		return err
	}
	refused := strings.Replace(string(triage), "name: ticket-triage", "name: ticket-refused", 1)
	return errors.Join(os.WriteFile(filepath.Join(l.dir, "contracts", "ticket-refused.yaml"), []byte(refused), 0o600),
		os.WriteFile(filepath.Join(l.dir, "router.yaml"), []byte(text), 0o600))
}

func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// deploy fills in what the harness can do with it.
func (l *launched) deploy(d *failover.Deployment) {
	d.BaseURL, d.Key, d.OtherKey = "http://"+l.first.addr, l.key, l.otherKey
	d.SimURL = "http://" + l.simAddr
	d.Refused = failover.Tickets("ticket-refused")
	d.Prover, d.Killer, d.Second = l, l, l
	if _, outside := l.store.(givenStore); !outside {
		d.Store = l
	}
}

// start runs a router and waits until it answers.
func (l *launched) start(ctx context.Context, p *routerProcess) error {
	log, err := os.OpenFile(filepath.Join(l.dir, "router-"+strings.ReplaceAll(p.addr, ":", "-")+".log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	cmd := exec.Command(l.bin, "serve", "--config", filepath.Join(l.dir, "router.yaml"), "--listen", p.addr)
	cmd.Env, cmd.Stdout, cmd.Stderr = l.env, log, log
	if err := cmd.Start(); err != nil {
		return errors.Join(err, log.Close())
	}
	p.cmd, p.log = cmd, log
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		resp, err := http.Get("http://" + p.addr + "/readyz")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			text, _ := os.ReadFile(log.Name())
			return fmt.Errorf("the router did not become ready:\n%s", lastLines(string(text), 10))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

func (p *routerProcess) kill() error {
	if p.cmd == nil {
		return nil
	}
	err := p.cmd.Process.Kill()
	_ = p.cmd.Wait() // it says that it was killed
	_ = p.log.Close()
	p.cmd = nil
	return err
}

// Kill ends the router as a crash would.
func (l *launched) Kill(context.Context) error { return l.first.kill() }

// Start starts it again, at the same address and on the same store.
func (l *launched) Start(ctx context.Context) error { return l.start(ctx, &l.first) }

// StartSecond starts another router on the same store.
func (l *launched) StartSecond(ctx context.Context) (string, error) {
	return "http://" + l.second.addr, l.start(ctx, &l.second)
}

// StopSecond ends it.
func (l *launched) StopSecond(context.Context) error { return l.second.kill() }

// StopStore takes the store away from the routers.
func (l *launched) StopStore(context.Context) error { return l.store.Stop() }

// StartStore gives it back, with what it had.
func (l *launched) StartStore(context.Context) error { return l.store.Start() }

// Prove runs conformance against the simulator, as CI would.
func (l *launched) Prove(ctx context.Context, target, contract string) (contracts.Report, error) {
	c, err := configs.Load(filepath.Join(l.dir, "router.yaml"), l.lookup)
	if err != nil {
		return contracts.Report{}, err
	}
	return proveTarget(ctx, c, target, contract, conformance.Options{Mode: conformance.Certify})
}

func (l *launched) lookup(name string) (string, bool) {
	for _, e := range l.env {
		if k, v, _ := strings.Cut(e, "="); k == name {
			return v, true
		}
	}
	return "", false
}

func (l *launched) stop() {
	_ = l.first.kill()
	_ = l.second.kill()
	if l.store != nil {
		l.store.Close()
	}
	if l.simHTTP != nil {
		l.sim.Close()
		_ = l.simHTTP.Close()
	}
	_ = os.RemoveAll(l.dir)
}
