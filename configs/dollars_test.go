package configs

import "testing"

func TestAnAmountIsReadExactlyAndWrittenAsItWas(t *testing.T) {
	for text, want := range map[string]Dollars{"0": 0, "0.15": 150_000, "0.1": 100_000, "3": 3_000_000, "999999999.999999": 999_999_999_999_999, "0.000001": 1} {
		got, ok := parseDollars(text)
		if !ok || got != want || got.String() != text {
			t.Errorf("%s is read as %d (%t) and written %s, want %d", text, got, ok, got, want)
		}
	}
	for _, text := range []string{"", ".5", "1.", "1e3", "0x1", "-1", "+1", "1_000", "NaN", "1,5", "1.1234567", "9999999999"} {
		if got, ok := parseDollars(text); ok {
			t.Errorf("%q is read as %d", text, got)
		}
	}
}
