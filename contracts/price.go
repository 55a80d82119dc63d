package contracts

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// Price is what a target charges, in micro-USD (a millionth of a dollar) for a
// million tokens. The zero Price is an unknown one: a target that costs nothing
// has a date all the same.
type Price struct {
	Input  int64
	Output int64
	AsOf   time.Time // when somebody looked the price up
}

// Known says that somebody looked the price up.
func (p Price) Known() bool { return !p.AsOf.IsZero() }

// Cost is what a call with this usage costs, in micro-USD, rounded up: what is
// counted is never less than what is paid. known is false without a price or
// without reported usage. A sum beyond int64 is its largest value.
func (p Price) Cost(u Usage) (microUSD int64, known bool) {
	if !p.Known() || !u.Reported || u.InputTokens < 0 || u.OutputTokens < 0 {
		return 0, false
	}
	sum := product(u.InputTokens, p.Input)
	sum.Add(sum, product(u.OutputTokens, p.Output))
	sum.Add(sum, big.NewInt(tokensPriced-1)).Div(sum, big.NewInt(tokensPriced))
	if !sum.IsInt64() {
		return math.MaxInt64, true
	}
	return sum.Int64(), true
}

// tokensPriced is how many tokens a price is for.
const tokensPriced = 1_000_000

func product(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }

// USD writes micro-USD as dollars, exactly: "0.000231". It has at least two decimals.
func USD(micro int64) string {
	sign := ""
	if micro < 0 {
		sign = "-"
	}
	digits := strings.TrimPrefix(strconv.FormatInt(micro, 10), "-")
	if missing := 7 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	whole, part := digits[:len(digits)-6], strings.TrimRight(digits[len(digits)-6:], "0")
	for len(part) < 2 {
		part += "0"
	}
	return sign + whole + "." + part
}
