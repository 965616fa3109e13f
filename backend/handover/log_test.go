package handover_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/handover"
)

func TestWhoDiedLeavesWhatWasBegunAndAnswered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b, c := uuid.New(), uuid.New(), uuid.New()
	log, err := handover.Open(dir, "one")
	require.NoError(t, err)
	log.Begun(a)
	log.Begun(b)
	log.Ended(a, handover.Answer{Code: "250", ID: "x"})
	found, err := handover.Orphans(dir)
	require.NoError(t, err)
	require.Empty(t, found, "it lives")
	require.NoError(t, log.Close(true)) // as death does

	found, err = handover.Orphans(dir)
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, "one", found[0].Worker)
	require.True(t, found[0].Certain)
	require.Equal(t, &handover.Answer{Code: "250", ID: "x"}, found[0].Begun[a])
	answer, begun := found[0].Begun[b]
	require.True(t, begun)
	require.Nil(t, answer)
	require.NotContains(t, found[0].Begun, c)
	twice, err := handover.Orphans(dir)
	require.NoError(t, err)
	require.Empty(t, twice, "somebody is at it")
	require.NoError(t, found[0].Done())
	found, err = handover.Orphans(dir)
	require.NoError(t, err)
	require.Empty(t, found)
}

func TestAListThatBeginsAnewForgets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log, err := handover.Open(dir, "one")
	require.NoError(t, err)
	log.Begun(uuid.New())
	require.NoError(t, log.Renew("one"))
	require.NoError(t, log.Close(true))
	found, err := handover.Orphans(dir)
	require.NoError(t, err)
	require.Empty(t, found[0].Begun)
	require.NoError(t, found[0].Done())

	var none *handover.Log
	none.Begun(uuid.New())
	require.NoError(t, none.Close(false))
	none, err = handover.Open("", "x")
	require.NoError(t, err)
	require.Nil(t, none)
}
