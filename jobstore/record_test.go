package jobstore

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

func TestDecodeJob(t *testing.T) {
	for _, c := range []struct {
		says string
		hash map[string]string
		want string // part of the error; "" for none
	}{
		{"a record of this schema is read", map[string]string{"schema": "1", "id": "j", "state": "queued"}, ""},
		{"a record of another schema is refused", map[string]string{"schema": "2", "id": "j"}, `record schema "2"`},
		{"a record without a schema is refused", map[string]string{"id": "j"}, `record schema ""`},
		{"a result that is no JSON is named", map[string]string{"schema": "1", "id": "j", "result": "{"}, "job j: result"},
		{"an error that is no JSON is named", map[string]string{"schema": "1", "id": "j", "error": "["}, "job j: error"},
	} {
		t.Run(c.says, func(t *testing.T) { wants(t, c.want, func() error { _, err := decodeJob(c.hash); return err }) })
	}
	j, err := decodeJob(map[string]string{"schema": "1", "version": "3", "created": "1700000000123", "budget": "1500", "ended": "0"})
	if err != nil || j.Version != 3 || !j.Created.Equal(time.UnixMilli(1700000000123)) || j.Budget != 1500*time.Millisecond || !j.Ended.IsZero() {
		t.Errorf("%+v, %v", j, err)
	}
}

func TestDecodeAttempt(t *testing.T) {
	for _, field := range []string{"failure", "settlement", "late"} {
		t.Run("a broken "+field+" is named", func(t *testing.T) {
			wants(t, "attempt 2: "+field, func() error {
				_, err := decodeAttempt(map[string]string{"number": "2", field: "x"})
				return err
			})
		})
	}
	a, err := decodeAttempt(map[string]string{"number": "2", "failure": `{"class":"timeout","effect":"open"}`, "late": `{"bytes":5}`})
	if err != nil || a.Failure.Class != "timeout" || a.Late.Bytes != 5 || a.Settlement != nil {
		t.Errorf("%+v, %v", a, err)
	}
}

func wants(t *testing.T, part string, act func() error) {
	t.Helper()
	err := act()
	if part == "" && err != nil || part != "" && (err == nil || !strings.Contains(err.Error(), part)) {
		t.Errorf("got %v, want %q in it", err, part)
	}
}

func TestPairs(t *testing.T) {
	want := map[string]string{"a": "1", "b": "2"}
	for says, v := range map[string]any{"a flat list": []any{"a", "1", "b", "2"}, "a map": map[any]any{"a": "1", "b": int64(2)},
		"a list with half a pair": []any{"a", "1", "b", "2", "c"}} {
		if got := pairs(v); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v", says, got)
		}
	}
}

func TestRefusals(t *testing.T) {
	for word, want := range map[string]error{"missing": ErrNotFound, "ended": ErrEnded, "stale": ErrStale, "blocked 1": ErrBlocked,
		"busy": ErrBusy, "held 5": ErrHeld, "limit": ErrLimit, "quarantined": ErrQuarantined, "moved 2": ErrMoved} {
		if err := refusal(script{name: "x"}, strings.Split(word, " ")); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", word, err, want)
		}
	}
	if err := refusal(script{name: "x"}, []string{"huh"}); err == nil || !strings.Contains(err.Error(), `x: unexpected reply ["huh"]`) {
		t.Errorf("a word that no script says: %v", err)
	}
}

// TestAStoreThatCloses gives every call that comes while it does an answer.
func TestAStoreThatCloses(t *testing.T) {
	e := NewEmbedded()
	defer e.Close()
	s, err := Open(t.Context(), e.Options())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for range 100 { // the queue takes some, and nobody empties it any more
		_, _, err := s.collect.do(context.WithoutCancel(t.Context()), newOnce(t.Context(), s.scripts.load, true, nil, nil), "")
		if !errors.Is(err, redis.ErrClosed) || !neverSent(err) {
			t.Fatalf("got %v, want ErrClosed, never sent", err)
		}
	}
}
