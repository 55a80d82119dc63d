package conformance

import (
	"fmt"
	"strings"

	"inferonce/contracts"
)

// spending is what a suite has paid, in millionths of a US dollar.
type spending struct {
	total, dearest int64
	open           int  // calls under way
	unknown        bool // a call came back that nobody can price
}

// fits says that one more call stays within a bound.
func (s spending) fits(most int64) bool { return s.total+int64(s.open+1)*s.dearest <= most }

// pay counts a call that is over. A failed one reports no counts: what it cost
// can't be known, and it is taken to cost nothing.
func (s *suite) pay(u contracts.Usage, failed bool) {
	s.spent.open--
	if s.Price == nil || failed {
		return
	}
	cost, known := s.Price(u)
	if !known || !u.Reported {
		s.spent.unknown = true
		return
	}
	s.spent.total += cost
	s.spent.dearest = max(s.spent.dearest, cost)
}

// overspent says why no further call may begin, "" if one may.
func (s *suite) overspent() string {
	switch {
	case s.MaxCost == 0:
		return ""
	case s.spent.unknown:
		return "an answer came without counts that can be priced, so the bound on cost can't be kept"
	case !s.spent.fits(s.MaxCost):
		return fmt.Sprintf("the bound of %s was met: %s are spent", Dollars(s.MaxCost), Dollars(s.spent.total))
	}
	return ""
}

// cost is the total for a report; nil where there is no price for all of it.
func (s *suite) cost() *int64 {
	if s.Price == nil || s.spent.unknown {
		return nil
	}
	total := s.spent.total
	return &total
}

// costOf is what one answer cost; nil where that can't be said.
func (s *suite) costOf(o outcome) *int64 {
	if s.Price == nil || !o.usage.Reported {
		return nil
	}
	if cost, known := s.Price(o.usage); known {
		return &cost
	}
	return nil
}

// Dollars writes millionths of a US dollar, to the last digit that is not zero
// but at least in cents: $0.0125.
func Dollars(micro int64) string {
	text := fmt.Sprintf("%d.%06d", micro/1_000_000, micro%1_000_000)
	cents := strings.IndexByte(text, '.') + 3
	return "$" + text[:cents] + strings.TrimRight(text[cents:], "0")
}
