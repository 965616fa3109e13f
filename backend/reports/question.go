package reports

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
)

// What a report is split by.
const (
	ByNothing  = "total"
	ByFunnel   = "funnel"
	ByStep     = "step"
	ByVariant  = "variant"
	ByCampaign = "campaign"
	ByDomain   = "domain"
	ByProvider = "provider"
	ByChannel  = "channel"
	ByDay      = "day"
	ByHour     = "hour"
)

// Splits are all of them.
var Splits = []string{ByNothing, ByFunnel, ByStep, ByVariant, ByCampaign, ByDomain, ByProvider, ByChannel, ByDay, ByHour}

// DefaultWindow is how long after a message a goal is credited to it.
const DefaultWindow = 7 * 24 * time.Hour

// Question says what to count: messages that left in [From, To), and goals that were reached in it.
type Question struct {
	Workspace uuid.UUID
	From, To  time.Time
	By        string
	Zone      string        // whose days and hours; "" is UTC
	Currency  string        // of amounts without one
	Window    time.Duration // of conversions; 0 is DefaultWindow
	Funnel    *uuid.UUID    // only this one
	Channel   string        // only this one; "" is every
}

func (q Question) check() (Question, error) {
	if q.By == "" {
		q.By = ByNothing
	}
	if !slices.Contains(Splits, q.By) {
		return q, fault.InvalidField("by", "A report can be split by %s.", strings.Join(Splits, ", "))
	}
	if q.Zone == "" {
		q.Zone = "UTC"
	}
	if q.Window == 0 {
		q.Window = DefaultWindow
	}
	if _, err := time.LoadLocation(q.Zone); err != nil {
		return q, fault.InvalidField("zone", "%q is no time zone.", q.Zone).WithErr(err)
	}
	return q, nil
}

// Figures are the numbers of one line. Each message counts once in each, however often somebody opened it.
type Figures struct {
	Sent, Delivered, Opened, Clicked, Replied, Bounced, Complained, Unsubscribed int

	Converted int                // goals credited to its messages
	Revenue   map[string]float64 // of those goals, by currency
	Recovered int                // of them, carts that were left and came to an order after all
	Saved     map[string]float64 // revenue of those
}

// Undelivered left and did not arrive.
func (f Figures) Undelivered() int { return f.Sent - f.Delivered }

// Row is one line of a report. Key names it for machines; labels are the caller's.
type Row struct {
	Key string
	Figures
}

// Lines below which a line needs attention, once there are enough messages to say so.
const (
	EnoughSent     = 20
	DeliveredLine  = 0.98
	BounceLine     = 0.05
	ComplaintLine  = 0.001
	NeedsDelivered = "delivered"
	NeedsBounce    = "bounce"
	NeedsComplaint = "complaint"
)

// Needs names what is wrong with a line, the gravest first.
func (f Figures) Needs() []string {
	var needs []string
	if f.Sent < EnoughSent {
		return nil
	}
	share := func(n int) float64 { return float64(n) / float64(f.Sent) }
	if share(f.Complained) > ComplaintLine {
		needs = append(needs, NeedsComplaint)
	}
	if share(f.Bounced) > BounceLine {
		needs = append(needs, NeedsBounce)
	}
	if share(f.Delivered) < DeliveredLine {
		needs = append(needs, NeedsDelivered)
	}
	return needs
}

// add adds money in a currency.
func add(to *map[string]float64, currency string, amount float64) {
	if amount == 0 {
		return
	}
	if *to == nil {
		*to = map[string]float64{}
	}
	(*to)[currency] += amount
}
