package drafts

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/outgoing"
	"github.com/lejek/lejek/backend/seal"
)

// The places of endpoints.
const (
	Primary = "primary"
	Reserve = "reserve"
)

// Endpoint is an OpenAI-compatible endpoint of a workspace. Its key is never read back.
type Endpoint struct {
	Slot     string      `json:"slot"`
	BaseURL  string      `json:"base_url"`
	Model    string      `json:"model"`
	HasKey   bool        `json:"has_key"`
	Profile  *ai.Profile `json:"profile,omitempty"`
	TestedAt *time.Time  `json:"tested_at,omitempty"`
	PriceIn  *float64    `json:"price_in,omitempty"` // US dollars for a million tokens
	PriceOut *float64    `json:"price_out,omitempty"`
}

type endpointRow struct {
	Endpoint

	key     []byte
	updated time.Time
}

func (d *Drafts) endpoints(ctx context.Context, workspace uuid.UUID) ([]endpointRow, error) {
	rows, err := d.DB.Query(ctx, "SELECT slot, base_url, model, key, profile, tested_at, updated_at, price_in, price_out FROM ai_endpoints WHERE workspace_id = $1 ORDER BY slot", workspace)
	if err != nil {
		return nil, fmt.Errorf("read the endpoints: %w", err)
	}
	defer rows.Close()
	var all []endpointRow
	for rows.Next() {
		var e endpointRow
		var profile []byte
		if err := rows.Scan(&e.Slot, &e.BaseURL, &e.Model, &e.key, &profile, &e.TestedAt, &e.updated, &e.PriceIn, &e.PriceOut); err != nil {
			return nil, fmt.Errorf("read an endpoint: %w", err)
		}
		e.HasKey = len(e.key) > 0
		if len(profile) > 0 {
			e.Profile = new(ai.Profile)
			if err := json.Unmarshal(profile, e.Profile); err != nil {
				return nil, fmt.Errorf("read a profile: %w", err)
			}
		}
		all = append(all, e)
	}
	return all, rows.Err()
}

// Endpoints are the workspace's own, the primary first.
func (d *Drafts) Endpoints(ctx context.Context, workspace uuid.UUID) ([]Endpoint, error) {
	rows, err := d.endpoints(ctx, workspace)
	all := make([]Endpoint, 0, len(rows))
	for _, r := range rows {
		all = append(all, r.Endpoint)
	}
	return all, err
}

// EndpointInput is an endpoint as it is saved. A nil Key keeps the one there is.
type EndpointInput struct {
	BaseURL string
	Model   string
	Key     *string

	PriceIn, PriceOut *float64
}

const maxKey = 4096

func (in EndpointInput) check() error {
	target, err := outgoing.Target(strings.TrimSpace(in.BaseURL))
	switch {
	case err != nil:
		return fault.InvalidField("base_url", "This is no address of an endpoint: %s.", err.Error())
	case target.RawQuery != "" || target.Fragment != "":
		return fault.InvalidField("base_url", "Enter the address without what stands after ? or #, such as https://api.openai.com/v1.")
	case strings.TrimSpace(in.Model) == "" || len(in.Model) > 200:
		return fault.InvalidField("model", "Name the model to ask, such as gpt-4o-mini.")
	case !fair(in.PriceIn):
		return fault.InvalidField("price_in", "A price is US dollars for a million tokens, from 0 on.")
	case !fair(in.PriceOut):
		return fault.InvalidField("price_out", "A price is US dollars for a million tokens, from 0 on.")
	case in.Key != nil && len(*in.Key) > maxKey:
		return fault.InvalidField("key", "The key is longer than any key. Copy it anew.")
	}
	return nil
}

const maxPrice = 1e6

func fair(price *float64) bool { return price == nil || *price >= 0 && *price <= maxPrice }

func (d *Drafts) box() seal.Box { return seal.New(d.Keys.Or(d.Secret), purpose) }

const purpose = "lejek models"

// Sealed are the columns of secrets that are ours.
var Sealed = []seal.Column{{Table: "ai_endpoints", Column: "key", Purpose: purpose, Owner: "uuid_send(workspace_id) || convert_to(slot, 'UTF8')"}}

func owner(workspace uuid.UUID, slot string) []byte { return append(workspace[:], slot...) }

// SaveEndpoint keeps an endpoint.
func (d *Drafts) SaveEndpoint(ctx context.Context, workspace uuid.UUID, slot string, in EndpointInput) error {
	if err := in.check(); err != nil {
		return err
	}
	var key []byte
	if in.Key != nil && *in.Key != "" {
		var err error
		if key, err = d.box().Seal(owner(workspace, slot), strings.TrimSpace(*in.Key)); err != nil {
			return err
		}
	}
	// A key belongs to the host it was given for: another address does not get it.
	_, err := d.DB.Exec(ctx, `INSERT INTO ai_endpoints AS e (workspace_id, slot, base_url, model, key, updated_at, price_in, price_out) VALUES ($1, $2, $3, $4, $5, $6, $8, $9)
		ON CONFLICT (workspace_id, slot) DO UPDATE SET price_in = excluded.price_in, price_out = excluded.price_out, base_url = excluded.base_url, model = excluded.model, profile = NULL, tested_at = NULL, updated_at = excluded.updated_at,
		key = CASE WHEN $7 THEN excluded.key WHEN e.base_url = excluded.base_url THEN e.key END`,
		workspace, slot, strings.TrimSuffix(strings.TrimSpace(in.BaseURL), "/"), strings.TrimSpace(in.Model), key, d.Machine.Now(), in.Key != nil, in.PriceIn, in.PriceOut)
	if err != nil {
		return fmt.Errorf("keep an endpoint: %w", err)
	}
	return nil
}

