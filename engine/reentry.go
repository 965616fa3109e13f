package engine

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
