package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

type metrics struct {
	registry *prometheus.Registry
	seconds  *prometheus.HistogramVec
}

func newMetrics(registry *prometheus.Registry) *metrics {
	m := &metrics{registry: registry, seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "lejek_http_request_seconds", Help: "How long requests took, by route, method and status.",
		Buckets: []float64{.002, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
	}, []string{"route", "method", "status"})}
	registry.MustRegister(m.seconds)
	return m
}

// request counts one; what matches no route counts as one route, so that strangers do not make series.
func (m *metrics) request(route, method string, status int, took time.Duration) {
	if route == "" || status == http.StatusNotFound && method != http.MethodGet {
		route = "none"
	}
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
	default:
		method = "other"
	}
	m.seconds.WithLabelValues(route, method, strconv.Itoa(status)).Observe(took.Seconds())
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
