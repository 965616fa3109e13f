package engine

import "time"

// Permission is what decides whether a person may be written to by a channel. Production, the simulation and the
// rehearsal ask it alike.
type Permission struct {
	Class        string
	Gone         bool   // erased, or merged into somebody else
	Address      bool   // the person has one for the channel
	Suppressed   bool   // a bounce, a complaint or somebody's hand shut the address
	Unsubscribed bool   // the address itself asked for no more marketing
	Channel      string // what the person said to the channel as a whole: granted, denied, unknown or ""
	Topic        string // what they said to the message's topic
	AllowUnknown bool   // the workspace writes to people who said nothing
}

// Why a person may not be written to.
const (
	NoGone         = "gone"
	NoAddress      = "no_address"
	NoSuppressed   = "suppressed"
	NoUnsubscribed = "unsubscribed"
	NoTopic        = "topic_left"
	NoConsent      = "no_consent"
)

// What a person says to a channel or topic.
const (
	saidGranted = "granted"
	saidDenied  = "denied"
)

// Refusal is why the message may not leave, "" if it may. A refused channel stands above all its topics; an agreement to
// the channel covers a topic nothing was said about.
func (p Permission) Refusal() string {
	switch {
	case p.Gone:
		return NoGone
	case !p.Address:
		return NoAddress
	case p.Suppressed:
		return NoSuppressed
	case p.Class == ClassTransactional:
		return ""
	case p.Unsubscribed || p.Channel == saidDenied:
		return NoUnsubscribed
	case p.Topic == saidDenied:
		return NoTopic
	case p.Topic == saidGranted || p.Channel == saidGranted || p.AllowUnknown:
		return ""
	default:
		return NoConsent
	}
}

// Gate is what a message that is due has to pass.
type Gate struct {
	Void    bool      // its run has been taken elsewhere meanwhile: a goal, an exit, a restart
	Stopped bool      // its funnel is stopped or archived
	Refusal string    // of the Permission
	Expires time.Time // from when on it must not leave any more; zero is never
	Paused  string    // why everything waits: workspace_paused, funnel_paused; "" nothing does
}

// Passage is what becomes of a message at the gate.
type Passage int

// A message leaves, is skipped or expired for good, or waits to be asked again.
const (
	Leaves Passage = iota
	Skipped
	Expired
	Waits
)

// Why a message does not leave, besides a refusal.
const (
	GateVoid    = "void"
	GateStopped = "funnel_stopped"
	GateExpired = "expired"
)

// Judge puts the reasons in order: what is final first, then what only waits.
func (g Gate) Judge(now time.Time) (passage Passage, reason string) {
	switch {
	case g.Void:
		return Skipped, GateVoid
	case g.Stopped:
		return Skipped, GateStopped
	case g.Refusal != "":
		return Skipped, g.Refusal
	case !g.Expires.IsZero() && !now.Before(g.Expires):
		return Expired, GateExpired
	case g.Paused != "":
		return Waits, g.Paused
	default:
		return Leaves, ""
	}
}
