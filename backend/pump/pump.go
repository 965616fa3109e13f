package pump

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/lejek/lejek/backend/store"
)

const (
	stretch    = 15 * time.Second // how long one River job works before it snoozes; longer by slotSpread per slot
	slotSpread = 3 * time.Second  // so that the slots of a process never snooze together
	beatEvery  = 5 * time.Second
	forgotten  = 24 * time.Hour // after which a dead process's row is removed
)

// DeadAfter is how old the last beat of a process is when others take it for dead.
const DeadAfter = 15 * time.Second

// Config says what a Pump needs. All members are required but Manual.
type Config struct {
	Pool    *pgxpool.Pool
	Machine func() time.Time // real time: beats, stretches
	Manual  bool             // business time stands still until somebody moves it: poll every 5 ms
	Logger  *slog.Logger
	Role    string // serve or worker, for `doctor`
	Version string
	Jobs    []Job
}

// Pump is this process's share in draining the jobs. Register it with AddTo and Queues before the River client starts, then run
// Supervise until the process ends.
type Pump struct {
	config Config
	boot   string
	nudges map[string]chan struct{}
	watch  map[string]chan struct{}
	stop   chan struct{}
}

// NewBoot names one start of one process.
func NewBoot() string { return uuid.Must(uuid.NewV7()).String() }

// New makes the Pump of one boot.
func New(boot string, config Config) *Pump {
	p := &Pump{config: config, boot: boot, nudges: map[string]chan struct{}{}, watch: map[string]chan struct{}{}, stop: make(chan struct{})}
	for _, job := range config.Jobs {
		p.nudges[job.Kind] = make(chan struct{}, 1)
		if !config.Manual {
			p.watch[job.Kind] = make(chan struct{}, 1)
		}
	}
	return p
}

// Boot names this process in `workers` and in delivery attempts.
func (p *Pump) Boot() string { return p.boot }

// Nudge tells a job's slots in this process that something became due. It never blocks and may be dropped: it only shortens
// the wait for the next poll. Call it after the commit.
func (p *Pump) Nudge(kind string) {
	select {
	case p.nudges[kind] <- struct{}{}:
	default:
	}
}

// AddTo registers a River worker per job.
func (p *Pump) AddTo(workers *river.Workers) {
	for _, job := range p.config.Jobs {
		river.AddWorkerArgs(workers, slotArgs{kind: job.Kind}, &slotWorker{pump: p, job: job})
	}
}

// Queues returns a queue per job, each as wide as the job's slots, to be merged into River's configuration.
func (p *Pump) Queues() map[string]river.QueueConfig {
	queues := make(map[string]river.QueueConfig, len(p.config.Jobs))
	for _, job := range p.config.Jobs {
		queues[job.Kind] = river.QueueConfig{MaxWorkers: job.Slots, FetchCooldown: 50 * time.Millisecond, FetchPollInterval: 100 * time.Millisecond}
	}
	return queues
}

// Supervise keeps this process's beat and its slots alive until ctx ends. Then every slot finishes the batch it has in hand, and the
// beat is taken away. Run it once.
func (p *Pump) Supervise(ctx context.Context, client *river.Client[pgx.Tx]) error {
	if err := p.beat(ctx); err != nil && !store.IsDown(err) { // the next beat registers it
		return fmt.Errorf("register this worker: %w", err)
	}
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	for {
		every := beatEvery
		if err := p.fill(ctx, client); err != nil && ctx.Err() == nil {
			p.config.Logger.ErrorContext(ctx, "could not insert the pump's jobs; trying again", "error", err)
			every = maxPause // the database is away; what it lost is replaced as soon as it is back
		}
		ticker.Reset(every)
		select {
		case <-ctx.Done():
			close(p.stop)
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), beatEvery)
			defer cancel()
			_, err := p.config.Pool.Exec(last, "DELETE FROM workers WHERE id = $1", p.boot)
			if err != nil {
				return fmt.Errorf("sign this worker off: %w", err)
			}
			return nil
		case <-ticker.C:
		}
		if err := p.beat(ctx); err != nil && ctx.Err() == nil {
			p.config.Logger.ErrorContext(ctx, "could not write this worker's beat", "error", err)
		}
	}
}

