package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

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

// Settle works off everything that is due, tasks too, where no worker runs.
func (a *App) Settle(ctx context.Context) error {
	for {
		if err := a.Worker.Settle(ctx); err != nil {
			return err
		}
		done, err := a.Tasks.Settle(ctx)
		if err != nil || done == 0 {
			return err
		}
	}
}

// tidyEvery is how often what came in from outside and is over is forgotten.
const tidyEvery = time.Hour

// tidy forgets until ctx ends. Nothing depends on it but space.
func (a *App) tidy(ctx context.Context) error {
	ticker := time.NewTicker(tidyEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if err := errors.Join(a.Inbound.Tidy(ctx), a.Worker.Receipts.Forget(ctx), a.Worker.Webhooks.Forget(ctx)); err != nil && ctx.Err() == nil {
			a.logger.ErrorContext(ctx, "what came in and is over could not be forgotten; it is tried again in an hour", "error", err)
		}
	}
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
