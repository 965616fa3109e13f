package engine

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWholeNumbersKeepTheirDigits(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"id": 1234567890123456789, "n": 12}`:          `{"id": "1234567890123456789", "n": 12}`,
		`[-9007199254740993, -9007199254740992]`:        `["-9007199254740993", -9007199254740992]`,
		`9007199254740992`:                              `9007199254740992`,
		`9007199254740993`:                              `"9007199254740993"`,
		`[19.989999999999998, 0.1234567890123456789]`:   `[19.989999999999998, 0.1234567890123456789]`,
		`[1e300, 12345678901234567890.5, 1E+2]`:         `[1e300, 12345678901234567890.5, 1E+2]`,
		`"\"1234567890123456789\" 1234567890123456789"`: `"\"1234567890123456789\" 1234567890123456789"`,
		`{"a\\": 1234567890123456789}`:                  `{"a\\": "1234567890123456789"}`,
		`{"broken": 1234567890123456789`:                `{"broken": 1234567890123456789`,
		`01234567890123456789`:                          `01234567890123456789`,
		``:                                              ``,
	} {
		require.Equal(t, want, string(KeepDigits([]byte(raw))), raw)
	}
}

func FuzzKeepDigits(f *testing.F) {
	f.Add([]byte(`{"id": 1234567890123456789, "s": "a\\\"1234567890123456789"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		kept := KeepDigits(raw)
		require.Equal(t, json.Valid(raw), json.Valid(kept))
		require.Equal(t, kept, KeepDigits(kept))
	})
}
