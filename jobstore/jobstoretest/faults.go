package jobstoretest

import (
	"bufio"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Fault is what befalls one script call on the wire. The connection ends with it.
type Fault int

// The faults.
const (
	Fine        Fault = iota
	DropReply         // the server runs the call, and its reply is lost
	DropRequest       // the call never leaves
	CutRequest        // half of the call leaves
)

// Dialer is the shape of jobstore.Options.Dialer.
type Dialer = func(ctx context.Context, network, addr string) (net.Conn, error)

// Call is one script call as it stood on the wire.
type Call struct {
	Script  string // its name, "settle"
	BySHA   bool   // sent as EVALSHA
	Addr    string // where it went
	Request []byte
	Reply   []byte // "" if none came
	Fault   Fault
}

// Keys are the keys that the call declares.
func (c Call) Keys() []string {
	args := parseCommand(c.Request)
	n, _ := strconv.Atoi(args[2])
	return args[3 : 3+n]
}

// Args are the call's arguments after its keys.
func (c Call) Args() []string {
	args := parseCommand(c.Request)
	n, _ := strconv.Atoi(args[2])
	return args[3+n:]
}

// WithArg is the call with its i-th argument, from 1, replaced.
func (c Call) WithArg(i int, value string) Call {
	args := parseCommand(c.Request)
	n, _ := strconv.Atoi(args[2])
	args[2+n+i] = value
	c.Request, c.Reply = command(args...), nil
	return c
}

// Faults makes connections that record each script call and lose messages to
// order. Everything else passes through untouched.
type Faults struct {
	dial  Dialer
	mu    sync.Mutex
	names map[string]string
	next  map[string][]Fault
	rate  float64
	rand  *rand.Rand
	calls []*Call
}

// NewFaults stands before dial; nil is the network.
func NewFaults(dial Dialer) *Faults {
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	return &Faults{dial: dial, names: map[string]string{}, next: map[string][]Fault{}}
}

// Names tells which script a SHA-1 stands for; see jobstore.Store.ScriptNames.
func (f *Faults) Names(bySHA map[string]string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.names = bySHA
}

// Next orders faults for the coming calls of a script, one a call.
func (f *Faults) Next(script string, faults ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next[script] = append(f.next[script], faults...)
}

// Random gives every call without an order a fault with probability rate.
func (f *Faults) Random(seed uint64, rate float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rate, f.rand = rate, rand.New(rand.NewPCG(seed, 1))
}

// Calls are the script calls so far, in the order in which they left.
func (f *Faults) Calls() []Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make([]Call, len(f.calls))
	for i, c := range f.calls {
		out[i] = *c
	}
	return out
}

// Of are the calls of one script so far.
func (f *Faults) Of(script string) []Call {
	return slices.DeleteFunc(f.Calls(), func(c Call) bool { return c.Script != script })
}

// Forget drops what was recorded.
func (f *Faults) Forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = nil
}

// Dial is for jobstore.Options.Dialer.
func (f *Faults) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := f.dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return newConn(f, c, addr), nil
}

// Replay sends the bytes of a recorded call again, over a connection of its
// own, and gives the bytes of the reply.
func (f *Faults) Replay(ctx context.Context, call Call) ([]byte, error) {
	c, err := f.dial(ctx, "tcp", call.Addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if deadline, ok := ctx.Deadline(); ok {
		_ = c.SetDeadline(deadline)
	}
	if _, err := c.Write(call.Request); err != nil {
		return nil, err
	}
	return readValue(bufio.NewReader(c))
}

// meet records a command that is about to leave; nil if it is no script call.
func (f *Faults) meet(args []string, raw []byte, addr string) *Call {
	verb := ""
	if len(args) > 2 {
		verb = strings.ToLower(args[0])
	}
	if verb != "evalsha" && verb != "eval" {
		return nil
	}
	sha := args[1]
	if verb == "eval" {
		sum := sha1.Sum([]byte(args[1]))
		sha = hex.EncodeToString(sum[:])
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	call := &Call{Script: f.names[sha], BySHA: verb == "evalsha", Addr: addr, Request: slices.Clone(raw)}
	call.Fault = f.choose(call.Script)
	f.calls = append(f.calls, call)
	return call
}

func (f *Faults) choose(script string) Fault {
	if orders := f.next[script]; len(orders) > 0 {
		f.next[script] = orders[1:]
		return orders[0]
	}
	if f.rand != nil && f.rand.Float64() < f.rate {
		return []Fault{DropReply, DropReply, DropRequest, CutRequest}[f.rand.IntN(4)]
	}
	return Fine
}

func (f *Faults) answered(call *Call, reply []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	call.Reply = reply
}
