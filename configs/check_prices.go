package configs

import "time"

// checkPrice wants all three parts: half a price would count half of the money,
// and nobody can tell how old one without a date is.
func (d *decoder) checkPrice(target string, p Price) {
	if !d.given(target, "price") {
		return
	}
	at := child(target, "price")
	for _, name := range []string{"input", "output"} {
		if !d.given(at, name) {
			d.missing(at, name, "write the dollars for a million tokens, such as 0.15; 0 if they are free")
		}
	}
	if p.AsOf == "" {
		d.missing(at, "as_of", "write the day on which the price was looked up, such as 2026-10-01: prices change")
		return
	}
	if _, ok := p.AsOf.Time(); !ok {
		d.show(child(at, "as_of"))
		d.fault(at, "as_of", "not a day", "write it as YEAR-MONTH-DAY, such as 2026-10-01")
	}
}

// Date is a day, written 2026-10-01.
type Date string

// Time is the beginning of the day in UTC; false if it is none.
func (t Date) Time() (time.Time, bool) {
	at, err := time.Parse(time.DateOnly, string(t))
	return at, err == nil
}

// checkCap wants a price for every target of a capped route: one without could
// cost anything, so that no further attempt would ever begin.
func (d *decoder) checkCap(at string, r Route, targets map[string]Target) {
	if !d.given(at, "max_cost") {
		return
	}
	if r.MaxCost == 0 {
		d.fault(at, "max_cost", "leaves nothing for a second attempt", "give an amount above zero, or set attempts: 1")
	}
	for _, name := range append([]string{r.Primary}, r.Fallbacks...) {
		if t, known := targets[name]; known && t.Price.AsOf == "" {
			d.fault(at, "max_cost", "the target "+name+" has no price", "give it one, such as price: {input: 0.15, output: 0.60, as_of: 2026-10-01}")
			return
		}
	}
}
