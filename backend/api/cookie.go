package api

import (
	"net/http"

	"github.com/lejek/lejek/backend/auth"
)

// cookieName binds the cookie to this very host where https allows it.
func (d Deps) cookieName() string {
	if d.secure() {
		return "__Host-lejek_session"
	}
	return "lejek_session"
}

func (d Deps) sessionOf(request *http.Request) string {
	cookie, err := request.Cookie(d.cookieName())
	if err != nil {
		return ""
	}
	return cookie.Value
}

// setCookie is the header that keeps a session; an empty token ends it.
func (d Deps) setCookie(token string) string {
	cookie := http.Cookie{ //nolint:gosec // Secure where people come by https; without it a local installation could keep nobody signed in
		Name: d.cookieName(), Value: token, Path: "/", MaxAge: int(auth.SessionLife.Seconds()), HttpOnly: true, Secure: d.secure(),
		SameSite: http.SameSiteLaxMode,
	}
	if token == "" {
		cookie.MaxAge = -1
	}
	return cookie.String()
}
