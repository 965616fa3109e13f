package drafts

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/lejek/lejek/ai"
)

// Metrics count the calls of models for /metrics. Endpoints of workspaces are one, "own": their names are the workspaces' word.
type Metrics struct {
	calls, tokens *prometheus.CounterVec
	seconds       *prometheus.HistogramVec
	known         map[string]bool // models of the installation, by host and model
}

// NewMetrics registers them. The drafter is the installation's, whose breakers are told too.
func NewMetrics(registry prometheus.Registerer, drafter *ai.Drafter) *Metrics {
	m := &Metrics{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "lejek_ai_calls_total", Help: "Requests to models, by what for, model, and ok or why there was no answer.",
		}, []string{"op", "model", "outcome"}),
		tokens: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "lejek_ai_tokens_total", Help: "Tokens of requests to models and of their answers."}, []string{"op", "model", "direction"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "lejek_ai_call_seconds", Help: "How long requests to models took.", Buckets: []float64{.1, .25, .5, 1, 2.5, 5, 10, 25, 60},
		}, []string{"op", "model"}),
		known: map[string]bool{},
	}
	for _, e := range drafter.States() {
		m.known[e.Host+" "+e.Model] = true
	}
	registry.MustRegister(m.calls, m.tokens, m.seconds, breakers{drafter})
	return m
}

func (m *Metrics) count(c ai.Call, took time.Duration) {
	if m == nil {
		return
	}
	model := "own"
	if m.known[c.Host+" "+c.Model] {
		model = c.Model
	}
	m.calls.WithLabelValues(c.Op, model, c.Outcome).Inc()
	m.tokens.WithLabelValues(c.Op, model, "in").Add(float64(c.TokensIn))
	m.tokens.WithLabelValues(c.Op, model, "out").Add(float64(c.TokensOut))
	m.seconds.WithLabelValues(c.Op, model).Observe(took.Seconds())
}

// breakers tell how the installation's endpoints are when they are asked.
type breakers struct{ drafter *ai.Drafter }

var (
	breakerState = prometheus.NewDesc("lejek_ai_breaker_open", "1 while the breaker of the installation's model is open, 0.5 half-open, 0 closed.", []string{"model", "host"}, nil)
	restingState = prometheus.NewDesc("lejek_ai_endpoint_resting", "1 while the installation's model is left alone: it asked for a pause, or refused the key.", []string{"model", "host"}, nil)
)

// Describe implements prometheus.Collector.
func (b breakers) Describe(to chan<- *prometheus.Desc) {
	to <- breakerState
	to <- restingState
}

// Collect implements prometheus.Collector.
func (b breakers) Collect(to chan<- prometheus.Metric) {
	seen := map[string]bool{}
	for _, e := range b.drafter.States() {
		if seen[e.Host+" "+e.Model] {
			continue // the reserve is the same one
		}
		seen[e.Host+" "+e.Model] = true
		to <- prometheus.MustNewConstMetric(breakerState, prometheus.GaugeValue, map[string]float64{"open": 1, "half-open": .5}[e.Breaker], e.Model, e.Host)
		resting := 0.
		if e.Resting {
			resting = 1
		}
		to <- prometheus.MustNewConstMetric(restingState, prometheus.GaugeValue, resting, e.Model, e.Host)
	}
}
