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