// DropEndpoint removes an endpoint.
func (d *Drafts) DropEndpoint(ctx context.Context, workspace uuid.UUID, slot string) error {
	if _, err := d.DB.Exec(ctx, "DELETE FROM ai_endpoints WHERE workspace_id = $1 AND slot = $2", workspace, slot); err != nil {
		return fmt.Errorf("remove an endpoint: %w", err)
	}
	return nil
}

// SaveBudget keeps a budget.
func (d *Drafts) SaveBudget(ctx context.Context, workspace uuid.UUID, b Budget) error {
	if b.DayTokens < 0 || b.MonthTokens < 0 || b.UserMinute < 1 {
		return fault.InvalidField("day_tokens", "Limits are whole numbers from 0 on; a person may ask at least once a minute.")
	}
	_, err := d.DB.Exec(ctx, `INSERT INTO ai_budgets (workspace_id, models_off, day_tokens, month_tokens, user_minute, updated_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (workspace_id) DO UPDATE SET models_off = excluded.models_off, day_tokens = excluded.day_tokens, month_tokens = excluded.month_tokens,
		user_minute = excluded.user_minute, updated_at = excluded.updated_at`, workspace, b.ModelsOff, b.DayTokens, b.MonthTokens, b.UserMinute, d.Machine.Now())
	if err != nil {
		return fmt.Errorf("keep a budget: %w", err)
	}
	return nil
}

// testTime bounds a test of an endpoint.
const testTime = 20 * time.Second

// Test asks an endpoint a question or two and keeps what it found.
func (d *Drafts) Test(ctx context.Context, workspace uuid.UUID, slot, lang string) (ai.Profile, error) {
	rows, err := d.endpoints(ctx, workspace)
	if err != nil {
		return ai.Profile{}, err
	}
	for _, r := range rows {
		if r.Slot != slot {
			continue
		}
		key, err := d.box().Open(owner(workspace, slot), r.key)
		if err != nil {
			return ai.Profile{}, fault.New(fault.Conflict, "%s.", err.Error())
		}
		ctx, cancel := context.WithTimeout(ctx, testTime)
		defer cancel()
		found := ai.Probe(ctx, d.guarded(), ai.Provider{BaseURL: r.BaseURL, Key: key, Model: r.Model}, lang)
		raw, err := json.Marshal(found)
		if err != nil {
			return ai.Profile{}, fmt.Errorf("keep a profile: %w", err)
		}
		_, err = d.DB.Exec(context.WithoutCancel(ctx), "UPDATE ai_endpoints SET profile = $3, tested_at = $4 WHERE workspace_id = $1 AND slot = $2", workspace, slot, raw, d.Machine.Now())
		if err != nil {
			return ai.Profile{}, fmt.Errorf("keep a profile: %w", err)
		}
		return found, nil
	}
	return ai.Profile{}, fault.New(fault.NotFound, "There is no endpoint to test. Save one first.")
}

// guarded reaches public addresses, and networks the operator allows. The address is the workspace's word.
func (d *Drafts) guarded() *http.Client {
	client := httpClient()
	if transport, ok := client.Transport.(*http.Transport); ok {
		transport.Proxy = nil
		transport.DialContext = (&net.Dialer{Timeout: 5 * time.Second, Control: outgoing.Door{Allow: d.Allow, Ports: []uint16{80, 443, 8080, 8443}}.Control}).DialContext
	}
	return client
}

// Status is what somebody sees before they ask.
type Status struct {
	Engine    string             // the model that would be asked, or offline
	Why       string             // why no model would: no_key, off, quota
	Estimate  int                // tokens a draft takes about
	Words     int                // tokens the words of a message take at most
	Budget    Budget             //
	Spent     Spent              //
	Endpoints []ai.EndpointState // how they are now
}

// Status tells what a draft would be made with and what it may cost.
func (d *Drafts) Status(ctx context.Context, workspace uuid.UUID) (Status, error) {
	drafter, why, err := d.For(ctx, workspace)
	if err != nil {
		return Status{}, err
	}
	s := Status{Engine: ai.Offline, Why: why, Endpoints: drafter.States()}
	if s.Budget, err = d.Budget(ctx, workspace); err != nil {
		return Status{}, err
	}
	if s.Spent, err = d.Spent(ctx, workspace); err != nil {
		return Status{}, err
	}
	if len(s.Endpoints) > 0 {
		s.Engine, s.Estimate, s.Words = s.Endpoints[0].Model, ai.DraftTokens(""), ai.WordsTokens("")
		if s.Spent.Day+int64(s.Estimate) > s.Budget.DayTokens || s.Spent.Month+int64(s.Estimate) > s.Budget.MonthTokens {
			s.Why = "quota"
		}
	}
	return s, nil
}
