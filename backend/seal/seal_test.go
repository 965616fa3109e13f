package seal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/seal"
)

func TestASealedSecretOpensForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	box := seal.New(seal.Keys{[]byte("0123456789abcdef0123456789abcdef")}, "tests")
	sealed, err := box.Seal([]byte("row-1"), "canary")
	require.NoError(t, err)
	require.NotContains(t, string(sealed), "canary")
	plain, err := box.Open([]byte("row-1"), sealed)
	require.NoError(t, err)
	require.Equal(t, "canary", plain)

	_, err = box.Open([]byte("row-2"), sealed)
	require.ErrorIs(t, err, seal.ErrSealed, "moved to another row")
	_, err = seal.New(seal.Keys{[]byte("another secret, as long as the first")}, "tests").Open([]byte("row-1"), sealed)
	require.ErrorIs(t, err, seal.ErrSealed, "another installation")
	_, err = seal.New(seal.Keys{[]byte("0123456789abcdef0123456789abcdef")}, "others").Open([]byte("row-1"), sealed)
	require.ErrorIs(t, err, seal.ErrSealed, "another purpose")
	_, err = box.Open([]byte("row-1"), sealed[:5])
	require.ErrorIs(t, err, seal.ErrSealed)
	plain, err = box.Open([]byte("row-1"), nil)
	require.NoError(t, err)
	require.Empty(t, plain)
}

func TestEachKeyOpensAndTheFirstSeals(t *testing.T) {
	t.Parallel()
	first, second := []byte("0123456789abcdef0123456789abcdef"), []byte("fedcba9876543210fedcba9876543210")
	sealed, err := seal.New(seal.Keys{first}, "tests").Seal([]byte("row-1"), "hush")
	require.NoError(t, err)
	both := seal.New(seal.Keys{second, first}, "tests")
	text, err := both.Open([]byte("row-1"), sealed)
	require.NoError(t, err)
	require.Equal(t, "hush", text)
	sealed, err = both.Seal([]byte("row-1"), "hush")
	require.NoError(t, err)
	_, err = seal.New(seal.Keys{first}, "tests").Open([]byte("row-1"), sealed)
	require.ErrorIs(t, err, seal.ErrSealed)
	_, err = seal.New(seal.Keys{second}, "tests").Open([]byte("row-1"), sealed)
	require.NoError(t, err)
}
