package jobstoretest

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Redis is a real redis-server of this machine, with an append-only file in a
// directory of its own.
type Redis struct {
	dir  string
	port int
	args []string
	cmd  *exec.Cmd
	gone chan struct{} // closed when the process has ended
}

// StartRedis starts one for the length of a test. The test fails, naming the
// remedy, where redis-server is not installed. args are added to its command line.
func StartRedis(t testing.TB, args ...string) *Redis {
	t.Helper()
	r, err := newRedis(t.TempDir(), args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Stop)
	return r
}

// startTime bounds the wait for a server to answer; it takes well under a second.
const startTime = 20 * time.Second

func newRedis(dir string, args ...string) (*Redis, error) {
	r := &Redis{dir: dir, args: args}
	var err error
	for range 5 { // somebody else may take the port between our look and the server's start
		if r.port, err = freePort(); err != nil {
			return nil, err
		}
		if err = r.start(); err == nil {
			return r, nil
		}
	}
	return nil, err
}

// URL is where it listens, in the form that jobstore.Options takes.
func (r *Redis) URL() string { return "redis://" + r.Addr() }

// Addr is where it listens.
func (r *Redis) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(r.port)) }

// PID is its process, for signals such as SIGSTOP.
func (r *Redis) PID() int { return r.cmd.Process.Pid }

// Kill ends it as a power cut of the process would (SIGKILL), and waits for its end.
func (r *Redis) Kill() { r.end(os.Kill) }

// Stop ends it in order, and waits for its end. Twice is the same as once.
func (r *Redis) Stop() { r.end(os.Interrupt) }

// Restart starts it again on the same port with the data it left on disk.
func (r *Redis) Restart() error {
	r.Stop()
	return r.start()
}

// A server that writes its first append-only file, as a new replica does, refuses
// to end in order; then it is killed.
func (r *Redis) end(s os.Signal) {
	_ = r.cmd.Process.Signal(s) // an error says that it has ended
	select {
	case <-r.gone:
	case <-time.After(stopTime):
		_ = r.cmd.Process.Kill()
		<-r.gone
	}
}

// stopTime is how long a server may take to end in order.
const stopTime = 3 * time.Second

func (r *Redis) start() error {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		return fmt.Errorf("redis-server is not installed; run: make redis")
	}
	log, err := os.Create(filepath.Join(r.dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	r.cmd = exec.Command(path, append([]string{"--port", strconv.Itoa(r.port), "--bind", "127.0.0.1",
		"--dir", r.dir, "--appendonly", "yes", "--save", "", "--repl-diskless-sync-delay", "0", "--shutdown-timeout", "0"}, r.args...)...)
	r.cmd.Stdout, r.cmd.Stderr = log, log
	dieWithParent(r.cmd)
	if err := r.cmd.Start(); err != nil {
		return err
	}
	cmd, gone := r.cmd, make(chan struct{})
	r.gone = gone
	go func() {
		_ = cmd.Wait()
		close(gone)
	}()
	return r.ready()
}

// ready waits until it answers PING.
func (r *Redis) ready() error {
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if ping(ctx, r.Addr()) {
			return nil
		}
		select {
		case <-tick.C:
		case <-r.gone:
			text, _ := os.ReadFile(filepath.Join(r.dir, "log"))
			return fmt.Errorf("redis-server ended at once:\n%s", text)
		case <-ctx.Done():
			r.Kill()
			return fmt.Errorf("redis-server did not answer within %s", startTime)
		}
	}
}

func ping(ctx context.Context, addr string) bool {
	reply, err := ask(ctx, addr, "PING")
	return err == nil && string(reply) == "+PONG\r\n"
}

// ask sends one command on a connection of its own and gives the reply's bytes.
func ask(ctx context.Context, addr string, words ...string) ([]byte, error) {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if _, err := c.Write(command(words...)); err != nil {
		return nil, err
	}
	return readValue(bufio.NewReader(c))
}

// Do sends one command, as somebody beside us would.
func (r *Redis) Do(t testing.TB, words ...string) {
	t.Helper()
	if reply, err := ask(t.Context(), r.Addr(), words...); err != nil || strings.HasPrefix(string(reply), "-") {
		t.Fatalf("%v: %q, %v", words, reply, err)
	}
}

// CPU is the processor time that the server has used so far, all its threads
// together. For benchmarks.
func (r *Redis) CPU(t testing.TB) time.Duration {
	t.Helper()
	info, err := ask(t.Context(), r.Addr(), "INFO", "cpu")
	if err != nil {
		t.Fatal(err)
	}
	var used time.Duration
	for line := range strings.Lines(string(info)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name == "used_cpu_sys" || name == "used_cpu_user" {
			seconds, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			used += time.Duration(seconds * float64(time.Second))
		}
	}
	return used
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
