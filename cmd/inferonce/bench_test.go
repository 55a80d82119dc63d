package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"inferonce/configs"
	"inferonce/jobstore"
	"inferonce/jobstore/jobstoretest"
	"inferonce/router/httpapi"
)

// What the router costs beside a plain reverse proxy to the same provider, in
// one run: both are asked in turns, so that what else the machine does falls on
// both. The provider answers the same few bytes to everybody; the client is a
// bare connection, so that its own work hides nothing. Everything but Redis is
// in this process, so its processor time holds client and provider as well, for
// both sides alike. docs/performance.md says how to read the figures.

const (
	benchConcurrency = 64
	benchRound       = 2 * time.Second
	benchRounds      = 5
)

func BenchmarkRouterBesideProxy(b *testing.B) {
	collectLess(os.LookupEnv) // as serve does; it helps the proxy too
	redis := jobstoretest.StartRedis(b)
	var table strings.Builder
	for _, latency := range []time.Duration{0, 50 * time.Millisecond} {
		b.Run("provider="+latency.String(), func(b *testing.B) {
			provider := httptest.NewServer(benchProvider(latency))
			defer provider.Close()
			proxy := benchProxy(b, provider.URL)
			routed, _ := wholeRouter(b, provider.URL, redis.URL())
			for b.Loop() {
				p, r := compare(b, redis, proxy, routed)
				figures(b, p, r)
				writeRows(&table, latency, p, r)
			}
		})
	}
	fmt.Print(tableHead, table.String())
}

func compare(b *testing.B, redis *jobstoretest.Redis, proxy, routed string) (p, r load) {
	for range benchRounds {
		p.add(drive(b, redis, proxy, benchRound))
		r.add(drive(b, redis, routed, benchRound))
	}
	return p, r
}

func figures(b *testing.B, p, r load) {
	b.ReportMetric(0, "ns/op") // how long the rounds last is fixed
	b.ReportMetric(p.each(p.cpu), "proxy-cpu-µs/req")
	b.ReportMetric(r.each(r.cpu), "router-cpu-µs/req")
	b.ReportMetric(r.each(r.redis), "redis-cpu-µs/req")
	b.ReportMetric(float64(p.allocs)/float64(len(p.took)), "proxy-allocs/req")
	b.ReportMetric(float64(r.allocs)/float64(len(r.took)), "router-allocs/req")
	b.ReportMetric(p.rate(), "proxy-req/s")
	b.ReportMetric(r.rate(), "router-req/s")
	b.ReportMetric(r.rate()/p.rate(), "ratio")
	b.ReportMetric(float64((r.quantile(0.50) - p.quantile(0.50)).Microseconds()), "added-p50-µs")
	b.ReportMetric(float64((r.quantile(0.99) - p.quantile(0.99)).Microseconds()), "added-p99-µs")
}

// The same figures as a Markdown table, after the last line of the benchmark.
const tableHead = `
| provider answers after | server | requests/s | of the proxy's | CPU/request | Redis CPU/request | p50 | p99 |
|---|---|---|---|---|---|---|---|
`

func writeRows(w io.Writer, latency time.Duration, p, r load) {
	for _, row := range []struct {
		name string
		l    load
	}{{"proxy", p}, {"router", r}} {
		fmt.Fprintf(w, "| %s | %s | %.0f | %.2f | %.0f µs | %.0f µs | %.2f ms | %.2f ms |\n", latency, row.name, row.l.rate(), row.l.rate()/p.rate(),
			row.l.each(row.l.cpu), row.l.each(row.l.redis), row.l.quantile(0.50).Seconds()*1000, row.l.quantile(0.99).Seconds()*1000)
	}
}

func benchProvider(latency time.Duration) http.Handler {
	answer := []byte(`{"id":"c","object":"chat.completion","model":"sim","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"{\"category\":\"card\",\"urgent\":true}"}}],"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}`)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		time.Sleep(latency)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	})
}

