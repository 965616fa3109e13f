package engine

import "time"

// Reentry says how often one person may go through a funnel.
type Reentry struct {
	Rule  string    `json:"rule"`
	Pause *Duration `json:"pause,omitempty"` // after_exit: not again before this long after the last run ended
	Key   string    `json:"key,omitempty"`   // each: the property of the trigger event that tells runs apart, a path such as cart.id
}

// The re-entry rules.
const (
	ReentryOnce      = "once"       // one run ever
	ReentryAfterExit = "after_exit" // again when the last run has ended
	ReentryRestart   = "restart"    // a trigger ends the active run as replaced and starts anew
	ReentryEach      = "each"       // one run ever for each key
)

// rule is the re-entry rule; a config that does not say so is once.
func (r Reentry) rule() string {
	if r.Rule == "" {
		return ReentryOnce
	}
	return r.Rule
}

// slot is what runs of one person compete for: two runs of a funnel and person never hold the same slot.
func (r Reentry) slot(key string) string {
	switch r.rule() {
	case ReentryEach:
		return "k:" + key
	case ReentryOnce:
		return "once"
	default:
		return "active"
	}
}

// Past is what is known of the runs a person had in a funnel.
type Past struct {
	Any    bool      // there was one
	Inside bool      // one has not ended; paused and parked ones count
	Key    bool      // each: one had the key
	Last   time.Time // when the last one ended; zero when none did
	Older  bool      // what happened did so before that which began the one that has not ended
}

// Why earlier runs keep a person out.
const (
	RefusedOnce   = "once"   // they have been through, or this key has
	RefusedActive = "active" // they are inside
	RefusedPause  = "pause"  // they left too short a time ago
	RefusedOlder  = "older"  // something newer has restarted it already
)

// Refuses is why earlier runs keep a person out now, "" when they do not. Days of a pause are those of the person's zone.
func (r Reentry) Refuses(past Past, now time.Time, zone *time.Location) string {
	switch r.rule() {
	case ReentryRestart:
		if past.Inside && past.Older {
			return RefusedOlder
		}
	case ReentryEach:
		if past.Key {
			return RefusedOnce
		}
	case ReentryAfterExit:
		if past.Inside {
			return RefusedActive
		}
		if r.Pause != nil && !past.Last.IsZero() && now.Before(AddDuration(past.Last, *r.Pause, nil, zone)) {
			return RefusedPause
		}
	default:
		if past.Any {
			return RefusedOnce
		}
	}
	return ""
}
