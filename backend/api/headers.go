package api

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/fault"
)

// policy of our pages: scripts and connections from ourselves only. Styles may be inline, because components and previews of mails carry them;
// pictures may come from anywhere by https, because mails show them.
const policy = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob: https:; font-src 'self' data:; " +
	"connect-src 'self'; frame-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// headers are what every answer carries.
func (s *Server) headers() echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			header := c.Response().Header()
			header.Set("X-Content-Type-Options", "nosniff")
			header.Set("Referrer-Policy", "same-origin")
			header.Set("Content-Security-Policy", policy)
			header.Set("X-Frame-Options", "DENY")
			header.Set("Cross-Origin-Opener-Policy", "same-origin")
			header.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
			if s.secure() {
				header.Set("Strict-Transport-Security", "max-age=31536000")
			}
			if strings.HasPrefix(c.Request().URL.Path, Prefix) {
				header.Set("Cache-Control", "no-store")
			}
			return next(c)
		}
	}
}

// eventsPath is the one address other sites' pages may write to, with a key made for that.
const eventsPath = Prefix + "/events"

// sameOrigin refuses a browser's write from another site. A request with a token needs no such wall: browsers never add one by themselves. Neither
// do the addresses in mails: their token is the whole right, and mail programs post to them.
func (s *Server) sameOrigin() echo.MiddlewareFunc {
	protection := http.NewCrossOriginProtection()
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			request := c.Request()
			if request.URL.Path == eventsPath && crossSite(c) {
				return c.NoContent(http.StatusNoContent)
			}
			if request.Header.Get(echo.HeaderAuthorization) != "" || strings.HasPrefix(request.URL.Path, "/u/") || judgesOrigin(request.URL.Path) {
				return next(c)
			}
			if err := protection.Check(request); err != nil {
				return fault.New(fault.Forbidden, "This request came from another site and was refused.").WithErr(err)
			}
			return next(c)
		}
	}
}

// crossSite lets pages of other sites send events with a pub key, and says whether this was only the browser's question. No cookie takes part: a
// browser sends none where Allow-Credentials is missing, and a wildcard forbids it.
func crossSite(c echo.Context) (preflight bool) {
	request, header := c.Request(), c.Response().Header()
	asked := request.Method == http.MethodOptions && request.Header.Get("Access-Control-Request-Method") == http.MethodPost
	withKey := strings.HasPrefix(request.Header.Get(echo.HeaderAuthorization), "Bearer "+auth.PubPrefix)
	if !asked && !withKey {
		return false
	}
	header.Set("Access-Control-Allow-Origin", "*")
	if asked {
		header.Set("Access-Control-Allow-Methods", http.MethodPost)
		header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key")
		header.Set("Access-Control-Max-Age", "86400")
	}
	return asked
}
