// Package inbound puts together what comes in from the outside world: forms, visits, bookings and payments.
package inbound

import (
	"context"
	"encoding/hex"
	"errors"

	"github.com/lejek/lejek/backend/bookings"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/forms"
	"github.com/lejek/lejek/backend/limits"
	"github.com/lejek/lejek/backend/payments"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/signed"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/visitors"
)

// Options are what the parts stand on.
type Options struct {
	DB      store.DB
	Clock   clock.Clock // business time
	Machine clock.Clock
	People  *people.People
	Reactor *events.Reactor
	Secret  []byte
	BaseURL string // of links, without a trailing slash
}

// Inbound are the parts.
type Inbound struct {
	Forms    *forms.Forms
	Visitors *visitors.Visitors
	Bookings *bookings.Bookings
	Payments *payments.Payments
	Limits   limits.Limits
	Key      signed.Key
}

// New puts them together.
func New(o Options) *Inbound {
	key, limited := signed.NewKey(o.Secret), limits.Limits{DB: o.DB, Machine: o.Machine}
	seen := &visitors.Visitors{DB: o.DB, Clock: o.Clock, People: o.People, Reactor: o.Reactor, Key: key}
	return &Inbound{
		Forms: &forms.Forms{
			DB: o.DB, Clock: o.Clock, Machine: o.Machine, People: o.People, Visitors: seen, Limits: limited, Key: key, BaseURL: o.BaseURL,
		},
		Visitors: seen,
		Bookings: &bookings.Bookings{DB: o.DB, Clock: o.Clock, People: o.People, Key: key, BaseURL: o.BaseURL},
		Payments: &payments.Payments{People: o.People, Reactor: o.Reactor},
		Limits:   limited, Key: key,
	}
}

// Address is a keyed hash of a network address, to count by.
func (i *Inbound) Address(ip string) string { return hex.EncodeToString(i.Key.Hash("ip", ip)) }

// Tidy forgets what nobody needs any more: full rate buckets, and anonymous visitors who have not been back.
func (i *Inbound) Tidy(ctx context.Context) error {
	return errors.Join(i.Limits.Prune(ctx), i.Visitors.Forget(ctx))
}