func benchProxy(b *testing.B, provider string) string {
	u, err := url.Parse(provider)
	if err != nil {
		b.Fatal(err)
	}
	p := httputil.NewSingleHostReverseProxy(u)
	p.Transport = &http.Transport{MaxIdleConnsPerHost: 2 * benchConcurrency}
	s := httptest.NewServer(p)
	b.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// wholeRouter is a router as serve makes it, over a real Redis and one address
// for all providers. It tells its own address.
func wholeRouter(t testing.TB, provider, redis string) (addr string, store *jobstore.Store) {
	t.Helper()
	c := devConfig("127.0.0.1:1", true)
	for name := range c.Providers {
		c.Providers[name] = configs.Provider{Kind: "openai", BaseURL: provider + "/v1"}
	}
	o := jobstore.Options{URL: redis, Prefix: fmt.Sprintf("bench%d:", time.Now().UnixNano()), Durability: jobstore.Single}
	creds := configs.NewCredentials(nil, configs.WithLiteralKey(devKey, devOwner, configs.Admin))
	p, err := wire(context.Background(), c, o, creds, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	p.api.Log = slog.New(slog.NewJSONHandler(io.Discard, nil))
	s := httptest.NewUnstartedServer(nil)
	s.Config = httpapi.Server(httpapi.New(p.api))
	s.Start()
	ctx, stop := context.WithCancel(context.Background())
	ran := make(chan struct{})
	go func() { p.router.Run(ctx); close(ran) }()
	t.Cleanup(func() {
		s.Close()
		_ = p.halt(stop, ran, time.Second)
	})
	return s.Listener.Addr().String(), p.store
}

// load is what was asked of one server, and how long each answer took.
type load struct {
	took   []time.Duration
	time   time.Duration
	cpu    time.Duration // of this process: client, server and provider together
	redis  time.Duration // processor time of Redis
	allocs uint64        // of this process
}

func (l *load) add(o load) {
	l.took, l.time, l.cpu = append(l.took, o.took...), l.time+o.time, l.cpu+o.cpu
	l.redis, l.allocs = l.redis+o.redis, l.allocs+o.allocs
}

// each is a time's share of one request, in microseconds.
func (l *load) each(d time.Duration) float64 { return float64(d.Microseconds()) / float64(len(l.took)) }

func (l *load) rate() float64 { return float64(len(l.took)) / l.time.Seconds() }

func (l *load) quantile(q float64) time.Duration {
	slices.Sort(l.took)
	return l.took[int(q*float64(len(l.took)-1))]
}

// drive asks a server from benchConcurrency connections for a while.
func drive(b *testing.B, redis *jobstoretest.Redis, addr string, d time.Duration) load {
	var mu sync.Mutex
	var wg sync.WaitGroup
	all := load{time: d}
	before, redisBefore, allocsBefore := cpuTime(), redis.CPU(b), allocs()
	stop := time.Now().Add(d)
	for range benchConcurrency {
		wg.Go(func() {
			took := connection(b, addr, stop)
			mu.Lock()
			defer mu.Unlock()
			all.took = append(all.took, took...)
		})
	}
	wg.Wait()
	all.cpu, all.redis, all.allocs = cpuTime()-before, redis.CPU(b)-redisBefore, allocs()-allocsBefore
	return all
}

func allocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func connection(b *testing.B, addr string, stop time.Time) (took []time.Duration) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		b.Error(err)
		return nil
	}
	defer c.Close()
	in := bufio.NewReader(c)
	body := `{"contract":"ticket-triage","input":{"text":"My card was stolen, block it!"}}`
	for i := 0; time.Now().Before(stop); i++ {
		begin := time.Now()
		fmt.Fprintf(c, "POST /v1/infer HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer dev\r\nIdempotency-Key: %s-%d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			strings.ReplaceAll(c.LocalAddr().String(), ":", "-")+strconv.FormatInt(stop.UnixNano(), 36), i, len(body), body)
		status, err := skipAnswer(in)
		if err != nil || status != 200 {
			b.Errorf("status %d, %v", status, err)
			return took
		}
		took = append(took, time.Since(begin))
	}
	return took
}

// skipAnswer reads one answer of known length and drops it.
func skipAnswer(in *bufio.Reader) (status int, err error) {
	length := 0
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return status, err
		}
		line = strings.TrimSpace(line)
		switch name, value, _ := strings.Cut(line, ":"); {
		case status == 0:
			status, _ = strconv.Atoi(strings.Fields(line)[1])
		case strings.EqualFold(name, "Content-Length"):
			length, _ = strconv.Atoi(strings.TrimSpace(value))
		case line == "":
			_, err := in.Discard(length)
			return status, err
		}
	}
}
