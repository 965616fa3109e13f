package bookings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/signed"
	"github.com/lejek/lejek/backend/slug"
	"github.com/lejek/lejek/backend/store"
)

// Bookings keep resources and who has booked them.
type Bookings struct {
	DB      store.DB
	Clock   clock.Clock
	People  *people.People
	Key     signed.Key
	BaseURL string // of links, without a trailing slash
}

// Input is what a resource shall be. Slug "" is made of the name.
type Input struct {
	Slug          string
	Name          string
	Description   string
	Zone          string // "" is the workspace's
	Hours         Hours
	SlotMinutes   int
	BufferMinutes int
	NoticeMinutes int
	HorizonDays   int // zero is 60
}

const (
	maxName        = 200
	maxDescription = 2000
	usualHorizon   = 60
)

func (in *Input) check() error {
	wrong := in.Hours.check()
	no := func(path, format string, args ...any) {
		wrong = append(wrong, fault.Field{Path: path, Message: fmt.Sprintf(format, args...)})
	}
	in.Name = strings.TrimSpace(in.Name)
	if in.Name == "" || utf8.RuneCountInString(in.Name) > maxName {
		no("name", "Name what can be booked, in at most %d characters.", maxName)
	}
	if utf8.RuneCountInString(in.Description) > maxDescription {
		no("description", "The description is too long: at most %d characters.", maxDescription)
	}
	if zone, err := people.Zone(in.Zone); err != nil {
		no("zone", "%s.", err)
	} else {
		in.Zone = zone
	}
	if in.SlotMinutes < 5 || in.SlotMinutes > 1440 {
		no("slot_minutes", "A slot takes 5 to 1440 minutes.")
	}
	if in.BufferMinutes < 0 || in.BufferMinutes > 1440 {
		no("buffer_minutes", "The buffer takes 0 to 1440 minutes.")
	}
	if in.NoticeMinutes < 0 || in.NoticeMinutes > 525600 {
		no("notice_minutes", "The notice takes at most a year.")
	}
	if in.HorizonDays == 0 {
		in.HorizonDays = usualHorizon
	}
	if in.HorizonDays < 1 || in.HorizonDays > 366 {
		no("horizon_days", "Slots can be booked 1 to 366 days ahead.")
	}
	return fault.InvalidFields(wrong)
}

func noResource() error {
	return fault.New(fault.NotFound, "There is nothing of that name to book.")
}

// Resources are all that can be booked.
func (b *Bookings) Resources(ctx context.Context, workspace uuid.UUID) ([]store.Resource, error) {
	rows, err := store.Q.Resources(ctx, b.DB, workspace)
	return rows, fault.Wrap(err, "read resources")
}

// Resource is one, by its slug.
func (*Bookings) Resource(ctx context.Context, db store.DB, workspace uuid.UUID, slug string) (store.Resource, error) {
	row, err := store.Q.Resource(ctx, db, store.ResourceParams{WorkspaceID: workspace, Slug: slug})
	if errors.Is(err, pgx.ErrNoRows) {
		return row, noResource()
	}
	return row, fault.Wrap(err, "read a resource")
}

// Public is one by its id, as its page names it.
func (b *Bookings) Public(ctx context.Context, id uuid.UUID) (store.Resource, error) {
	row, err := store.Q.PublicResource(ctx, b.DB, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return row, noResource()
	}
	return row, fault.Wrap(err, "read a resource")
}

// URL is the public page of a resource.
func (b *Bookings) URL(resource uuid.UUID) string { return b.BaseURL + "/book/" + resource.String() }

// Create makes a resource.
func (b *Bookings) Create(ctx context.Context, tx store.Tx, workspace uuid.UUID, in Input) (store.Resource, error) {
	hours, err := b.prepare(ctx, tx, workspace, &in)
	if err != nil {
		return store.Resource{}, err
	}
	name := in.Slug
	if name == "" {
		name = slug.Of(in.Name, "resource")
	}
	for n := 1; ; n++ {
		try := name
		if n > 1 {
			try = fmt.Sprintf("%s-%d", name, n)
		}
		row, err := store.InTxV(ctx, tx, b.Clock, func(tx store.Tx) (store.Resource, error) {
			return store.Q.InsertResource(ctx, tx, store.InsertResourceParams{
				WorkspaceID: workspace, ID: store.NewID(), Slug: try, Name: in.Name, Description: in.Description, Zone: in.Zone, Hours: hours,
				SlotMinutes: int32(in.SlotMinutes), BufferMinutes: int32(in.BufferMinutes), NoticeMinutes: int32(in.NoticeMinutes),
				HorizonDays: int32(in.HorizonDays), Now: tx.Now,
			})
		})
		switch {
		case store.Violated(err) == "":
			return row, fault.Wrap(err, "make a resource")
		case in.Slug != "":
			return row, fault.New(fault.Conflict, "There is a resource %q already. Choose another short name.", in.Slug)
		}
	}
}

// Change replaces all but the slug.
func (b *Bookings) Change(ctx context.Context, tx store.Tx, workspace uuid.UUID, name string, in Input) (store.Resource, error) {
	hours, err := b.prepare(ctx, tx, workspace, &in)
	if err != nil {
		return store.Resource{}, err
	}
	row, err := store.Q.UpdateResource(ctx, tx, store.UpdateResourceParams{
		WorkspaceID: workspace, Slug: name, Name: in.Name, Description: in.Description, Zone: in.Zone, Hours: hours,
		SlotMinutes: int32(in.SlotMinutes), BufferMinutes: int32(in.BufferMinutes), NoticeMinutes: int32(in.NoticeMinutes),
		HorizonDays: int32(in.HorizonDays), Now: tx.Now,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return row, noResource()
	}
	return row, fault.Wrap(err, "change a resource")
}

func (*Bookings) prepare(ctx context.Context, tx store.Tx, workspace uuid.UUID, in *Input) (json.RawMessage, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	if in.Zone == "" {
		settings, err := store.Q.Workspace(ctx, tx, workspace)
		if err != nil {
			return nil, fault.Wrap(err, "read the workspace")
		}
		in.Zone = settings.Zone
	}
	if in.Hours == nil {
		in.Hours = Hours{}
	}
	hours, err := json.Marshal(in.Hours)
	return hours, fault.Wrap(err, "keep hours")
}

// Archive takes a resource out of use. Its bookings stand.
func (*Bookings) Archive(ctx context.Context, tx store.Tx, workspace uuid.UUID, name string) error {
	n, err := store.Q.ArchiveResource(ctx, tx, store.ArchiveResourceParams{WorkspaceID: workspace, Slug: name, Now: &tx.Now})
	if err == nil && n == 0 {
		return noResource()
	}
	return fault.Wrap(err, "archive a resource")
}
