package contracts

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// exactInteger is the last integer up to which every integer is a double of its own.
const exactInteger = 1 << 53

// exactNumber accepts a literal only if its double stands for it alone, because
// RFC 8785 writes every number as a double: two tickets 9007199254740992 and
// 9007199254740993 would otherwise be one intent. A fraction may be spelt as
// the shortest text of its double (JavaScript, Go, Python) or with 17
// significant digits (C's %.17g); every other spelling is refused.
func exactNumber(literal string) (reason, message string) {
	if !strings.ContainsAny(literal, ".eE") {
		return exactInt(literal)
	}
	f, err := strconv.ParseFloat(literal, 64)
	d := decimalOf(literal)
	switch {
	case err != nil:
		return ReasonNumber, "holds a number beyond the range of a double"
	case f == 0 && d.digits != "":
		return ReasonNumber, "holds a number so small that a double makes it zero"
	case d != decimalOf(strconv.FormatFloat(f, 'e', -1, 64)) && d != decimalOf(strconv.FormatFloat(f, 'e', 16, 64)):
		return ReasonNumber, "holds a number with more digits than a double; send it as a string"
	}
	return "", ""
}

func exactInt(literal string) (reason, message string) {
	n, err := strconv.ParseInt(literal, 10, 64)
	if err != nil || n > exactInteger || n < -exactInteger {
		return ReasonIntegerTooLarge, "holds an integer beyond 2^53; send it as a string"
	}
	return "", ""
}

// decimal is 0.digits × 10^exp without leading and trailing zeros: equal for
// two literals exactly if they name the same number.
type decimal struct {
	negative bool
	digits   string
	exp      int
}

func decimalOf(literal string) decimal {
	var d decimal
	literal, d.negative = strings.CutPrefix(literal, "-")
	mantissa, exponent, _ := strings.Cut(strings.ToLower(literal), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	d.exp = saturatingAtoi(exponent) + len(whole)
	all := whole + fraction
	d.digits = strings.TrimLeft(all, "0")
	d.exp -= len(all) - len(d.digits)
	d.digits = strings.TrimRight(d.digits, "0")
	if d.digits == "" {
		return decimal{}
	}
	return d
}

// saturatingAtoi reads an exponent; one too long for an int is as good as the largest.
func saturatingAtoi(s string) int {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil && s != "" {
		return math.MaxInt32
	}
	return int(n)
}

// The bounds of a number in an answer. jsonschema turns literals into big.Rat
// and panics on 1e20000000; 40 characters and a double's range lose no real number.
const (
	maxLiteral  = 40
	maxExponent = 308
)

// boundedNumber accepts every number that is safe to compute with.
func boundedNumber(literal string) (reason, message string) {
	if len(literal) > maxLiteral {
		return ReasonNumber, fmt.Sprintf("holds a number of more than %d characters", maxLiteral)
	}
	_, exponent, has := strings.Cut(strings.ToLower(literal), "e")
	n, err := strconv.Atoi(exponent)
	if has && (err != nil || n > maxExponent || n < -maxExponent) {
		return ReasonNumber, fmt.Sprintf("holds a number with an exponent beyond ±%d", maxExponent)
	}
	if f, err := strconv.ParseFloat(literal, 64); err != nil || math.IsInf(f, 0) {
		return ReasonNumber, "holds a number beyond the range of a double"
	}
	return "", ""
}
