package wording

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/engine"
)

// States of a variant. Of those only Waiting, Approved and Refused are kept; the others are read off.
const (
	Missing  = "missing"
	Live     = "live" // written when somebody needed it; nobody looked at it
	Waiting  = "waiting"
	Approved = "approved"
	Refused  = "refused"
)

// Desk is where people look at the texts of a funnel before they are sent.
type Desk struct {
	*Wording

	Tasks *tasks.Tasks
	Draft func(ctx context.Context, workspace, funnel uuid.UUID) (engine.Graph, error) // a funnel as it is drawn now
	Price func(ctx context.Context, workspace uuid.UUID) (Price, error)                // of the model that would be asked
}

// Price is US dollars for a million tokens; Known is false where nobody entered it.
type Price struct {
	In, Out float64
	Known   bool
}

// Variant is the text for one combination.
type Variant struct {
	ID       string
	Language string
	Values   map[string]any
	People   int
	Texts    map[string]string
	State    string
}

// Step is what the texts of one step come to.
type Step struct {
	Node     string
	Name     string
	Approved bool // it sends approved texts only
	Whole    bool // nobody knows who comes in: everybody is counted
	People   int
	Total    int            // combinations
	States   map[string]int // of those that were looked at, by state
	More     bool           // there are more than are looked at
	Widest   string         // the field with the most different values
	Calls    int            // of a model, at most, until everybody has a text
	In, Out  int            // tokens of those calls, about
	Cost     *float64       // US dollars, about; nil where nobody knows the price
	Variants []Variant
}

// Steps tell what the texts of a funnel come to now, with all their variants.
func (d *Desk) Steps(ctx context.Context, workspace, funnel uuid.UUID) ([]Step, error) {
	graph, err := d.Draft(ctx, workspace, funnel)
	if err != nil {
		return nil, err
	}
	price, err := d.Price(ctx, workspace)
	if err != nil {
		return nil, err
	}
	steps := []Step{}
	for _, writing := range engine.Writings(graph) {
		step, _, err := d.step(ctx, workspace, writing, audienceOf(graph))
		if err != nil {
			return nil, err
		}
		if price.Known {
			step.Cost = new((float64(step.In)*price.In + float64(step.Out)*price.Out) / 1e6)
		}
		steps = append(steps, step)
	}
	return steps, nil
}

func (d *Desk) step(ctx context.Context, workspace uuid.UUID, writing engine.Writing, who audience) (Step, []combination, error) {
	all, total, people, err := d.combinations(ctx, workspace, writing.Request, who)
	if err != nil {
		return Step{}, nil, err
	}
	known, err := d.rows(ctx, workspace, all)
	if err != nil {
		return Step{}, nil, err
	}
	s := Step{
		Node: writing.Node, Name: writing.Name, Approved: writing.Request.Approved, Whole: who.whole, People: people, Total: total,
		More: total > len(all), States: map[string]int{}, Variants: make([]Variant, 0, len(all)),
	}
	values := map[string]map[string]bool{}
	for _, c := range all {
		v := known[c.wish.key()]
		v.ID, v.Language, v.Values, v.People = c.wish.id(), c.wish.ask.Language, c.wish.ask.Attributes, c.people
		if v.State == "" {
			v.State = Missing
		}
		s.States[v.State]++
		s.Variants = append(s.Variants, v)
		if v.State == Missing {
			in, out := c.wish.ask.Tokens()
			s.Calls, s.In, s.Out = s.Calls+1, s.In+in, s.Out+out
		}
		for field, value := range v.Values {
			if values[field] == nil {
				values[field] = map[string]bool{}
			}
			values[field][fmt.Sprint(value)] = true
		}
	}
	if s.Calls > 0 && s.More { // what was not looked at is like what was
		beyond := total - len(all)
		s.In, s.Out = s.In+s.In/s.Calls*beyond, s.Out+s.Out/s.Calls*beyond
		s.Calls += beyond
	}
	for _, field := range writing.Request.Attributes {
		if len(values[field]) > max(1, len(values[s.Widest])) {
			s.Widest = field
		}
	}
	return s, all, nil
}

// id names a variant without telling a value.
func (w *wish) id() string { return hex.EncodeToString(w.hash[:8]) + hex.EncodeToString(w.about[:16]) }

// rows reads what stands in the table for combinations.
func (d *Desk) rows(ctx context.Context, workspace uuid.UUID, all []combination) (map[string]Variant, error) {
	hashes := make([][]byte, 0, 3)
	seen := map[string]bool{}
	for _, c := range all {
		if !seen[string(c.wish.hash)] {
			seen[string(c.wish.hash)] = true
			hashes = append(hashes, c.wish.hash)
		}
	}
	rows, err := d.DB.Query(ctx, "SELECT wish, about, vars, coalesce(review, '') FROM ai_texts WHERE workspace_id = $1 AND wish = ANY($2)", workspace, hashes)
	if err != nil {
		return nil, fmt.Errorf("read texts: %w", err)
	}
	defer rows.Close()
	known := map[string]Variant{}
	for rows.Next() {
		w := wish{workspace: workspace}
		var raw []byte
		var v Variant
		if err := rows.Scan(&w.hash, &w.about, &raw, &v.State); err != nil {
			return nil, fmt.Errorf("read a text: %w", err)
		}
		if raw != nil {
			if err := json.Unmarshal(raw, &v.Texts); err != nil {
				return nil, fmt.Errorf("read a text: %w", err)
			}
			if v.State == "" {
				v.State = Live
			}
		}
		known[w.key()] = v
	}
	return known, rows.Err()
}

