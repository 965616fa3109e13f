package api

import (
	"github.com/labstack/echo/v4"

	"github.com/lejek/lejek/backend/auth"
)

// Route is what tests may know of a route.
type Route struct {
	Method, Path, Operation string
	Permission              auth.Permission
	Public                  bool
	Body                    string
}

// Contract is the table of all routes of the contract.
func Contract() []Route {
	all := make([]Route, len(routes))
	for i, r := range routes {
		all[i] = Route{r.method, r.path, r.operation, r.permission, r.public, r.body}
	}
	return all
}

// EchoRoutes are the routes the server really answers.
func (s *Server) EchoRoutes() []*echo.Route { return s.echo.Routes() }

// AddUndeclared tries to add a route the contract does not name, and one with a permission nobody has.
func AddUndeclared(path string) []error {
	var errs []error
	g := guarded{
		Group: echo.New().Group(Prefix), byName: map[string]route{"GET /odd": {path: "/odd", method: "GET", permission: "odd.word"}, "GET /bare": {path: "/bare", method: "GET"}},
		guard: func(route) echo.MiddlewareFunc { return func(h echo.HandlerFunc) echo.HandlerFunc { return h } }, errs: &errs,
	}
	g.GET(path, func(echo.Context) error { return nil })
	return errs
}
