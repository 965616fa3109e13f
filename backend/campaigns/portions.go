package campaigns

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/segments"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// portion is how many people are written down in one transaction. Their rows are locked for its length.
const portion = 2000

// writePortions writes down who is in the audience, in a shuffled order that depends on the campaign and the person alone, and answers how
// many they are. It locks nobody.
func writePortions(ctx context.Context, tx store.Tx, workspace uuid.UUID, found *Campaign) (total int64, err error) {
	audience, err := audienceOf(ctx, tx, workspace, found.Name, &found.Document)
	if err != nil {
		return 0, err
	}
	args := audience.Args
	place := func(value any, sqlType string) string {
		args = append(args, value)
		return "$" + strconv.Itoa(len(args)) + "::" + sqlType
	}
	campaign, owner, size := place(found.ID, "uuid"), place(workspace, "uuid"), place(portion, "int")
	err = tx.QueryRow(ctx, `WITH audience AS (SELECT c.id, row_number() OVER (ORDER BY `+shuffled(campaign)+`) - 1 AS place FROM `+audience.From+` WHERE `+audience.Where+`),
		written AS (INSERT INTO campaign_portions (workspace_id, campaign_id, before, people)
			SELECT `+owner+`, `+campaign+`, place / `+size+` * `+size+`, array_agg(id ORDER BY place) FROM audience GROUP BY 3 RETURNING cardinality(people) AS people)
		SELECT coalesce(sum(people), 0) FROM written`, args...).Scan(&total)
	if err != nil {
		return 0, fmt.Errorf("find who is in the audience of campaign %s: %w", found.ID, err)
	}
	return total, nil
}

// shuffled orders people as the campaign whose id is in a place of a query seats them.
func shuffled(campaign string) string { return "md5(c.id::text || " + campaign + "::text), c.id" }

// audienceOf is a statement that finds who is in the audience of a document now, in a transaction made ready for it.
func audienceOf(ctx context.Context, tx store.Tx, workspace uuid.UUID, name string, d *Document) (found segments.Statement, err error) {
	home, err := homeZone(ctx, tx, workspace)
	if err != nil {
		return found, err
	}
	rule, problems := engine.DecodeRule(d.Audience.Rule())
	if len(problems) > 0 {
		return found, fault.New(fault.Invalid, "The audience of %q is not understood: %s", name, problems[0].Message)
	}
	predicate, err := segments.Compile(rule, tx.Now, engine.ZoneOf(home))
	if err != nil {
		return found, fault.New(fault.Invalid, "The audience of %q cannot be found: %s.", name, err)
	}
	if _, err := tx.Exec(ctx, "SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL jit = off"); err != nil {
		return found, fmt.Errorf("prepare to find an audience: %w", err)
	}
	return segments.Write(workspace, predicate), nil
}

func homeZone(ctx context.Context, tx store.Tx, workspace uuid.UUID) (home string, err error) {
	if err := tx.QueryRow(ctx, "SELECT zone FROM workspaces WHERE id = $1", workspace).Scan(&home); err != nil {
		return "", fmt.Errorf("read the workspace: %w", err)
	}
	return home, nil
}

// writePortion writes the next portion down, one row per person; more is false if there is none.
func writePortion(ctx context.Context, tx store.Tx, workspace uuid.UUID, found *Campaign) (written int64, more bool, err error) {
	var before int64
	var ids []uuid.UUID
	err = tx.QueryRow(ctx, `DELETE FROM campaign_portions WHERE workspace_id = $1 AND campaign_id = $2
			AND before = (SELECT min(before) FROM campaign_portions WHERE workspace_id = $1 AND campaign_id = $2) RETURNING before, people`, workspace, found.ID).Scan(&before, &ids)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("take a portion of the audience: %w", err)
	}
	people, err := present(ctx, tx, workspace, ids)
	if err != nil {
		return 0, false, err
	}
	home, err := homeZone(ctx, tx, workspace)
	if err != nil {
		return 0, false, err
	}
	rows := seated(found, before, people, home)
	tag, err := tx.Exec(ctx, `INSERT INTO campaign_recipients (workspace_id, campaign_id, contact_id, n, phase, variant, due_at, made)
		SELECT $1, $2, id, n, phase, variant, due, false FROM unnest($3::uuid[], $4::int[], $5::smallint[], $6::text[], $7::timestamptz[]) AS r (id, n, phase, variant, due)
		ON CONFLICT DO NOTHING`, workspace, found.ID, rows.ids, rows.places, rows.phases, rows.variants, rows.dues)
	if err != nil {
		return 0, false, fmt.Errorf("write down who receives campaign %s: %w", found.ID, err)
	}
	return tag.RowsAffected(), true, nil
}

// person is one of a portion, by place in it.
type person struct {
	K    int64
	ID   uuid.UUID
	Zone string
}

// present locks the people of a portion and answers them as they are now: of one who was merged into somebody meanwhile, that one.
func present(ctx context.Context, tx store.Tx, workspace uuid.UUID, ids []uuid.UUID) ([]person, error) {
	if _, err := tx.Exec(ctx, "SELECT FROM contacts WHERE workspace_id = $1 AND id = ANY($2) ORDER BY id FOR SHARE", workspace, ids); err != nil {
		return nil, fmt.Errorf("lock a portion of the audience: %w", err)
	}
	rows, err := tx.Query(ctx, `WITH RECURSIVE came (k, id) AS (
			SELECT k, id FROM unnest($2::uuid[]) WITH ORDINALITY AS p (id, k)
			UNION ALL SELECT came.k, c.merged_into FROM came JOIN contacts c ON c.workspace_id = $1 AND c.id = came.id WHERE c.merged_into IS NOT NULL)
		SELECT came.k, c.id, c.zone FROM came JOIN contacts c ON c.workspace_id = $1 AND c.id = came.id WHERE c.merged_into IS NULL ORDER BY came.k`, workspace, ids)
	if err != nil {
		return nil, fmt.Errorf("read a portion of the audience: %w", err)
	}
	people, err := pgx.CollectRows(rows, pgx.RowToStructByPos[person])
	if err != nil {
		return nil, fmt.Errorf("read a portion of the audience: %w", err)
	}
	return people, nil
}

// recipients are rows of campaign_recipients, column by column.
type recipients struct {
	ids      []uuid.UUID
	places   []int64
	phases   []int16
	variants []string
	dues     []time.Time
}

// seated gives the people of a portion their places, messages and times.
func seated(found *Campaign, before int64, people []person, home string) (rows recipients) {
	d, seats := &found.Document, found.Document.seats()
	trial := *found.Total
	if test := d.trial(*found.Total); test != nil {
		trial = test.People
	}
	dues := map[string]time.Time{}
	for _, p := range people {
		n := before + p.K
		phase, variant := int16(0), seats[(n-1)%int64(len(seats))]
		if n > trial {
			phase, variant = 1, ""
		}
		due, known := dues[p.Zone]
		if !known {
			if due = *found.FrozenAt; d.When.Mode == ModeLocal {
				if there := duesIn([]string{p.Zone}, d.When.At, home)[0]; there.After(due) {
					due = there
				}
			}
			dues[p.Zone] = due
		}
		rows.ids, rows.places, rows.phases = append(rows.ids, p.ID), append(rows.places, n), append(rows.phases, phase)
		rows.variants, rows.dues = append(rows.variants, variant), append(rows.dues, due)
	}
	return rows
}