// find is one step of a funnel with its combinations. The error is a fault when there is none.
func (d *Desk) find(ctx context.Context, workspace, funnel uuid.UUID, node string) (engine.Writing, Step, []combination, error) {
	graph, err := d.Draft(ctx, workspace, funnel)
	if err != nil {
		return engine.Writing{}, Step{}, nil, err
	}
	for _, writing := range engine.Writings(graph) {
		if writing.Node == node {
			step, all, err := d.step(ctx, workspace, writing, audienceOf(graph))
			return writing, step, all, err
		}
	}
	return engine.Writing{}, Step{}, nil, fault.New(fault.NotFound, "The funnel has no step %s that writes texts.", node)
}

// Judgement is what a human says of a text.
type Judgement struct {
	State string            // Approved, Refused or Waiting
	Texts map[string]string // nil leaves them as they are
	By    *uuid.UUID
}

// Judge keeps what a human says of one variant, with the texts as they changed them. A text nobody wrote yet can be written by hand.
func (d *Desk) Judge(ctx context.Context, workspace, funnel uuid.UUID, node, variant string, j Judgement) (Variant, error) {
	writing, step, all, err := d.find(ctx, workspace, funnel, node)
	if err != nil {
		return Variant{}, err
	}
	for i, v := range step.Variants {
		if v.ID != variant {
			continue
		}
		if j.Texts != nil {
			if v.Texts, err = handwritten(writing.Request, j.Texts); err != nil {
				return Variant{}, err
			}
		}
		if v.Texts == nil && j.State != Refused {
			return Variant{}, fault.InvalidField("texts", "Nobody has written this text yet. Write it, or have it written.")
		}
		v.State = j.State
		return v, d.keep(ctx, all[i].wish, v, j.By)
	}
	return Variant{}, fault.New(fault.NotFound, "No such text any more: the step or the people have changed. Load the texts anew.")
}

// handwritten judges texts of a human: as long as the step allows, and inert.
func handwritten(request engine.WriteRequest, texts map[string]string) (map[string]string, error) {
	fit := map[string]string{}
	for _, v := range request.Variables {
		text, refused := ai.Guard(texts[v.Name], v)
		switch refused {
		case "":
			fit[v.Name] = text
		case ai.RefusedMissing:
			return nil, fault.InvalidField("texts."+v.Name, "Write something for %s.", v.Name)
		case ai.RefusedLong:
			return nil, fault.InvalidField("texts."+v.Name, "%s has at most %d characters.", v.Name, v.Max)
		case ai.RefusedLinks:
			return nil, fault.InvalidField("texts."+v.Name, "No address may stand in %s. Allow links in the step, or put the link into the message.", v.Name)
		default:
			return nil, fault.InvalidField("texts."+v.Name, "%s holds signs that are no plain text, such as < or {{.", v.Name)
		}
	}
	return fit, nil
}

func (d *Desk) keep(ctx context.Context, w *wish, v Variant, by *uuid.UUID) error {
	var raw []byte
	if v.Texts != nil {
		var err error
		if raw, err = json.Marshal(v.Texts); err != nil {
			return fmt.Errorf("keep a text: %w", err)
		}
	}
	return store.InTx(ctx, d.DB, d.Clock, func(tx store.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO ai_texts AS t (workspace_id, wish, about, contact_id, vars, review, reviewed_by, reviewed_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
			ON CONFLICT (workspace_id, wish, about) DO UPDATE SET vars = coalesce(excluded.vars, t.vars), review = excluded.review, reviewed_by = excluded.reviewed_by,
				reviewed_at = excluded.reviewed_at, lease_until = NULL, rest_until = NULL`,
			w.workspace, w.hash, w.about, w.contact, raw, v.State, by, tx.Now)
		if err != nil {
			return fmt.Errorf("keep a text: %w", err)
		}
		return nil
	})
}

// ApproveAll approves every text of a step that waits for it, and tells how many.
func (d *Desk) ApproveAll(ctx context.Context, workspace, funnel uuid.UUID, node string, by *uuid.UUID) (int, error) {
	_, step, all, err := d.find(ctx, workspace, funnel, node)
	if err != nil {
		return 0, err
	}
	n := 0
	for i, v := range step.Variants {
		if v.State != Waiting {
			continue
		}
		v.State = Approved
		if err := d.keep(ctx, all[i].wish, v, by); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
