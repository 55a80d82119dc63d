package jobstore

import "strconv"

// Cost is what an attempt cost, in millionths of a dollar.
type Cost struct {
	MicroUSD int64
	// Estimated: nobody knows what it cost, and this is the most that it can have been.
	Estimated bool
}

// maxCost is the largest amount that a script takes: a billion dollars less one millionth.
const maxCost = 999_999_999_999_999

func (c *Cost) certain() string {
	if c == nil || c.Estimated {
		return ""
	}
	return c.text()
}

func (c *Cost) possible() string {
	if c == nil || !c.Estimated {
		return ""
	}
	return c.text()
}

func (c *Cost) text() string { return strconv.FormatInt(min(max(c.MicroUSD, 0), maxCost), 10) }

// decodeCost reads what a script wrote; nil if neither is known.
func decodeCost(certain, possible string) *Cost {
	switch {
	case certain != "":
		return &Cost{MicroUSD: number(certain)}
	case possible != "":
		return &Cost{MicroUSD: number(possible), Estimated: true}
	}
	return nil
}

// Cost adds up what a job's attempts cost for certain, and what the others can
// have cost at most.
func (j *Job) Cost() (certain, possible int64) {
	for i := range j.Attempts {
		switch c := j.Attempts[i].Cost; {
		case c == nil:
		case c.Estimated:
			possible += c.MicroUSD
		default:
			certain += c.MicroUSD
		}
	}
	return certain, possible
}
