package seal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/seal"
)

func TestASealedSecretOpensForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	box := seal.New([]byte("0123456789abcdef0123456789abcdef"), "tests")
	sealed, err := box.Seal([]byte("row-1"), "canary")
	require.NoError(t, err)
	require.NotContains(t, string(sealed), "canary")
	plain, err := box.Open([]byte("row-1"), sealed)
	require.NoError(t, err)
	require.Equal(t, "canary", plain)

	_, err = box.Open([]byte("row-2"), sealed)
	require.ErrorIs(t, err, seal.ErrSealed, "moved to another row")
	_, err = seal.New([]byte("another secret, as long as the first"), "tests").Open([]byte("row-1"), sealed)
	require.ErrorIs(t, err, seal.ErrSealed, "another installation")
	_, err = seal.New([]byte("0123456789abcdef0123456789abcdef"), "others").Open([]byte("row-1"), sealed)
	require.ErrorIs(t, err, seal.ErrSealed, "another purpose")
	_, err = box.Open([]byte("row-1"), sealed[:5])
	require.ErrorIs(t, err, seal.ErrSealed)
	plain, err = box.Open([]byte("row-1"), nil)
	require.NoError(t, err)
	require.Empty(t, plain)
}
