package signed_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/signed"
)

var key = signed.NewKey([]byte("0123456789abcdef0123456789abcdef"))

func TestATokenSaysWhatWasPutIntoItForItsPurposeOnly(t *testing.T) {
	t.Parallel()
	in := signed.Token{First: uuid.New(), Second: uuid.New(), At: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)}
	text := key.Make(signed.Confirm, in)
	out, err := key.Read(signed.Confirm, text)
	require.NoError(t, err)
	require.Equal(t, in, out)
	for _, other := range []signed.Purpose{signed.Fill, signed.Identity, signed.Booking, signed.Page} {
		_, err := key.Read(other, text)
		require.ErrorIs(t, err, signed.ErrToken)
	}
	_, err = signed.NewKey([]byte("another")).Read(signed.Confirm, text)
	require.ErrorIs(t, err, signed.ErrToken)
	timeless, err := key.Read(signed.Booking, key.Make(signed.Booking, signed.Token{First: in.First}))
	require.NoError(t, err)
	require.True(t, timeless.At.IsZero())
}

func FuzzRead(f *testing.F) {
	good := key.Make(signed.Booking, signed.Token{First: uuid.UUID{1}, Second: uuid.UUID{2}})
	for _, seed := range []string{"", "x", good, good[1:], good + "A", good[:len(good)-1] + "_"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		token, err := key.Read(signed.Booking, text)
		if err == nil {
			require.Equal(t, text, key.Make(signed.Booking, token), "one token has one spelling")
		}
	})
}
