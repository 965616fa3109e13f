package e2e

import (
	"net/http"
	"path"

	"github.com/stretchr/testify/require"
)

// join makes somebody a member of the workspace, with the password every person of these journeys has.
func (w *World) join(role, name, email string) {
	w.t.Helper()
	invited := struct{ URL string }{}
	w.asOwner(http.MethodPost, "/invitations", object{"email": email, "role": role}, &invited)
	token := path.Base(invited.URL)
	w.stranger(http.MethodPost, "/invitations/accept/"+token, object{"name": name, "password": password, "language": "en"})
}

// stranger asks the API without being anybody, and answers the session that opens.
func (w *World) stranger(method, route string, body any) string {
	w.t.Helper()
	token, session := w.token, w.Session
	w.token, w.Session = "", ""
	defer func() { w.token, w.Session = token, session }()
	for _, cookie := range w.call(method, route, body, nil) {
		if cookie.Name == "lejek_session" {
			return cookie.Value
		}
	}
	require.Fail(w.t, "no session opened")
	return ""
}

// as is the browser of a member.
func (w *World) as(email string) *Page {
	w.t.Helper()
	session := w.stranger(http.MethodPost, "/session", object{"email": email, "password": password})
	other := *w
	other.Session = session
	return other.Open(Screen{})
}

// object is JSON for the API.
type object = map[string]any
