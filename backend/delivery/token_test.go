package delivery

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/signed"
	"github.com/lejek/lejek/backend/tracking"
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

	t.Run("is no token of another page, nor one of theirs", func(t *testing.T) {
		t.Parallel()
		secret := []byte("0123456789abcdef0123456789abcdef")
		links, pages := tracking.NewLinks(secret, "https://l.example"), signed.NewKey(secret)
		last := func(address string) string { return address[strings.LastIndexByte(address, '/')+1:] }
		all := map[string]string{
			"unsubscribe": token, "view": tokens.Make(PurposeView, workspace, message),
			"click": last(links.Click(workspace, message, 0, "https://shop.example/")), "open": strings.TrimSuffix(last(links.Open(workspace, message)), ".gif"),
		}
		for name, purpose := range map[string]signed.Purpose{
			"fill": signed.Fill, "confirm": signed.Confirm, "identity": signed.Identity, "booking": signed.Booking, "page": signed.Page, "preferences": signed.Preferences,
		} {
			all[name] = pages.Make(purpose, signed.Token{First: workspace, Second: message})
		}
		readers := map[string]func(text string) error{
			"unsubscribe": func(text string) error { _, _, err := tokens.Read(PurposeUnsubscribe, text); return err },
			"view":        func(text string) error { _, _, err := tokens.Read(PurposeView, text); return err },
			"click":       func(text string) error { _, err := links.ReadClick(text); return err },
			"open":        func(text string) error { _, err := links.ReadOpen(text); return err },
			"fill":        func(text string) error { _, err := pages.Read(signed.Fill, text); return err },
			"confirm":     func(text string) error { _, err := pages.Read(signed.Confirm, text); return err },
			"identity":    func(text string) error { _, err := pages.Read(signed.Identity, text); return err },
			"booking":     func(text string) error { _, err := pages.Read(signed.Booking, text); return err },
			"page":        func(text string) error { _, err := pages.Read(signed.Page, text); return err },
			"preferences": func(text string) error { _, err := pages.Read(signed.Preferences, text); return err },
		}
		for made, text := range all {
			for read, reader := range readers {
				if made == read {
					require.NoError(t, reader(text), made)
				} else {
					require.Error(t, reader(text), "%s read as %s", made, read)
				}
			}
		}
	})

	t.Run("refuses a workspace or message put in the other's place", func(t *testing.T) {
		t.Parallel()
		raw, err := base64.RawURLEncoding.DecodeString(token)
		require.NoError(t, err)
		other := tokens.Make(PurposeUnsubscribe, uuid.New(), message)
		theirs, err := base64.RawURLEncoding.DecodeString(other)
		require.NoError(t, err)
		swapped := slices.Concat(theirs[:18], raw[18:])
		_, _, err = tokens.Read(PurposeUnsubscribe, base64.RawURLEncoding.EncodeToString(swapped))
		require.ErrorIs(t, err, ErrToken, "the other workspace, our signature")
		newer := slices.Clone(raw)
		newer[0]++
		_, _, err = tokens.Read(PurposeUnsubscribe, base64.RawURLEncoding.EncodeToString(newer))
		require.ErrorIs(t, err, ErrToken, "a version nobody knows")
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
