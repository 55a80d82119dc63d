package contracts

import (
	"math"
	"testing"
	"time"
)

func TestACallCostsWhatItsTokensCostRoundedUp(t *testing.T) {
	day := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	mini := Price{Input: 150_000, Output: 600_000, AsOf: day} // 0.15 and 0.60 dollars for a million
	for _, row := range []struct {
		name  string
		price Price
		usage Usage
		want  int64
		known bool
	}{
		{"a million tokens each way", mini, Usage{1_000_000, 1_000_000, true}, 750_000, true},
		{"a part of a micro-dollar is a whole one", mini, Usage{1, 0, true}, 1, true},
		{"the parts are added before they are rounded", mini, Usage{2, 1, true}, 1, true}, // 0.3 + 0.6
		{"what comes out even is not rounded", mini, Usage{20, 5, true}, 6, true},         // 3 + 3
		{"no token costs nothing", mini, Usage{0, 0, true}, 0, true},
		{"a free target has a known cost", Price{AsOf: day}, Usage{10, 10, true}, 0, true},
		{"usage that was not reported is not nothing", mini, Usage{0, 0, false}, 0, false},
		{"without a date there is no price", Price{Input: 1}, Usage{1, 1, true}, 0, false},
		{"negative usage is no usage", mini, Usage{-1, 1, true}, 0, false},
		{"a sum beyond all bounds does not wrap", Price{math.MaxInt64, math.MaxInt64, day}, Usage{math.MaxInt64, math.MaxInt64, true}, math.MaxInt64, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, known := row.price.Cost(row.usage)
			if got != row.want || known != row.known {
				t.Errorf("cost %d, known %t; want %d, %t", got, known, row.want, row.known)
			}
		})
	}
}

func TestMoneyIsWrittenExactly(t *testing.T) {
	for micro, want := range map[int64]string{0: "0.00", 1: "0.000001", 231: "0.000231", 150_000: "0.15", 1_000_000: "1.00",
		5_100_000: "5.10", -20: "-0.00002", math.MaxInt64: "9223372036854.775807"} {
		if got := USD(micro); got != want {
			t.Errorf("%d is written %s, want %s", micro, got, want)
		}
	}
}
