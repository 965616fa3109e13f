package slug_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/slug"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Welcome series":        "welcome-series",
		"Zażółć gęślą JAŹŃ!":    "zazolc-gesla-jazn",
		"Возврат клиентов":      "vozvrat-klientov",
		"  --  ":                "x",
		"日本":                    "x",
		"50 % off":              "50-off",
		strings.Repeat("a", 99): strings.Repeat("a", slug.Max),
	} {
		require.Equal(t, want, slug.Of(text, "x"), text)
	}
}
