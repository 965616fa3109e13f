package engine

import (
	"encoding/json"
	"strings"
)

// mostExact is 2^53, the last whole number up to which a float64 tells every one from the next.
const mostExact = "9007199254740992"

// KeepDigits prepares JSON that comes from outside for decoding: whole numbers beyond 2^53, which a float64 would round, become texts of
// their digits. Such a number is an id; nobody computes with it. So a key, merge text and saved answers keep its digits, and rules
// compare it as a text. Numbers with a fraction or an exponent are measures and stay float64. What is no JSON stays as it is.
func KeepDigits(raw []byte) []byte {
	var out []byte
	done, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted || c != '-' && (c < '0' || c > '9'):
		default:
			end := i + 1
			for end < len(raw) && partOfNumber(raw[end]) {
				end++
			}
			if TooManyDigits(string(raw[i:end])) {
				out = append(append(append(append(out, raw[done:i]...), '"'), raw[i:end]...), '"')
				done = end
			}
			i = end - 1
		}
	}
	if out == nil || !json.Valid(raw) {
		return raw
	}
	return append(out, raw[done:]...)
}

func partOfNumber(c byte) bool {
	return c >= '0' && c <= '9' || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-'
}

// TooManyDigits tells a whole number beyond 2^53 on either side.
func TooManyDigits(number string) bool {
	number = strings.TrimPrefix(number, "-")
	if len(number) < len(mostExact) || strings.Trim(number, "0123456789") != "" {
		return false
	}
	return len(number) > len(mostExact) || number > mostExact
}
