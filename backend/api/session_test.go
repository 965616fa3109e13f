package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/auth"
)

func TestSession(t *testing.T) {
	t.Parallel()

	t.Run("SetupWorksOnce", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		require.Equal(t, false, b.do(caller{}, http.StatusOK, "GET", "/setup", nil).get(t, "needed"))
		b.do(caller{}, http.StatusConflict, "POST", "/setup", object{"email": "eve@example.com", "password": adminPassword, "workspace": "Evil"})
	})

	t.Run("SignInTellsWhoWhereAndWhat", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		got := b.do(caller{}, http.StatusCreated, "POST", "/session", object{"email": "ANNA@example.com ", "password": adminPassword})
		require.Equal(t, "Acme", got.get(t, "workspace.name"))
		require.Contains(t, got.get(t, "permissions"), "funnels.publish")
		cookie := got.Header().Get("Set-Cookie")
		require.Contains(t, cookie, "HttpOnly")
		require.Contains(t, cookie, "SameSite=Lax")
		session, _, _ := strings.Cut(strings.TrimPrefix(cookie, "lejek_session="), ";")
		b.do(caller{session: session}, http.StatusOK, "GET", "/session", nil)
		b.do(caller{session: session}, http.StatusNoContent, "DELETE", "/session", nil)
		b.do(caller{session: session}, http.StatusUnauthorized, "GET", "/session", nil)
	})

	t.Run("InvitationIsUsedOnce", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		made := b.do(b.admin, http.StatusCreated, "POST", "/invitations", object{"email": "jan@example.com", "role": "viewer"})
		require.Equal(t, true, made.get(t, "mailed"))
		url := made.get(t, "url").(string)
		require.Contains(t, <-b.mails.texts, url)
		path := "/invitations/accept/" + url[strings.LastIndex(url, "/")+1:]
		require.Equal(t, "Acme", b.do(caller{}, http.StatusOK, "GET", path, nil).get(t, "workspace"))
		body := object{"name": "Jan", "password": "a password of Jan"}
		require.Equal(t, "viewer", b.do(caller{}, http.StatusCreated, "POST", path, body).get(t, "workspace.role"))
		b.do(caller{}, http.StatusNotFound, "POST", path, body)
		b.do(caller{}, http.StatusNotFound, "GET", path, nil)
	})

	t.Run("TheLastAdministratorStays", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		me := b.do(b.admin, http.StatusOK, "GET", "/session", nil).get(t, "user.id").(string)
		b.do(b.admin, http.StatusConflict, "PATCH", "/members/"+me, object{"role": "viewer"})
		b.do(b.admin, http.StatusConflict, "DELETE", "/members/"+me, nil)
		b.member(auth.Admin)
		b.do(b.admin, http.StatusOK, "PATCH", "/members/"+me, object{"role": "viewer"})
		b.do(b.admin, http.StatusForbidden, "GET", "/api-tokens", nil)
	})

	t.Run("ResetLinkComesByMailAndEndsSessions", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.do(caller{}, http.StatusAccepted, "POST", "/password-reset/request", object{"email": "nobody@example.com"})
		b.do(caller{}, http.StatusAccepted, "POST", "/password-reset/request", object{"email": adminEmail})
		text := <-b.mails.texts
		_, link, _ := strings.Cut(text, "\n\n")
		link, _, _ = strings.Cut(link, "\n")
		body := object{"token": link[strings.LastIndex(link, "/")+1:], "password": "another long password"}
		b.do(caller{}, http.StatusNoContent, "POST", "/password-reset/confirm", body)
		b.do(b.admin, http.StatusUnauthorized, "GET", "/session", nil)
		b.do(caller{}, http.StatusNotFound, "POST", "/password-reset/confirm", body)
		b.do(caller{}, http.StatusCreated, "POST", "/session", object{"email": adminEmail, "password": "another long password"})
		require.Empty(t, b.mails.texts, "nobody got no mail")
	})
}
