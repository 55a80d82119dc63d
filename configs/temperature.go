package configs

import (
	"strconv"
	"strings"
)

// TemperatureRule says what a model accepts as temperature.
type TemperatureRule string

// The rules. Some models refuse the parameter, some accept one value only,
// some have a lowest one.
const (
	TemperatureOmit  TemperatureRule = "omit"
	TemperatureFixed TemperatureRule = "fixed"
	TemperatureMin   TemperatureRule = "min"
)

// maxTemperature is the upper end of OpenAI's range for the parameter,
// https://platform.openai.com/docs/api-reference/chat/create.
const maxTemperature = 2

// Temperature is written "omit", "fixed:1" or "min:0" in the file. The zero
// Temperature is min:0.
type Temperature struct {
	Rule  TemperatureRule
	Value float64
}

// Send returns what to send where the contract wants want; nil for nothing.
func (t Temperature) Send(want float64) *float64 {
	switch t.Rule {
	case TemperatureOmit:
		return nil
	case TemperatureFixed:
		return &t.Value
	}
	v := max(want, t.Value)
	return &v
}

// String returns the form of the file.
func (t Temperature) String() string {
	switch t.Rule {
	case TemperatureOmit:
		return string(t.Rule)
	case "":
		t.Rule = TemperatureMin
	}
	return string(t.Rule) + ":" + strconv.FormatFloat(t.Value, 'g', -1, 64)
}

// MarshalText returns String.
func (t Temperature) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

func parseTemperature(s string) (Temperature, bool) {
	rule, number, has := strings.Cut(s, ":")
	if rule == string(TemperatureOmit) && !has {
		return Temperature{Rule: TemperatureOmit}, true
	}
	if rule != string(TemperatureFixed) && rule != string(TemperatureMin) {
		return Temperature{}, false
	}
	v, err := strconv.ParseFloat(number, 64)
	// Written so that NaN is refused too.
	if err != nil || !(v >= 0 && v <= maxTemperature) {
		return Temperature{}, false
	}
	return Temperature{TemperatureRule(rule), v}, true
}
