package pump

import (
	"context"
	"time"
)

// Bounds of one batch.
const (
	MinBatch = 20
	MaxBatch = 500

	// batchTime is what a batch's transaction should take: long enough to be set-wise, short enough that whoever waits for one of
	// its rows hardly notices.
	batchTime = 150 * time.Millisecond
)

// Batch is what one drain is asked for.
type Batch struct {
	Lane  int // 0 real time, 1 normal, 2 bulk
	Limit int // rows

	// Paced says that somebody looks again soon: a queue that knows when its next row may go can rest till then.
	Paced bool
}

// Drained is what one drain did.
type Drained struct {
	Rows int // rows worked off; as many as the limit means there may be more
	Busy int // due rows left aside, because somebody holds their contact: worth another look soon
}

// Job is one queue of due rows.
type Job struct {
	Kind  string // River's job kind and queue, such as "wake"
	Label string // for people
	Slots int    // concurrent drains per process
	Lanes int    // 1 to 3

	// Poll is the least time between two looks when nothing was due; zero is the pump's own.
	Poll time.Duration

	// Peek says cheaply which lanes have something due, without locks. It may be nil: then every lane is drained at every look.
	Peek func(ctx context.Context) ([]int, error)

	// Drain works off one batch in one transaction, or nothing. It is called by several goroutines and processes at once.
	Drain func(ctx context.Context, batch Batch) (Drained, error)
}

// DrainAll drains every lane until nothing is due any more. It is the pump of deterministic tests and of `clock advance`.
func (j Job) DrainAll(ctx context.Context) (int, error) {
	total := 0
	for {
		round := 0
		for lane := range j.Lanes {
			drained, err := j.Drain(ctx, Batch{Lane: lane, Limit: MaxBatch})
			if err != nil {
				return total, err
			}
			round += drained.Rows
		}
		total += round
		if round == 0 {
			return total, nil
		}
	}
}

// size adapts the limit of the next batch to how long the last full one took.
func size(limit, rows int, took time.Duration) int {
	switch {
	case took > 2*batchTime:
		limit /= 2
	case took > batchTime:
		limit = limit * 3 / 4
	case rows >= limit && took < batchTime*2/3:
		limit = limit * 3 / 2
	}
	return min(max(limit, MinBatch), MaxBatch)
}

// lanes is the order in which a slot looks at lanes in its n-th round. Even slots prefer what is most urgent; odd slots give every
// fourth round to the last lane first, so that bulk is slow under load but never starves.
func (j Job) lanes(slot, round int) []int {
	order := make([]int, j.Lanes)
	for i := range order {
		order[i] = i
	}
	if slot%2 == 1 && round%4 == 3 {
		for i, k := 0, len(order)-1; i < k; i, k = i+1, k-1 {
			order[i], order[k] = order[k], order[i]
		}
	}
	return order
}
