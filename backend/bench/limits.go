package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/store"
)

// LimitsOptions size the measurement; the zero value is a scaled one. Full is the design's: it takes more than an hour.
type LimitsOptions struct {
	Full    bool
	Workers int // 0 is 4
}

// LimitsResult is how limits hold among several worker processes.
type LimitsResult struct {
	HourlyMinutes float64 `json:"hourly_minutes"` // 180,000 mails under 200,000 an hour; scaled up if fewer were sent
	HourlyPeak    float64 `json:"hourly_peak"`    // the most mails of 30 seconds in a row, as a rate an hour
	FreeMinutes   float64 `json:"free_minutes"`   // 180,000 mails without a limit of an hour
	SharedIn60s   int     `json:"shared_in_60s"`  // mails in the first 60 seconds at ten a second
	UrgentMS      float64 `json:"urgent_ms"`      // the slowest of ten transactional mails while a campaign waits
	Sent          int     `json:"sent"`           // how many mails the first measurement had
}

const (
	campaignMails = 180_000
	hourlyLimit   = 200_000
	urgentMails   = 10
)

// Limits measures four workers that share one account.
func Limits(ctx context.Context, options LimitsOptions, progress io.Writer) (result LimitsResult, err error) {
	options.Workers = cmp.Or(options.Workers, 4)
	hourly, free, waiting := 3000, 20_000, 5000
	if options.Full {
		hourly, free, waiting = campaignMails, campaignMails, 50_000
	}
	p, err := openPost(ctx, max(hourly, free, waiting), delivery.SMTPSettings{PerSecond: 10_000}, progress)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, p.close(context.WithoutCancel(ctx))) }()
	var counted SendResult
	report, err := p.limited(ctx, "Without a limit", free, options.Workers, 10_000, 0, &counted)
	if err != nil {
		return result, err
	}
	result.FreeMinutes = report.Last.Sub(report.First).Minutes() * campaignMails / float64(free)
	if report, err = p.limited(ctx, "200,000 an hour", hourly, options.Workers, 10_000, hourlyLimit, &counted); err != nil {
		return result, err
	}
	result.Sent = report.Mails
	result.HourlyMinutes = report.Last.Sub(report.First).Minutes() * campaignMails / float64(hourly)
	result.HourlyPeak = float64(peak(report, 30)) * 120
	if report, err = p.limited(ctx, "10 a second", 640, options.Workers, 10, 0, &counted); err != nil {
		return result, err
	}
	for second, n := range report.Seconds {
		if second < report.First.Unix()+60 {
			result.SharedIn60s += n
		}
	}
	if counted.Lost+counted.Doubled > 0 {
		return result, fmt.Errorf("%d lost, %d doubled", counted.Lost, counted.Doubled)
	}
	result.UrgentMS, err = p.urgent(ctx, waiting, options.Workers)
	return result, err
}

// peak is the most mails in so many seconds in a row.
func peak(report SinkReport, seconds int64) (most int) {
	for from := range report.Seconds {
		sum := 0
		for s := from; s < from+seconds; s++ {
			sum += report.Seconds[s]
		}
		most = max(most, sum)
	}
	return most
}

func (p *post) limit(ctx context.Context, perSecond, perHour int) error {
	_, err := p.db.Pool.Exec(ctx, "UPDATE providers SET per_second = $2, per_hour = nullif($3, 0), revision = revision + 1 WHERE workspace_id = $1", p.workspace, perSecond, perHour)
	if err != nil {
		return fmt.Errorf("set the limits: %w", err)
	}
	p.perHour = perHour
	_, err = p.db.Pool.Exec(ctx, "DELETE FROM rate_buckets")
	return err
}

// limited sends a campaign under limits and answers what the mail server saw.
func (p *post) limited(ctx context.Context, name string, n, workers, perSecond, perHour int, counted *SendResult) (SinkReport, error) {
	if err := p.limit(ctx, perSecond, perHour); err != nil {
		return SinkReport{}, err
	}
	if _, err := p.campaign(ctx, name, n, workers, 0, nil, counted); err != nil {
		return SinkReport{}, err
	}
	return p.sink.ask("report")
}

// urgent is how many milliseconds the slowest of a few transactional mails took while a campaign's mails waited.
func (p *post) urgent(ctx context.Context, waiting, workers int) (slowest float64, err error) {
	if err := p.limit(ctx, 50, 0); err != nil {
		return 0, err
	}
	if _, err := p.sink.ask("forget"); err != nil {
		return 0, err
	}
	if _, err := p.queue(ctx, "Waiting", waiting, 2, "marketing"); err != nil {
		return 0, err
	}
	if err := p.man(ctx, workers); err != nil {
		return 0, err
	}
	err = p.await(ctx, time.Minute, func() (bool, error) {
		report, err := p.sink.ask("report")
		return report.Mails > 100, err
	})
	if err != nil {
		return 0, err
	}
	machine := clock.Machine{}
	for i := range urgentMails {
		to := fmt.Sprintf("urgent-%d@bench.example", i)
		began := machine.Now()
		err := store.InTx(ctx, p.db.Pool, p.app.Clock, func(tx store.Tx) error {
			_, err := delivery.Enqueue(ctx, tx, delivery.Notice{
				Workspace: p.workspace, Contact: p.contacts[i], To: to, Subject: "Your code", HTML: "<p>1234</p>", Text: "1234", Expires: tx.Now.Add(time.Hour),
			})
			return err
		})
		if err != nil {
			return 0, err
		}
		if err := p.await(ctx, time.Minute, func() (bool, error) { return p.arrived(ctx, i) }); err != nil {
			return 0, err
		}
		slowest = max(slowest, float64(machine.Now().Sub(began).Microseconds())/1000)
	}
	return slowest, p.rest()
}

// arrived tells whether so many transactional mails and one more are noted as sent.
func (p *post) arrived(ctx context.Context, before int) (bool, error) {
	var sent int
	err := p.db.Pool.QueryRow(ctx, "SELECT count(*) FROM messages WHERE workspace_id = $1 AND lane = 0 AND status = 'sent'", p.workspace).Scan(&sent)
	return sent > before, err
}
