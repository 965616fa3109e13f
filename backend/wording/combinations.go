package wording

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/lejek/lejek/engine"
)

// maxCombinations is how many different combinations are looked at. Beyond it a funnel's texts cost what nobody wants to pay, and the count
// alone is told.
const maxCombinations = 2000

// combination is what some people have in common as far as a step's model may know it.
type combination struct {
	wish   *wish
	people int
}

// audience is who may come into a funnel, as far as its triggers tell: a condition on contacts c, with its arguments from $3 on.
type audience struct {
	where string
	args  []any
	whole bool // everybody: the triggers do not tell
}

// audienceOf reads whom the triggers of a graph can mean.
func audienceOf(g engine.Graph) audience {
	everybody := audience{where: "true", whole: true}
	var a audience
	var ways []string
	for _, n := range g.Nodes {
		if n.Kind != "entry" {
			continue
		}
		var c struct {
			Triggers []struct {
				Kind     string `json:"kind"`
				List     string `json:"list"`
				Tag      string `json:"tag"`
				Segment  string `json:"segment"`
				Audience string `json:"audience"`
			} `json:"triggers"`
		}
		if json.Unmarshal(n.Config, &c) != nil {
			return everybody
		}
		for _, t := range c.Triggers {
			kind, slug := "", ""
			switch t.Kind {
			case "list_join":
				kind, slug = "list", bare(t.List)
			case "tag_added":
				kind, slug = "tag", bare(t.Tag)
			case "segment_enter":
				kind, slug = "segment", bare(t.Segment)
			case "schedule":
				kind, slug, _ = strings.Cut(t.Audience, ":")
			}
			a.args = append(a.args, slug)
			place := fmt.Sprintf("$%d", len(a.args)+2)
			switch kind {
			case "list":
				ways = append(ways, "c.lists @> ARRAY["+place+"]::text[]")
			case "tag":
				ways = append(ways, "c.tags @> ARRAY["+place+"]::text[]")
			case "segment":
				ways = append(ways, "EXISTS (SELECT 1 FROM segment_members m JOIN segments s ON s.workspace_id = m.workspace_id AND s.id = m.segment_id"+
					" WHERE m.workspace_id = c.workspace_id AND m.contact_id = c.id AND m.since IS NOT NULL AND s.slug = "+place+")")
			default:
				return everybody
			}
		}
	}
	if len(ways) == 0 {
		return everybody
	}
	a.where = "(" + strings.Join(ways, " OR ") + ")"
	return a
}

func bare(ref string) string { return ref[strings.IndexByte(ref, ':')+1:] }

// combinations are the different wishes of a step over an audience, those of most people first, and how many there are in all.
func (w *Wording) combinations(ctx context.Context, workspace uuid.UUID, request engine.WriteRequest, who audience) (all []combination, total, people int, err error) {
	const known = `SELECT coalesce(nullif(c.language, ''), w.language) AS language,
			coalesce((SELECT jsonb_object_agg(k.key, k.value) FROM jsonb_each(c.fields || jsonb_strip_nulls(jsonb_build_object('first_name', nullif(c.first_name, ''),
				'last_name', nullif(c.last_name, ''), 'zone', nullif(c.zone, ''), 'language', nullif(c.language, ''), 'source', nullif(c.source, '')))) AS k
				WHERE k.key = ANY($2::text[]) AND k.value <> 'null'), '{}') AS fields, min(c.id::text) AS one, count(*) AS people
		FROM contacts c JOIN workspaces w ON w.id = c.workspace_id WHERE c.workspace_id = $1 AND c.erased_at IS NULL AND c.merged_into IS NULL AND `
	args := append([]any{workspace, request.Attributes}, who.args...)
	sql := fmt.Sprintf(`WITH known AS MATERIALIZED (%s%s GROUP BY 1, 2)
		SELECT language, fields, one, people, (SELECT count(*) FROM known), (SELECT coalesce(sum(people), 0) FROM known) FROM known ORDER BY people DESC, language, fields LIMIT %d`,
		known, who.where, maxCombinations)
	rows, err := w.DB.Query(ctx, sql, args...)
	if err != nil {
		return nil, 0, 0, fmt.Errorf("count combinations: %w", err)
	}
	defer rows.Close()
	at, doubles := map[string]int{}, 0
	for rows.Next() {
		var language, one string
		var raw []byte
		var n int
		if err := rows.Scan(&language, &raw, &one, &n, &total, &people); err != nil {
			return nil, 0, 0, fmt.Errorf("read a combination: %w", err)
		}
		fields := map[string]any{}
		if err := json.Unmarshal(raw, &fields); err != nil {
			return nil, 0, 0, fmt.Errorf("read a combination: %w", err)
		}
		wanted, err := w.wish(workspace, request, language, fields)
		if err != nil {
			return nil, 0, 0, err
		}
		if i, ok := at[wanted.key()]; ok { // alike but for white space
			all[i].people += n
			all[i].wish.contact = nil
			doubles++
			continue
		}
		if n == 1 {
			id, err := uuid.Parse(one)
			if err != nil {
				return nil, 0, 0, fmt.Errorf("read a combination: %w", err)
			}
			wanted.contact = &id // a text about one alone goes with them
		}
		at[wanted.key()] = len(all)
		all = append(all, combination{wanted, n})
	}
	if err := rows.Err(); err != nil {
		return nil, 0, 0, fmt.Errorf("read combinations: %w", err)
	}
	return all, total - doubles, people, nil
}