// fill inserts the slots that are missing. River's unique key makes it a no-op for those that exist; each insert is its own short
// transaction, because a conflicting insert locks the existing job until it ends.
func (p *Pump) fill(ctx context.Context, client *river.Client[pgx.Tx]) error {
	var errs []error
	for _, job := range p.config.Jobs {
		for slot := range job.Slots {
			_, err := client.Insert(ctx, slotArgs{kind: job.Kind, Boot: p.boot, Slot: slot}, &river.InsertOpts{
				Queue:       job.Kind,
				MaxAttempts: 100,
				UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
					rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
				}},
			})
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (p *Pump) beat(ctx context.Context) error {
	now := p.config.Machine()
	_, err := p.config.Pool.Exec(ctx, `INSERT INTO workers (id, role, version, started_at, beat_at) VALUES ($1, $2, $3, $4, $4)
		ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at`, p.boot, p.config.Role, p.config.Version, now)
	if err != nil {
		return err
	}
	_, err = p.config.Pool.Exec(ctx, "DELETE FROM workers WHERE beat_at < $1", now.Add(-forgotten))
	return err
}

// Alive counts the processes of the installation that work.
func (p *Pump) Alive(ctx context.Context) (n int, err error) {
	err = p.config.Pool.QueryRow(ctx, "SELECT count(*) FROM workers WHERE beat_at >= $1", p.config.Machine().Add(-DeadAfter)).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("look for workers: %w", err)
	}
	return n, nil
}

// dead reports whether a process's beat is missing or old. An error is no proof of death.
func (p *Pump) dead(ctx context.Context, boot string) bool {
	if boot == p.boot {
		return false
	}
	var beat time.Time
	err := p.config.Pool.QueryRow(ctx, "SELECT beat_at FROM workers WHERE id = $1", boot).Scan(&beat)
	if errors.Is(err, pgx.ErrNoRows) {
		return true
	}
	return err == nil && p.config.Machine().Sub(beat) > DeadAfter
}

// slotArgs makes a River job of one slot of one process.
type slotArgs struct {
	kind string
	Boot string `json:"boot"`
	Slot int    `json:"slot"`
}

// Kind implements river.JobArgs.
func (a slotArgs) Kind() string { return a.kind }

type slotWorker struct {
	river.WorkerDefaults[slotArgs]
	pump *Pump
	job  Job
}

// Timeout implements river.Worker: a stretch, a last batch and some air.
func (w *slotWorker) Timeout(*river.Job[slotArgs]) time.Duration {
	return stretch + time.Duration(w.job.Slots)*slotSpread + 2*drainTimeout
}

// paused tells whether an operator paused the queue. River starts no job of it then; the one that runs has to ask. An error is no pause.
func (w *slotWorker) paused(ctx context.Context) bool {
	client, err := river.ClientFromContextSafely[pgx.Tx](ctx)
	if err != nil {
		return false
	}
	queue, err := client.QueueGet(ctx, w.job.Kind)
	return err == nil && queue.PausedAt != nil
}

// Work implements river.Worker.
func (w *slotWorker) Work(ctx context.Context, job *river.Job[slotArgs]) error {
	p := w.pump
	orphan := func(ctx context.Context) bool { return p.dead(ctx, job.Args.Boot) }
	if orphan(ctx) {
		return nil
	}
	l := &loop{
		job: w.job, slot: job.Args.Slot, now: p.config.Machine, poll: poll, nudge: p.nudges[w.job.Kind], nudges: p.nudges[w.job.Kind], stop: p.stop, logger: p.config.Logger, orphan: orphan,
		paused: w.paused, watch: p.watch[w.job.Kind],
	}
	if p.config.Manual && l.slot == 0 {
		l.poll = pollManual // one slot watches closely and calls the others when there is more than a batch
	}
	l.poll = max(l.poll, w.job.Poll)
	if l.run(ctx, l.now().Add(stretch+time.Duration(job.Args.Slot)*slotSpread)) {
		return nil
	}
	return river.JobSnooze(0)
}
