package delivery

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDialerRefusesWhatIsNotPublic(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"127.0.0.1:25", "10.1.2.3:587", "172.16.0.1:25", "192.168.1.1:25", "169.254.169.254:80", "100.64.0.1:25", "0.0.0.0:25",
		"[::1]:25", "[fd00::1]:25", "[fe80::1]:25", "[::ffff:10.0.0.1]:25", "[64:ff9b::a00:1]:25", "224.0.0.1:25", "255.255.255.255:25",
	} {
		require.ErrorIs(t, Dialer{}.check(address), ErrPrivate, address)
		require.NoError(t, Dialer{Private: true}.check(address), address)
	}
	for _, address := range []string{"93.184.216.34:25", "[2606:2800:220:1:248:1893:25c8:1946]:587"} {
		require.NoError(t, Dialer{}.check(address), address)
	}
}
