package api

import (
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/campaigns"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/connections"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/drafts"
	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/inbound"
	"github.com/lejek/lejek/backend/outbox"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/preferences"
	"github.com/lejek/lejek/backend/receipts"
	"github.com/lejek/lejek/backend/replies"
	"github.com/lejek/lejek/backend/runner"
	"github.com/lejek/lejek/backend/segments"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/backend/tracking"
	"github.com/lejek/lejek/backend/webhooks"
	"github.com/lejek/lejek/backend/wording"
)

// Prefix is where the contract's routes live.
const Prefix = "/api/v1"

// Limits of a request, whatever its route.
const (
	headerLimit   = 10 * time.Second // to read the head of a request
	readLimit     = 60 * time.Second // to read all of it
	idleLimit     = 120 * time.Second
	handlerLimit  = 30 * time.Second // for an answer; streams have none
	maxHeaderSize = 32 << 10
)

// Deps are what the handlers stand on.
type Deps struct {
	DB        store.DB
	Clock     clock.Source // business time
	Machine   clock.Clock
	Auth      *auth.Auth
	People    *people.People
	Segments  *segments.Segments
	Campaigns *campaigns.Campaigns
	Outbox    *outbox.Outbox
	Funnels   *funnels.Funnels
	Runner    *runner.Runner

	Connections *connections.Connections
	Reports     *connections.Reports
	Receipts    *receipts.Sources
	Webhooks    *webhooks.Webhooks
	Mailboxes   *replies.Mailboxes
	Domains     *tracking.Domains
	Preferences *preferences.Preferences

	Reactor  *events.Reactor
	Delivery *delivery.Deliverer
	Tracking *tracking.Tracker
	Tasks    *tasks.Tasks
	Drafts   *drafts.Drafts
	Texts    *wording.Desk
	Inbound  *inbound.Inbound
	Nudge    func(kind string) // tells the pumps of this process that something became due; may be nil

	Logger  *slog.Logger
	BaseURL string // how people reach us; https makes cookies secure
	Web     http.Handler
	Ready   func() error // nil: the database decides alone

	AI string // model that drafts funnels, "" is offline

	TrustedProxies []netip.Prefix
	Metrics        *prometheus.Registry
}

// Server is the HTTP face. It is an http.Handler.
type Server struct {
	handlers

	echo    *echo.Echo
	web     http.Handler
	guards  *guards
	metrics *metrics

	patience *middleware.RateLimiterMemoryStore // with those who fetch pictures and links
}

// New builds the server. It refuses a route without a permission.
func New(deps Deps) (*Server, error) {
	if deps.Logger == nil {
		deps.Logger = slog.Default()
	}
	if deps.Metrics == nil {
		deps.Metrics = prometheus.NewRegistry()
	}
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.Binder = binder{}
	e.IPExtractor = ipExtractor(deps.TrustedProxies)
	server := &Server{echo: e, handlers: handlers{Deps: deps, draining: make(chan struct{})}, web: deps.Web, metrics: newMetrics(deps.Metrics)}
	server.guards = newGuards(deps)
	e.HTTPErrorHandler = server.problem
	e.Pre(server.observe)
	e.Use(recovered, server.headers(), compressed(), server.sameOrigin())

	_, err := promises()
	errs := []error{err}
	group := guarded{Group: e.Group(Prefix), guard: server.guards.around, byName: routesByName(), errs: &errs}
	RegisterHandlers(group, NewStrictHandler(&server.handlers, nil))
	server.outside()
	return server, errors.Join(errs...)
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.echo.ServeHTTP(w, r) }

// Drain ends the streams and says on /readyz that no new requests should come. Call it once, before the HTTP server is shut down.
func (s *Server) Drain() { close(s.draining) }

// compressed packs what is worth it; streams must reach the browser as they come.
func compressed() echo.MiddlewareFunc {
	return middleware.GzipWithConfig(middleware.GzipConfig{Level: 5, MinLength: 1024, Skipper: func(c echo.Context) bool {
		return strings.Contains(c.Request().Header.Get(echo.HeaderAccept), "text/event-stream") || strings.HasSuffix(c.Request().URL.Path, "/stream")
	}})
}

// HTTP is a server with the limits every request has.
func (s *Server) HTTP(addr string) *http.Server {
	return &http.Server{
		Addr: addr, Handler: s, ReadHeaderTimeout: headerLimit, ReadTimeout: readLimit, IdleTimeout: idleLimit,
		MaxHeaderBytes: maxHeaderSize, ErrorLog: slog.NewLogLogger(s.Logger.Handler(), slog.LevelDebug),
	}
}

// ipExtractor believes X-Forwarded-For only of the given networks; without any, the peer is the client.
func ipExtractor(trusted []netip.Prefix) echo.IPExtractor {
	if len(trusted) == 0 {
		return echo.ExtractIPDirect()
	}
	options := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, prefix := range trusted {
		options = append(options, echo.TrustIPRange(ipNet(prefix)))
	}
	return echo.ExtractIPFromXFFHeader(options...)
}

// secure says whether people reach us by https.
func (d Deps) secure() bool { return strings.HasPrefix(d.BaseURL, "https://") }
