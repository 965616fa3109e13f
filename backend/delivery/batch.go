package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/handover"
	"github.com/lejek/lejek/backend/mailwire"
	"github.com/lejek/lejek/backend/providers"
	"github.com/lejek/lejek/backend/pump"
)

const (
	// accountPause is how long all workers leave an account alone that cannot be reached.
	accountPause = 30 * time.Second
	maxBatch     = 500
	// fewest is how many messages a batch has at least if there are as many: most of its time is the network's, and each statement serves all.
	fewest = 400
	// patience is how long a drain waits for a batch. A provider that takes longer keeps the batch, not the slot of the pump.
	patience = time.Second
)

// drainAccounts works on one batch of each account at the same time.
func (d *Deliverer) drainAccounts(ctx context.Context, due []provider, batch pump.Batch) (sum pump.Drained, err error) {
	type end struct {
		drained pump.Drained
		err     error
	}
	ends := make(chan end, len(due))
	begun := 0
	for _, p := range due {
		if batch.Paced && d.resting(p.id, batch.Lane) {
			continue
		}
		account, err := d.open(ctx, p)
		if err != nil {
			d.Logger.ErrorContext(ctx, "an account cannot be opened", "provider", p.id, "error", err)
			if err := pauseAccount(ctx, d.DB, p.bucket(), d.Machine.Now().Add(accountPause), clip(err.Error())); err != nil {
				return sum, err
			}
			continue
		}
		select {
		case account.turns <- struct{}{}:
		default:
			continue // as much of it as may be is in hand
		}
		if !d.enter() {
			<-account.turns
			break // the process ends
		}
		begun++
		go func() {
			defer d.leave()
			defer func() { <-account.turns }()
			drained, err := d.drainAccount(ctx, p, account, batch)
			ends <- end{drained, err}
		}()
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for range begun {
		select {
		case e := <-ends:
			sum.Rows += e.drained.Rows
			sum.Busy += e.drained.Busy
			if e.err != nil && err == nil {
				err = e.err
			}
		case <-timer.C:
			return sum, err // they go on by themselves
		}
	}
	return sum, err
}

// drainAccount sends one batch of an account: at most one second of what it may send.
func (d *Deliverer) drainAccount(ctx context.Context, p provider, a *account, batch pump.Batch) (pump.Drained, error) {
	ctx = context.WithoutCancel(ctx) // it has limits of its own, and goes on when the pump does not wait
	want := min(max(batch.Limit, fewest), p.rate.perSecond, maxBatch)
	trying := false
	if p.outage != nil {
		moved, err := d.failOver(ctx, p, batch.Lane)
		if err != nil || moved > 0 {
			return pump.Drained{Rows: int(moved)}, err
		}
		if trying, err = d.probe(ctx, p); err != nil || !trying {
			now := d.Machine.Now()
			a.rest(batch.Lane, now, now.Add(longestRest))
			return pump.Drained{}, err
		}
		want = 1
	}
	drained, tried, err := d.send(ctx, p, a, batch.Lane, want, trying)
	if trying && !tried && err == nil {
		err = d.unprobed(ctx, p)
	}
	return drained, err
}

func (d *Deliverer) send(ctx context.Context, p provider, a *account, lane, want int, trying bool) (drained pump.Drained, tried bool, err error) {
	if want, err = d.queued(ctx, p, lane, want); err != nil || want == 0 {
		return drained, false, err
	}
	granted, again, err := d.grant(ctx, p, lane, want)
	a.rest(lane, d.Machine.Now(), again)
	if err != nil || granted == 0 {
		return drained, false, err
	}
	d.renewList()
	d.listed.RLock()
	defer d.listed.RUnlock()
	began := d.Machine.Now()
	letters, drained, err := d.begin(ctx, p, lane, granted)
	if err != nil || len(letters) == 0 {
		return drained, false, joined(err, d.giveBack(ctx, p, lane, granted))
	}
	failpoint.Hit("delivery.before_send")
	said := d.give(ctx, a, letters, began)
	failpoint.Hit("delivery.after_send")
	unused := granted - len(letters)
	for _, l := range letters {
		if l.result.Verdict == mailwire.Unbegun {
			unused++
		}
	}
	if err := d.finish(ctx, letters); err != nil {
		d.keepList.Store(true)
		return drained, true, err
	}
	return drained, true, joined(d.giveBack(ctx, p, lane, unused), d.learn(ctx, p, a, said, letters, trying))
}

// renewList begins the list of hand-overs anew when it is long and nothing is in hand.
func (d *Deliverer) renewList() {
	worth, must := d.list.Long()
	if !must && (!worth || !d.listed.TryLock()) {
		return
	}
	if must {
		d.listed.Lock()
	}
	defer d.listed.Unlock()
	if d.keepList.Load() {
		return
	}
	if err := d.list.Renew(d.Worker); err != nil {
		d.Logger.Warn("the list of hand-overs could not begin anew", "error", err)
	}
}

// give hands the letters to the provider, and tells what the worst of it says of the account. Nothing is begun so late that its result
// could come after the lease.
func (d *Deliverer) give(ctx context.Context, a *account, letters []*letter, began time.Time) (said *result) {
	parcels := make([]providers.Parcel, len(letters))
	for i, l := range letters {
		parcels[i] = l.parcel()
	}
	// A child of the process's end: once Stop has returned, nothing more is begun.
	sending, cancel := context.WithTimeout(d.stopping, d.Lease/2-d.Machine.Now().Sub(began))
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	worst := make(chan result, 1)
	outcomes := a.adapter.Send(sending, parcels, providers.Progress{
		Begun: func(i int) { d.list.Begun(letters[i].id) },
		Ended: func(i int, o providers.Outcome) {
			d.list.Ended(letters[i].id, handover.Answer{Verdict: int(o.Verdict), Code: o.Code, ID: o.ID})
			r := result{o}
			if a.window.note(d.Machine.Now(), r) || o.Settings || o.Slow {
				select {
				case worst <- r:
				default:
				}
				cancel()
			}
		},
	})
	for i, o := range outcomes {
		letters[i].result = result{o}
		if said == nil && (o.Settings || o.Slow || o.Account && o.Verdict == mailwire.Postponed) {
			said = &letters[i].result
		}
	}
	select {
	case r := <-worst:
		return &r
	default:
		return said
	}
}

// learn draws the conclusions about an account from what it said.
func (d *Deliverer) learn(ctx context.Context, p provider, a *account, said *result, letters []*letter, trying bool) error {
	switch {
	case said == nil:
		if trying {
			a.window.clear()
			return d.recovered(ctx, p)
		}
		return d.forget(ctx, letters)
	case said.Settings:
		return d.shut(ctx, p, said.Code+" "+said.Detail, true)
	case said.Slow:
		now := d.Machine.Now()
		err := pauseAccount(ctx, d.DB, p.bucket(), now.Add(max(clampAfter(said.After), time.Second)), clip("too fast: "+said.Code))
		return joined(err, slowDown(ctx, d.DB, p.bucket(), now), d.unprobed(ctx, p))
	}
	a.window.clear()
	err := d.shut(ctx, p, said.Code+" "+said.Detail, false)
	return joined(err, pauseAccount(ctx, d.DB, p.bucket(), d.Machine.Now().Add(accountPause), clip("not reachable: "+said.Code)))
}

// forget removes devices that are no more.
func (d *Deliverer) forget(ctx context.Context, letters []*letter) error {
	for _, l := range letters {
		if len(l.result.Gone) == 0 {
			continue
		}
		_, err := d.DB.Exec(ctx, "DELETE FROM devices WHERE workspace_id = $1 AND contact_id = $2 AND token = ANY($3)", l.workspace, l.contact, l.result.Gone)
		if err != nil {
			return fmt.Errorf("forget a device: %w", err)
		}
	}
	return nil
}

// maxAfter is the longest a provider may ask to be left alone, before we look again.
const maxAfter = 24 * time.Hour

func clampAfter(after time.Duration) time.Duration { return min(max(after, 0), maxAfter) }
