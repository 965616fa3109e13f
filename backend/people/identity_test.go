package people_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/people"
)

func TestEmail(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"jan@example.com":                        "jan@example.com",
		"  Jan.K+a@Example.COM ":                 "jan.k+a@example.com",
		"x@żółw.pl":                              "x@xn--w-uga1v8h.pl",
		"o'neil@sub.example.co.uk":               "o'neil@sub.example.co.uk",
		"":                                       "",
		"jan":                                    "",
		"jan@":                                   "",
		"@example.com":                           "",
		"jan@example":                            "",
		"jan@@example.com":                       "",
		"jan kowalski@example.com":               "",
		"Jan <jan@example.com>":                  "",
		"jan@example.com\nBcc: x@y.com":          "",
		"jan@example.com, b@example.com":         "",
		"jan@exa mple.com":                       "",
		"jan@-example.com":                       "",
		"jąn@example.com":                        "",
		"jan..k@example.com":                     "",
		"jan@example.com\x00":                    "",
		strings.Repeat("a", 65) + "@example.com": "",
		"a@" + strings.Repeat("b.", 130) + "example.com":  "",
		"jan@" + strings.Repeat("x", 64) + ".example.com": "",
	} {
		email, folded, err := people.Email(text)
		if want == "" {
			require.Error(t, err, "%q", text)
			require.Less(t, len(err.Error()), 250, "%q", text)
			continue
		}
		require.NoError(t, err, "%q", text)
		require.Equal(t, want, folded)
		require.Equal(t, strings.TrimSpace(text), email)
	}
}

func TestPhoneZoneAndLanguage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"+48 601 234 567": "+48601234567", "0048601234567": "+48601234567", "+1 (415) 555-2671": "+14155552671", "601234567": "", "+48 12": "", "+999 123456": "", "phone": ""} {
		got, err := people.Phone(text)
		require.Equal(t, want, got, text)
		require.Equal(t, want == "", err != nil, text)
	}
	for text, ok := range map[string]bool{"Europe/Warsaw": true, "": true, "UTC": true, "Local": false, "CET+1": false, "../etc/passwd": false} {
		_, err := people.Zone(text)
		require.Equal(t, ok, err == nil, text)
	}
	for text, want := range map[string]string{"PL": "pl", "pt_br": "pt-BR", "": "", "polish language": "-", "x": "-"} {
		got, err := people.Language(text)
		if want == "-" {
			require.Error(t, err, text)
			continue
		}
		require.Equal(t, want, got)
	}
}

func FuzzEmail(f *testing.F) {
	f.Add("jan@example.com")
	f.Add("\"a b\"@x.y")
	f.Fuzz(func(t *testing.T, text string) {
		email, folded, err := people.Email(text)
		if err != nil {
			return
		}
		require.NotContains(t, email, "\n")
		require.NotContains(t, email, "\r")
		_, again, err := people.Email(folded)
		require.NoError(t, err, "what was folded is an address")
		require.Equal(t, folded, again, "folding twice is folding once")
	})
}
