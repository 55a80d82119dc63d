package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"time"

	"inferonce/jobstore"
)

// newOwnStore finds a store for the stories: the one that was named,
// redis-server in a directory of its own, or the embedded one.
func newOwnStore(o verifyOptions, dir string, talk io.Writer) (ownStore, error) {
	if o.redis != "" {
		return givenStore(o.redis), nil
	}
	bin, err := exec.LookPath("redis-server")
	if err != nil || o.embedded {
		if !o.embedded {
			fmt.Fprintln(talk, "redis-server is not installed: the stories run on the embedded store.")
		}
		return newEmbeddedStore()
	}
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	r := &redisStore{bin: bin, dir: dir, addr: addr}
	return r, r.Start()
}

// givenStore is somebody else's: it is never stopped.
type givenStore string

func (g givenStore) URL() string                   { return string(g) }
func (givenStore) Durability() jobstore.Durability { return jobstore.Volatile }
func (givenStore) Stop() error                     { return errors.New("the store is not ours to stop") }
func (givenStore) Start() error                    { return nil }
func (givenStore) Close()                          {}

// embeddedStore serves the embedded store to other processes.
type embeddedStore struct {
	*jobstore.Embedded
	addr string
}

func newEmbeddedStore() (ownStore, error) {
	e := jobstore.NewEmbedded()
	addr, err := e.Listen("127.0.0.1:0")
	return &embeddedStore{e, addr}, err
}

func (e *embeddedStore) URL() string                     { return "redis://" + e.addr }
func (e *embeddedStore) Durability() jobstore.Durability { return jobstore.Volatile }
func (e *embeddedStore) Stop() error                     { e.Embedded.Stop(); return nil }
func (e *embeddedStore) Start() error                    { return e.Restart() }

// redisStore is a redis-server of our own, with an append-only file.
type redisStore struct {
	bin, dir, addr string
	cmd            *exec.Cmd
}

func (r *redisStore) URL() string                     { return "redis://" + r.addr }
func (r *redisStore) Durability() jobstore.Durability { return jobstore.Single }

// Start starts it on the data it had and waits until it answers.
func (r *redisStore) Start() error {
	host, port, err := net.SplitHostPort(r.addr)
	if err != nil {
		return err
	}
	r.cmd = exec.Command(r.bin, "--bind", host, "--port", port, "--dir", r.dir, "--appendonly", "yes", "--save", "", "--logfile", "redis.log")
	if err := r.cmd.Start(); err != nil {
		return fmt.Errorf("redis-server: %w", err)
	}
	for range 200 {
		s, err := jobstore.Open(context.Background(), jobstore.Options{URL: r.URL()})
		if err == nil {
			return s.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	text, _ := os.ReadFile(r.dir + "/redis.log")
	return fmt.Errorf("redis-server did not answer: %s", lastLines(string(text), 5))
}

// Stop kills it, as a crash would: the append-only file holds what it acknowledged.
func (r *redisStore) Stop() error {
	if r.cmd == nil {
		return nil
	}
	err := r.cmd.Process.Kill()
	_ = r.cmd.Wait()
	r.cmd = nil
	return err
}

func (r *redisStore) Close() { _ = r.Stop() }
