package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestARequestThatNamesNoWorkspaceIsForTheFirst has a script that signs in and goes on, as the list of the session shows it.
func TestARequestThatNamesNoWorkspaceIsForTheFirst(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.do(b.admin, http.StatusCreated, "POST", "/tags", object{"name": "vip"})
	plain := caller{session: b.admin.session}
	require.Equal(t, "vip", b.do(plain, http.StatusOK, "GET", "/tags", nil).get(t, "items.0.slug"))
	require.Equal(t, b.admin.workspace.String(), b.do(plain, http.StatusOK, "GET", "/session", nil).get(t, "workspace.id"))

	eve := b.other()
	require.Empty(t, b.do(caller{session: eve.session}, http.StatusOK, "GET", "/tags", nil).get(t, "items"), "everybody has their own first one")
	b.do(caller{session: eve.session, workspace: b.admin.workspace}, http.StatusNotFound, "GET", "/tags", nil)
}

func TestTheFirstInstantOfTheCalendarIsTooLongAgo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, at := range []string{"0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "0001-01-01T00:00:00+01:00"} {
		got := b.do(b.admin, http.StatusUnprocessableEntity, "POST", "/events", object{"name": "signup", "contact": object{"email": "jan@example.com"}, "at": at})
		require.Contains(t, got.Body.String(), "too long ago", at)
	}
}
