package delivery

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestSecurity_09_TokensAreBoundToTheirPurposeAndHouse(t *testing.T) {
	t.Parallel()
	tokens := NewTokens([]byte("0123456789abcdef0123456789abcdef"))
	workspace, message := uuid.New(), uuid.New()
	token := tokens.Make(PurposeUnsubscribe, workspace, message)

	t.Run("reads what it made", func(t *testing.T) {
		t.Parallel()
		w, m, err := tokens.Read(PurposeUnsubscribe, token)
		require.NoError(t, err)
		require.Equal(t, workspace, w)
		require.Equal(t, message, m)
	})

	t.Run("refuses another purpose", func(t *testing.T) {
		t.Parallel()
		_, _, err := tokens.Read(PurposeView, token)
		require.ErrorIs(t, err, ErrToken)
	})

	t.Run("refuses another installation's", func(t *testing.T) {
		t.Parallel()
		_, _, err := NewTokens([]byte("another secret")).Read(PurposeUnsubscribe, token)
		require.ErrorIs(t, err, ErrToken)
	})

	t.Run("refuses what was cut or changed", func(t *testing.T) {
		t.Parallel()
		for i := range token {
			other := "A"
			if token[i] == 'A' {
				other = "B"
			}
			_, _, err := tokens.Read(PurposeUnsubscribe, token[:i]+other+token[i+1:])
			require.ErrorIs(t, err, ErrToken, "byte %d", i)
			_, _, err = tokens.Read(PurposeUnsubscribe, token[:i])
			require.ErrorIs(t, err, ErrToken)
		}
		_, _, err := tokens.Read(PurposeUnsubscribe, strings.Repeat("A", 1<<16))
		require.ErrorIs(t, err, ErrToken)
	})
}

func FuzzTokensRead(f *testing.F) {
	tokens := NewTokens([]byte("secret"))
	f.Add(tokens.Make(PurposeView, uuid.New(), uuid.New()))
	f.Add("")
	f.Fuzz(func(t *testing.T, token string) {
		w, m, err := tokens.Read(PurposeView, token)
		if err == nil {
			require.Equal(t, token, tokens.Make(PurposeView, w, m))
		}
	})
}
