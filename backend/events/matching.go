package events

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/engine"
)

// Matching are the people who fulfil a trigger of a funnel already: publishing may start them too.
type Matching struct {
	People int
	AtMost bool // so many that only the list and the tag were asked, not the filter
	Any    bool // the funnel has a trigger that one can fulfil already
}

const (
	matchingChunk = 300
	mostJudged    = 20_000 // people whose filter is asked while somebody waits for the answer
)

// matchingPeople are the next people by list, tag, segment and date whom re-entry does not keep out: nobody who is inside, and with once nobody who
// ever was.
const (
	matchingPeople = ` FROM contacts c
		WHERE c.workspace_id = $1 AND c.id > $2 AND (c.lists && $3::text[] OR c.tags && $4::text[] OR c.fields ?| $8::text[] OR $9 OR EXISTS (
			SELECT FROM segment_members m JOIN segments s ON s.workspace_id = m.workspace_id AND s.id = m.segment_id
			WHERE m.workspace_id = c.workspace_id AND m.contact_id = c.id AND m.since IS NOT NULL AND s.slug = ANY($7::text[]))) AND c.erased_at IS NULL AND c.merged_into IS NULL
		AND NOT EXISTS (SELECT FROM runs r WHERE r.workspace_id = c.workspace_id AND r.contact_id = c.id AND r.funnel_id = $5
			AND ($6 OR r.status IN ('active', 'paused', 'parked')))`
	listMatching  = "SELECT c.id" + matchingPeople + " ORDER BY c.id LIMIT $10"
	countMatching = "SELECT count(*)" + matchingPeople
)

// matchingArgs are the parameters but the limit. A date of the contact row itself is kept of everybody.
func matchingArgs(workspace, funnel, after uuid.UUID, plan *engine.Plan) []any {
	lists, tags, segments, dates, everybody := []string{}, []string{}, []string{}, []string{}, false
	for _, s := range plan.Standing() {
		switch {
		case s.List != "":
			lists = append(lists, s.List)
		case s.Segment != "":
			segments = append(segments, s.Segment)
		case s.Date != nil:
			dates = append(dates, s.Date.Field)
			everybody = everybody || s.Date.Field == "created_at" || s.Date.Field == "updated_at"
		default:
			tags = append(tags, s.Tag)
		}
	}
	rule := plan.Reentry().Rule
	once := rule == engine.ReentryOnce || rule == ""
	return []any{workspace, after, lists, tags, funnel, once, segments, dates, everybody}
}

