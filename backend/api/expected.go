package api

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/workspaces"
	"github.com/lejek/lejek/engine"
)

// expected is what the last weeks let expect of a document.
func (h *handlers) expected(ctx context.Context, document funnels.Document) (*Expected, error) {
	home, err := workspaces.Get(ctx, h.DB, workspace(ctx))
	if err != nil {
		return nil, err
	}
	channels := marketingChannels(document)
	found, err := h.Reactor.Expect(ctx, h.DB, engine.Input{Now: h.Clock.Now(), Zone: home.Zone}, workspace(ctx), document.Bundle(nil), channels, home.AllowUnknownConsent)
	if err != nil || found == nil {
		return nil, err
	}
	out := &Expected{
		Days: found.Days, Events: found.Events, StartsPerDay: float32(found.PerDay), Quiet: len(*toQuietHours(home.QuietHours)) > 0,
		Channels: each(found.Reachable, func(r events.Reachable) ExpectedChannel {
			return ExpectedChannel{Channel: r.Channel, People: r.People, May: r.May}
		}),
	}
	for _, node := range document.Graph.Nodes {
		out.Quiet = out.Quiet || node.Kind == "quiet_hours"
	}
	return out, nil
}

// marketingChannels are the channels a document sends marketing by, sorted.
func marketingChannels(document funnels.Document) []string {
	channels := []string{}
	for _, node := range document.Graph.Nodes {
		var config struct {
			Creative string `json:"creative"`
			Class    string `json:"class"`
		}
		if json.Unmarshal(node.Config, &config) != nil || config.Class == string(engine.ClassTransactional) {
			continue
		}
		if slug, ok := strings.CutPrefix(config.Creative, "creative:"); ok {
			if channel := document.Creatives[slug].Channel; channel != "" && !slices.Contains(channels, channel) {
				channels = append(channels, channel)
			}
		}
	}
	slices.Sort(channels)
	return channels
}
