package jobstore

import (
	"context"
	"crypto/sha1"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed lua/*.lua
var luaFiles embed.FS

// script is one move: its text as the server gets it, and its SHA-1.
type script struct{ name, text, sha string }

// loadScript puts common.lua, and pace.lua where it is needed, between the first
// line, which must stay first, and the rest. The embedded store knows no first line with flags.
func loadScript(name string, embedded bool) script {
	common, err := luaFiles.ReadFile("lua/common.lua")
	if err != nil {
		panic(err) // embedded at build time
	}
	own, err := luaFiles.ReadFile("lua/" + name + ".lua")
	if err != nil {
		panic(err)
	}
	if slices.Contains([]string{"rest", "slot", "rests"}, name) {
		pace, err := luaFiles.ReadFile("lua/pace.lua")
		if err != nil {
			panic(err)
		}
		common = slices.Concat(common, pace)
	}
	first, rest, _ := strings.Cut(string(own), "\n")
	text := first + "\n" + string(common) + rest
	if embedded {
		text = string(common) + rest
	}
	sum := sha1.Sum([]byte(text))
	return script{name: name, text: text, sha: hex.EncodeToString(sum[:])}
}

type scripts struct {
	submit, claim, renew, release, begin, accept, settle, fail, resolve, cancel, load, eligibility, drift, deliver, rest, slot, rests script
}

func loadScripts(embedded bool) scripts {
	l := func(name string) script { return loadScript(name, embedded) }
	return scripts{l("submit"), l("claim"), l("renew"), l("release"), l("begin"), l("accept"), l("settle"),
		l("fail"), l("resolve"), l("cancel"), l("load"), l("eligibility"), l("drift"), l("deliver"), l("rest"), l("slot"), l("rests")}
}

func (c scripts) all() []script {
	return []script{c.submit, c.claim, c.renew, c.release, c.begin, c.accept, c.settle, c.fail, c.resolve, c.cancel,
		c.load, c.eligibility, c.drift, c.deliver, c.rest, c.slot, c.rests}
}

// install gives every primary the scripts. From Redis 7.4 on those that came by
// EVAL may be dropped again, loaded ones are not. A server that will not take
// them gets each with its first call instead.
func (s *Store) install(ctx context.Context) {
	load := func(ctx context.Context, node redis.Cmdable) error {
		pipe := node.Pipeline()
		for _, sc := range s.scripts.all() {
			pipe.ScriptLoad(ctx, sc.text)
		}
		_, err := pipe.Exec(ctx)
		return err
	}
	if c, ok := s.client.(*redis.ClusterClient); ok {
		_ = c.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return load(ctx, node) })
		return
	}
	_ = load(ctx, s.client)
}

// ScriptNames tells which script a SHA-1 stands for. SLOWLOG and MONITOR show
// the SHA-1 only.
func (s *Store) ScriptNames() map[string]string {
	names := map[string]string{}
	for _, one := range s.scripts.all() {
		names[one.sha] = one.name
	}
	return names
}

// once is a script call that go-redis never sends a second time: it would do so
// after a lost reply, on a cluster even with its retries turned off. Sending
// again is ours, with the same op token.
type once struct{ *redis.Cmd }

// NoRetry is asked by every path of go-redis that would repeat a command.
func (once) NoRetry() bool { return true }

func newOnce(ctx context.Context, s script, bySHA bool, keys []string, args []any) once {
	a := make([]any, 0, 3+len(keys)+len(args))
	if bySHA {
		a = append(a, "evalsha", s.sha, len(keys))
	} else {
		a = append(a, "eval", s.text, len(keys))
	}
	for _, k := range keys {
		a = append(a, k)
	}
	cmd := redis.NewCmd(ctx, append(a, args...)...)
	cmd.SetFirstKeyPos(3)
	return once{cmd}
}

// replyTime bounds one script call unless Options say otherwise. Scripts take
// well under a millisecond; a longer wait only hides trouble.
const replyTime = time.Second

// run sends a script call. It is sent again in two cases only: the server says
// that it did not run it (NOSCRIPT), and once when no reply came, where the op
// token makes the second call answer like the first.
func (s *Store) run(ctx context.Context, sc script, keys []string, args ...any) (any, error) {
	reply, _, err := s.runUnder(ctx, "", sc, keys, args...)
	return reply, err
}

// runUnder is run with a promise under unit behind the call; with unit "" there
// is none.
func (s *Store) runUnder(ctx context.Context, unit string, sc script, keys []string, args ...any) (any, *promise, error) {
	bySHA, again, lost, moved := true, false, false, 0
	for {
		s.count(sc)
		reply, p, err := s.collect.do(ctx, newOnce(ctx, sc, bySHA, keys, args), unit)
		if err == nil {
			return reply, p, nil
		}
		if bySHA && redis.HasErrorPrefix(err, "NOSCRIPT") {
			bySHA = false
			continue
		}
		if unit != "" && moved < maxMoves && redis.HasErrorPrefix(err, "MOVED") {
			moved++
			continue
		}
		lost = lost || !isReply(err) && !neverSent(err)
		if isReply(err) || again || ctx.Err() != nil {
			return nil, nil, unavailable(sc.name, err, lost)
		}
		again = true
	}
}

// maxMoves is how often a call follows a slot that has moved, where it is we who
// choose the node.
const maxMoves = 3

// count keeps apart what a job costs and what is noted beside jobs.
func (s *Store) count(sc script) {
	if sc.name == s.scripts.drift.name || sc.name == s.scripts.rests.name {
		s.notes.Add(1)
		return
	}
	s.calls.Add(1)
}

func unavailable(name string, err error, lost bool) error {
	if lost {
		return fmt.Errorf("%s: %w: %w: %w", name, ErrUnavailable, ErrIndeterminate, err)
	}
	return fmt.Errorf("%s: %w: %w", name, ErrUnavailable, err)
}

// isReply says that the server itself answered with an error. Its scripts put
// every guard before the first write, so nothing was done.
func isReply(err error) bool {
	var reply redis.Error
	return errors.As(err, &reply)
}

// neverSent says that the command did not reach a connection.
func neverSent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial" || errors.Is(err, redis.ErrPoolTimeout) ||
		errors.Is(err, redis.ErrPoolExhausted) || errors.Is(err, errNotQueued)
}

// words runs a script whose reply is words and splits them.
func (s *Store) words(ctx context.Context, sc script, keys []string, args ...any) ([]string, error) {
	reply, err := s.run(ctx, sc, keys, args...)
	if err != nil {
		return nil, err
	}
	return split(sc, reply)
}

func split(sc script, reply any) ([]string, error) {
	text, ok := reply.(string)
	if !ok {
		return nil, fmt.Errorf("%s: reply of type %T", sc.name, reply)
	}
	return strings.Split(text, " "), nil
}
