package jobstoretest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"inferonce/jobstore"

	"go.uber.org/goleak"
)

// Lab shares servers between the tests of one package. Each starts when it is
// first asked for, and Main stops them all. Tests keep apart by their prefix.
type Lab struct {
	mu      sync.Mutex
	dir     string
	redis   *Redis
	cluster *Cluster
}

// Main runs the package's tests, stops the servers, and fails on goroutines
// that are left. TestMain is: os.Exit(lab.Main(m)).
func (l *Lab) Main(m *testing.M) int {
	code := m.Run()
	l.close()
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}

// Redis is the package's single server.
func (l *Lab) Redis(t testing.TB) *Redis {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.redis == nil {
		dir, err := l.home("redis")
		if err == nil {
			l.redis, err = newRedis(dir)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return l.redis
}

// Cluster is the package's cluster of three.
func (l *Lab) Cluster(t testing.TB) *Cluster {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cluster == nil {
		dir, err := l.home("cluster")
		if err == nil {
			l.cluster, err = newCluster(dir, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return l.cluster
}

// On are the three places where the suite runs, by name. Options make a fresh
// or shared server; the prefix is left to the test.
func (l *Lab) On() map[string]func(testing.TB) jobstore.Options {
	return map[string]func(testing.TB) jobstore.Options{
		"embedded": func(t testing.TB) jobstore.Options {
			e := jobstore.NewEmbedded()
			t.Cleanup(e.Close)
			return e.Options()
		},
		"redis": func(t testing.TB) jobstore.Options { return jobstore.Options{URL: l.Redis(t).URL()} },
		"cluster": func(t testing.TB) jobstore.Options {
			return jobstore.Options{Addrs: l.Cluster(t).Addrs(), Cluster: true}
		},
	}
}

func (l *Lab) home(name string) (string, error) {
	var err error
	if l.dir == "" {
		l.dir, err = os.MkdirTemp("", "jobstoretest")
	}
	dir := filepath.Join(l.dir, name)
	return dir, errors.Join(err, os.MkdirAll(dir, 0o700))
}

func (l *Lab) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.redis != nil {
		l.redis.Stop()
	}
	if l.cluster != nil {
		l.cluster.Stop()
	}
	if l.dir != "" {
		_ = os.RemoveAll(l.dir)
	}
}
