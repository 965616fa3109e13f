package delivery

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestARefusalThatMayPassIsNotForEver(t *testing.T) {
	t.Parallel()
	for text, soft := range map[string]bool{
		"550 5.1.1 no such user": false, "550 5.1.10 recipient not found": false, "553 unknown": false, "550 mailbox unavailable": false, "5.2.1 disabled": false,
		"552 5.2.2 mailbox full": true, "550 5.7.1 message rejected": true, "554 refused": true, "550 5.2.3 too large": true,
	} {
		require.Equal(t, soft, passing.MatchString(text), text)
	}
}