func matching(ctx context.Context, db store.DB, workspace, funnel, after uuid.UUID, plan *engine.Plan, limit int) ([]uuid.UUID, error) {
	rows, err := db.Query(ctx, listMatching, append(matchingArgs(workspace, funnel, after, plan), limit)...)
	if err != nil {
		return nil, fmt.Errorf("find who matches: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("find who matches: %w", err)
	}
	return ids, nil
}

// CountMatching says how many people publishing this document could start. It locks nothing. A document that does not compile has
// nobody.
func (r *Reactor) CountMatching(ctx context.Context, db store.DB, now func() engine.Input, workspace, funnel uuid.UUID, bundle engine.Bundle) (Matching, error) {
	version, err := plans.Draft(bundle)
	if err != nil || len(version.Plan.Standing()) == 0 {
		return Matching{}, nil //nolint:nilerr // what is wrong with it the validator says
	}
	ids, err := matching(ctx, db, workspace, funnel, uuid.Nil, version.Plan, mostJudged+1)
	if err != nil {
		return Matching{}, err
	}
	if len(ids) > mostJudged {
		all := Matching{AtMost: true, Any: true}
		if err := db.QueryRow(ctx, countMatching, matchingArgs(workspace, funnel, uuid.Nil, version.Plan)...).Scan(&all.People); err != nil {
			return Matching{}, fmt.Errorf("count who matches: %w", err)
		}
		return all, nil
	}
	found := Matching{Any: true}
	in := now()
	for len(ids) > 0 {
		chunk := ids[:min(matchingChunk, len(ids))]
		ids = ids[len(chunk):]
		people, err := facts.Contacts(ctx, db, keysOf(workspace, chunk), facts.NoLock)
		if err != nil {
			return Matching{}, err
		}
		if err := facts.Fill(ctx, db, people, version.Needs); err != nil {
			return Matching{}, err
		}
		left, err := lastEnds(ctx, db, workspace, funnel, chunk, version.Plan.Reentry())
		if err != nil {
			return Matching{}, err
		}
		for _, person := range people {
			in.Contact = person.Contact
			event, ok := standing(version.Plan, person, in.Zone, in.Now)
			if !ok {
				continue
			}
			a := version.Plan.Admit(event, in)
			if a.Starts() && a.Reentry.Refuses(engine.Past{Last: left[person.Key.Contact]}, in.Now, engine.ZoneOf(person.Zone, in.Zone)) == "" {
				found.People++
			}
		}
	}
	return found, nil
}

// lastEnds are the instants people last left the funnel, where re-entry has a pause.
func lastEnds(ctx context.Context, db store.DB, workspace, funnel uuid.UUID, contacts []uuid.UUID, reentry engine.Reentry) (map[uuid.UUID]time.Time, error) {
	if reentry.Pause == nil {
		return nil, nil //nolint:nilnil // nobody is asked about
	}
	rows, err := db.Query(ctx, `SELECT contact_id, max(ended_at) FROM runs
		WHERE workspace_id = $1 AND funnel_id = $2 AND contact_id = ANY($3) AND ended_at IS NOT NULL GROUP BY contact_id`, workspace, funnel, contacts)
	if err != nil {
		return nil, fmt.Errorf("find who left lately: %w", err)
	}
	left := map[uuid.UUID]time.Time{}
	var contact [16]byte
	var at time.Time
	if _, err := pgx.ForEachRow(rows, []any{&contact, &at}, func() error { left[contact] = at; return nil }); err != nil {
		return nil, fmt.Errorf("find who left lately: %w", err)
	}
	return left, nil
}

// standing is the event of the first trigger that the person fulfils.
func standing(plan *engine.Plan, person *facts.Person, home string, now time.Time) (engine.Event, bool) {
	for _, s := range plan.Standing() {
		if s.Holds(&person.Contact, home, now) {
			return s.EventOf(&person.Contact, home, now), true
		}
	}
	return engine.Event{}, false
}

func keysOf(workspace uuid.UUID, contacts []uuid.UUID) []facts.Key {
	keys := make([]facts.Key, len(contacts))
	for i, contact := range contacts {
		keys[i] = facts.Key{Workspace: workspace, Contact: contact}
	}
	return keys
}

// MatchingKind is the task that starts a published version for the people who match already. Each person starts once by the
// occurrence publish:<version>, however often the task runs.
const MatchingKind = "funnel_start_matching"

// MatchingArgs are its arguments.
type MatchingArgs struct {
	Funnel  uuid.UUID `json:"funnel"`
	Version uuid.UUID `json:"version"`
}

// MatchingReport is its result and its checkpoint.
type MatchingReport struct {
	Started int       `json:"started"`
	Refused int       `json:"refused"` // by the filter, a goal already reached, or the funnel's pause
	After   uuid.UUID `json:"after"`   // people up to here are done
}

// MatchingTask is the kind for tasks.Register. nudge is called after each chunk; it may be nil.
func (r *Reactor) MatchingTask(nudge func(string)) tasks.Kind {
	return tasks.Kind{Name: MatchingKind, Label: "Starting the people who match now", Work: func(ctx context.Context, task *tasks.Run) (any, error) {
		var args MatchingArgs
		if err := task.Args(&args); err != nil {
			return nil, err
		}
		return tasks.Chunks[MatchingReport]{
			Next: func(ctx context.Context, tx store.Tx, done MatchingReport) (MatchingReport, bool, error) {
				return r.startChunk(ctx, tx, task.Task.WorkspaceID, args, done)
			},
			Progress: func(done MatchingReport) int64 { return int64(done.Started + done.Refused) },
			Committed: func() {
				if nudge != nil {
					nudge("wake")
				}
			},
		}.Work(ctx, task)
	}}
}

func (r *Reactor) startChunk(ctx context.Context, tx store.Tx, workspace uuid.UUID, args MatchingArgs, done MatchingReport) (MatchingReport, bool, error) {
	key := plans.Key{Workspace: workspace, Version: args.Version}
	versions, err := r.Plans.Get(ctx, tx, []plans.Key{key})
	if err != nil {
		return done, false, err
	}
	version := versions[key]
	if version == nil || version.Plan == nil {
		return done, true, nil
	}
	ids, err := matching(ctx, tx, workspace, args.Funnel, done.After, version.Plan, matchingChunk)
	if err != nil || len(ids) == 0 {
		return done, true, err
	}
	people, err := facts.Contacts(ctx, tx, keysOf(workspace, ids), facts.Block)
	if err != nil {
		return done, false, err
	}
	var home string
	if err := tx.QueryRow(ctx, "SELECT zone FROM workspaces WHERE id = $1", workspace).Scan(&home); err != nil {
		return done, false, fmt.Errorf("read the workspace's zone: %w", err)
	}
	batch := make([]*happening, 0, len(ids))
	for _, id := range ids {
		who := facts.Key{Workspace: workspace, Contact: id}
		person := people[who]
		if person == nil || person.Gone {
			continue
		}
		event, ok := standing(version.Plan, person, home, tx.Now)
		if !ok {
			continue
		}
		h := &happening{
			who: who, name: event.Name, at: tx.Now, arrived: tx.Now, source: SourceInternal, props: event.Props, only: args.Funnel,
			stands: "publish:" + args.Version.String(),
		}
		h.encode()
		batch = append(batch, h)
	}
	if err := r.react(ctx, tx, workspace, batch); err != nil {
		return done, false, err
	}
	for _, h := range batch {
		if len(h.done.Started) > 0 {
			done.Started++
		} else {
			done.Refused++
		}
	}
	done.After = ids[len(ids)-1]
	return done, len(ids) < matchingChunk, nil
}
