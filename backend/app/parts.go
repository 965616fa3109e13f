package app

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/lejek/lejek/backend/creative"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/engine"
)

// compiler is how funnels have their creatives made ready.
func compiler(ctx context.Context) funnels.Compile {
	ctx = context.WithoutCancel(ctx)
	return func(c engine.Creative) (funnels.Compiled, []engine.Problem, error) {
		artifact, problems, err := creative.Compile(ctx, c, creative.Options{})
		if err != nil {
			return funnels.Compiled{}, problems, err
		}
		raw, err := json.Marshal(artifact)
		if err != nil {
			return funnels.Compiled{}, problems, fmt.Errorf("keep a compiled creative: %w", err)
		}
		return funnels.Compiled{Hash: artifact.Hash, Artifact: raw}, problems, nil
	}
}

// aiName is the model that drafts funnels, "" for the planner that needs none.
func (a *App) aiName() string {
	if a.Config.AI.Key == "" {
		return ""
	}
	return a.Config.AI.Model
}

// registerMetrics adds what is not the API's own: the process, and the pool of connections.
func (a *App) registerMetrics(registry *prometheus.Registry) {
	registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "lejek_db_connections", Help: "Open connections to the database."}, func() float64 {
			return float64(a.Pool.Stat().TotalConns())
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "lejek_db_connections_in_use", Help: "Connections in use."}, func() float64 {
			return float64(a.Pool.Stat().AcquiredConns())
		}),
	)
}
