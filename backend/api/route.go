package api

import (
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/lejek/lejek/backend/auth"
)

// defaultMaxBody is the largest body of a route that names no limit.
const defaultMaxBody = 1 << 20

// route is what the contract says about one operation besides its types.
type route struct {
	path       string // as Echo writes it, below /api/v1
	method     string
	operation  string
	permission auth.Permission
	public     bool
	maxBody    int64  // 0: defaultMaxBody
	body       string // media type; "" when it takes none
	secret     bool   // the answer holds a secret and is never kept
	stream     bool   // the answer does not end by itself
}

func (r route) limit() int64 {
	if r.maxBody == 0 {
		return defaultMaxBody
	}
	return r.maxBody
}

// writes says whether the operation may change something.
func (r route) writes() bool { return r.method != http.MethodGet }

// guarded hands routes to Echo with their guard around. It refuses a route the contract does not name, or gives neither a permission some
// role has nor x-public: deny by default.
type guarded struct {
	*echo.Group

	guard  func(route) echo.MiddlewareFunc
	byName map[string]route
	errs   *[]error
}

func routesByName() map[string]route {
	byName := make(map[string]route, len(routes))
	for _, r := range routes {
		byName[r.method+" "+r.path] = r
	}
	return byName
}

func (g guarded) add(method, path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) *echo.Route {
	r, known := g.byName[method+" "+path]
	switch {
	case !known:
		*g.errs = append(*g.errs, fmt.Errorf("%s %s is not in openapi.yaml", method, path))
	case r.public == (r.permission != ""), !r.public && !auth.KnownPermission(r.permission):
		*g.errs = append(*g.errs, fmt.Errorf("%s %s declares no permission that any role has", method, path))
	}
	return g.Add(method, path, h, append([]echo.MiddlewareFunc{g.guard(r)}, m...)...)
}

func (g guarded) GET(path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) *echo.Route {
	return g.add(http.MethodGet, path, h, m...)
}

func (g guarded) POST(path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) *echo.Route {
	return g.add(http.MethodPost, path, h, m...)
}

func (g guarded) PUT(path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) *echo.Route {
	return g.add(http.MethodPut, path, h, m...)
}

func (g guarded) PATCH(path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) *echo.Route {
	return g.add(http.MethodPatch, path, h, m...)
}

func (g guarded) DELETE(path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) *echo.Route {
	return g.add(http.MethodDelete, path, h, m...)
}
