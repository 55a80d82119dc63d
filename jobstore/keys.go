package jobstore

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Shards is the number of logical shards. Every key of a shard carries the
// shard's tag, so that one script can move all that belongs together, also in
// a cluster. The number is stored at first use and never changes.
const Shards = 256

// shardOf places an owner's key. Only the hash of what callers choose gets into
// a tag: a raw brace would let them pick the slot.
func shardOf(owner, key string) int { return int(hashOf(owner, key)[0]) }

func hashOf(parts ...string) [32]byte {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return [32]byte(h.Sum(nil))
}

// text form of the first 128 bits
func shortHash(parts ...string) string {
	h := hashOf(parts...)
	return hex.EncodeToString(h[:16])
}

var idText = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

func token() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return idText.EncodeToString(b[:])
}

// newID makes a job id that carries its shard: "job_3f01k…".
func newID(shard int) string { return fmt.Sprintf("job_%02x%s", shard, token()) }

// shardOfID reads the shard back; false if the text is no job id.
func shardOfID(id string) (int, bool) {
	rest, ok := strings.CutPrefix(id, "job_")
	if !ok || len(rest) != 28 {
		return 0, false
	}
	n, err := strconv.ParseUint(rest[:2], 16, 8)
	if err != nil || strings.Trim(rest, "0123456789abcdefghjkmnpqrstvwxyz") != "" {
		return 0, false
	}
	return int(n), true
}

// keyspace names the keys. A call names half a dozen, so what they begin with
// is made once.
type keyspace struct {
	prefix string
	tags   *[Shards]string
}

func newKeyspace(prefix string) keyspace {
	k := keyspace{prefix, new([Shards]string)}
	for shard := range k.tags {
		k.tags[shard] = fmt.Sprintf("%s{s:%02x}:", prefix, shard)
	}
	return k
}

func (k keyspace) tag(shard int) string             { return k.tags[shard] }
func (k keyspace) due(shard int) string             { return k.tag(shard) + "due" }
func (k keyspace) open(shard int) string            { return k.tag(shard) + "open" }
func (k keyspace) ended(shard int) string           { return k.tag(shard) + "ended" }
func (k keyspace) outbox(shard int) string          { return k.tag(shard) + "outbox" }
func (k keyspace) dead(shard int) string            { return k.tag(shard) + "dead" }
func (k keyspace) channel(shard int) string         { return k.tag(shard) + "changed" }
func (k keyspace) owner(shard int, o string) string { return k.tag(shard) + "owner:" + o }
func (k keyspace) eligibility() string              { return k.prefix + "{eligibility}:records" }
func (k keyspace) audit() string                    { return k.prefix + "{eligibility}:audit" }
func (k keyspace) auditHead() string                { return k.prefix + "{eligibility}:head" }
func (k keyspace) canary() string                   { return k.prefix + "{eligibility}:canary" }
func (k keyspace) operation(op string) string       { return k.prefix + "{eligibility}:op:" + op }
func (k keyspace) rests() string                    { return k.prefix + "{rests}:records" }
func (k keyspace) shards() string                   { return k.prefix + "shards" }
func (k keyspace) rollback() string                 { return k.prefix + "rollback" }

func (k keyspace) rollbackLog() string { return k.prefix + "rollbacks" }

func (k keyspace) window(target, digest string) string {
	return k.prefix + "{eligibility}:window:" + shortHash(target, digest)
}

func (k keyspace) canaryLease(target, digest string) string {
	return k.prefix + "{eligibility}:lease:" + shortHash(target, digest)
}

func (k keyspace) proofLease(target, digest string) string {
	return k.prefix + "{eligibility}:lease:" + shortHash(target, digest, "proof")
}

func (k keyspace) idem(owner, key string) string {
	return k.tag(shardOf(owner, key)) + "idem:" + shortHash(owner, key)
}

func (k keyspace) job(id string) string {
	shard, _ := shardOfID(id)
	return k.tag(shard) + "job:" + id
}

// owed are the events that an app is still to be told of a job.
func (k keyspace) owed(id string) string {
	shard, _ := shardOfID(id)
	return k.tag(shard) + "owed:" + id
}

// log is the stream of what became of a job, in order.
func (k keyspace) log(id string) string {
	shard, _ := shardOfID(id)
	return k.tag(shard) + "log:" + id
}

func (k keyspace) attempt(id string, n int) string {
	shard, _ := shardOfID(id)
	return k.tag(shard) + "att:" + id + ":" + strconv.Itoa(n)
}

func (k keyspace) attempts(id string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = k.attempt(id, i+1)
	}
	return out
}
