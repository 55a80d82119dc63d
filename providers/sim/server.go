package sim

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options of a Server; the zero value serves any provider, model and key.
type Options struct {
	Providers  []string // the names served; empty: any name
	Models     []string // the models known to every provider; empty: any
	Key        string   // the Bearer key that completions ask for; "": none
	Answers    *Answers // healthy answers; nil: made from the schema
	LedgerSize int      // entries kept; 0: DefaultLedgerSize
}

// Server simulates providers. It is an http.Handler for paths that begin with
// /sim/, to be served over HTTP/1.1: resets need the connection itself.
type Server struct {
	opts    Options
	ledger  *ledger
	gates   gates
	formats formatCache

	closing context.Context // ends with Close
	end     context.CancelFunc

	mu        sync.RWMutex
	closed    bool
	calls     sync.WaitGroup
	providers map[string]*provider
}

// New returns a Server that is healthy under every name.
func New(o Options) *Server {
	s := &Server{opts: o, ledger: newLedger(o.LedgerSize), providers: map[string]*provider{}}
	s.closing, s.end = context.WithCancel(context.Background())
	return s
}

// Close ends every call that waits, for its fault or for its caller, without an
// answer and without work that was not yet done, and returns when the last one
// is over. Later calls get 503.
// Close it before the http.Server, which waits for its handlers.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end()
	s.calls.Wait()
}

// guard lets Close end a read or write that the caller keeps waiting. Call
// stop as soon as it is over: a deadline is also an end of the connection.
func (s *Server) guard(w http.ResponseWriter) (stop func() bool) {
	return context.AfterFunc(s.closing, func() {
		conn, past := http.NewResponseController(w), time.Unix(1, 0)
		conn.SetReadDeadline(past)
		conn.SetWriteDeadline(past)
	})
}

// enter counts a call in; false after Close.
func (s *Server) enter() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if !s.closed {
		s.calls.Add(1)
	}
	return !s.closed
}

// SetFaults replaces the provider's list. It changes nothing and says what to
// write if the provider is not served or a fault cannot be carried out.
func (s *Server) SetFaults(name string, faults ...Fault) error {
	p, err := s.provider(name)
	if err != nil {
		return err
	}
	return p.setFaults(faults)
}

// Faults returns what is left of the provider's list.
func (s *Server) Faults(name string) ([]Fault, error) {
	p, err := s.provider(name)
	if err != nil {
		return nil, err
	}
	return p.left(), nil
}

// SetSettings replaces the provider's settings, under the terms of SetFaults.
func (s *Server) SetSettings(name string, set Settings) error {
	p, err := s.provider(name)
	if err != nil {
		return err
	}
	return p.setSettings(set)
}

// Ledger returns the entries that q selects.
func (s *Server) Ledger(q Query) []Execution { return s.ledger.find(q).Data }

// Summary returns the ledger in numbers.
func (s *Server) Summary() Summary { return s.ledger.summary() }

// ResetLedger forgets all entries; ids go on increasing.
func (s *Server) ResetLedger() { s.ledger.clear() }

// Await returns what q selects once n of it have reached the stage, or with
// ctx's error.
func (s *Server) Await(ctx context.Context, q Query, stage Stage, n int) ([]Execution, error) {
	page, err := s.ledger.await(ctx, q, stage, n)
	return page.Data, err
}

// OpenGate lets through every call that waits at the gate or will come to it.
func (s *Server) OpenGate(name string) { s.gates.open(name) }

// WaitGate returns when a call has come to the gate, or with ctx's error.
func (s *Server) WaitGate(ctx context.Context, name string) error {
	_, err := s.gates.wait(ctx, name, 1)
	return err
}

// ServeHTTP serves the addresses in the package comment.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		reply{status: http.StatusServiceUnavailable, body: errorBody("the simulator is closed", "server_error", "")}.write(w)
		return
	}
	defer s.calls.Done()
	head, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/sim/"), "/")
	switch head {
	case "ledger":
		s.serveLedger(w, r, rest)
	case "gates":
		s.serveGate(w, r, rest)
	default:
		s.serveProvider(w, r, head, rest)
	}
}

func (s *Server) serveProvider(w http.ResponseWriter, r *http.Request, name, rest string) {
	p, err := s.provider(name)
	if err != nil {
		controlError(w, http.StatusNotFound, err)
		return
	}
	switch rest {
	case "v1/chat/completions":
		if allow(w, r, http.MethodPost) {
			s.complete(w, r, p)
		}
	case "v1/models":
		if allow(w, r, http.MethodGet) {
			s.serveModels(w, r)
		}
	case "faults":
		s.serveFaults(w, r, p)
	case "settings":
		s.serveSettings(w, r, p)
	default:
		notHere(w)
	}
}

func (s *Server) serveModels(w http.ResponseWriter, r *http.Request) {
	if !s.authorized(r) {
		unauthorized().write(w)
		return
	}
	models := s.opts.Models
	if len(models) == 0 {
		models = []string{"sim"}
	}
	modelsReply(models).write(w)
}

func (s *Server) authorized(r *http.Request) bool {
	return s.opts.Key == "" || r.Header.Get("Authorization") == "Bearer "+s.opts.Key
}

func (s *Server) knowsModel(model string) bool {
	return len(s.opts.Models) == 0 || slices.Contains(s.opts.Models, model)
}
