package stripe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Currencies whose smallest unit is the unit itself, and those with a thousandth, which Stripe takes in tenths only.
var (
	whole      = []string{"BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF"}
	thousandth = []string{"BHD", "JOD", "KWD", "OMR", "TND"}
)

// decimals is how many digits of a currency stand behind the point.
func decimals(currency string) int {
	switch currency = strings.ToUpper(currency); {
	case slices.Contains(whole, currency):
		return 0
	case slices.Contains(thousandth, currency):
		return 3
	default:
		return 2
	}
}

// Minor turns a plain decimal number, such as 19.90, into the smallest units of a currency, exactly.
func Minor(amount, currency string) (int64, error) {
	digits := decimals(currency)
	units, fraction, _ := strings.Cut(amount, ".")
	rest := ""
	if len(fraction) > digits {
		fraction, rest = fraction[:digits], fraction[digits:]
	}
	if strings.Trim(rest, "0") != "" {
		return 0, fmt.Errorf("%s cannot be paid in %s: it has %d digits behind the point", amount, strings.ToUpper(currency), digits)
	}
	minor, err := strconv.ParseInt(units+fraction+strings.Repeat("0", digits-len(fraction)), 10, 64)
	switch {
	case err != nil || minor <= 0:
		return 0, fmt.Errorf("%q is no amount of money", amount)
	case digits == 3 && minor%10 != 0:
		return 0, fmt.Errorf("%s cannot be paid in %s: the last digit has to be 0", amount, strings.ToUpper(currency))
	}
	return minor, nil
}

// Major turns smallest units of a currency into its units.
func Major(minor int64, currency string) float64 {
	major, err := strconv.ParseFloat(strconv.FormatInt(minor, 10)+"e-"+strconv.Itoa(decimals(currency)), 64)
	if err != nil { // digits have a value
		panic(err)
	}
	return major
}
