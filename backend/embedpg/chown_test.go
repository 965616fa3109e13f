//go:build unix

package embedpg_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func chownLike(t *testing.T, path string, info os.FileInfo) {
	t.Helper()
	st := info.Sys().(*syscall.Stat_t)
	require.NoError(t, os.Chown(path, int(st.Uid), int(st.Gid)))
}
