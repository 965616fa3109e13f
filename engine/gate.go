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
	Class   string
	Void    bool      // its run has been taken elsewhere meanwhile: a goal, an exit, a restart
	Stopped bool      // its funnel is stopped or archived
	Refusal string    // of the Permission
	Expires time.Time // from when on it must not leave any more; zero is never
	Paused  string    // why everything waits: workspace_paused, funnel_paused; "" nothing does

	// What holds marketing back, but nothing transactional.
	Quiet []QuietHours   // of the workspace and of the run
	Zone  *time.Location // of the person: whose hours they are; nil is UTC
	Cap   *Cap           // of the workspace; nil is none
	Sent  []time.Time    // when the person got marketing lately, over all funnels and channels
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

// Why a message does not leave, besides a refusal or a pause.
const (
	GateVoid    = "void"
	GateStopped = "funnel_stopped"
	GateExpired = "expired"
	GateQuiet   = "quiet_hours"
	GateCap     = "frequency_cap"
)

// Judgement is the gate's answer. Until says when to ask again, where that is known.
type Judgement struct {
	Passage Passage
	Reason  string
	Until   time.Time
}

// Judge puts the reasons in order: what is final first, then what only waits. A message over the cap waits for its turn;
// one whose turn would come when it has expired is skipped at once.
func (g Gate) Judge(now time.Time) Judgement {
	switch {
	case g.Void:
		return Judgement{Passage: Skipped, Reason: GateVoid}
	case g.Stopped:
		return Judgement{Passage: Skipped, Reason: GateStopped}
	case g.Refusal != "":
		return Judgement{Passage: Skipped, Reason: g.Refusal}
	case g.expired(now):
		return Judgement{Passage: Expired, Reason: GateExpired}
	case g.Paused != "":
		return Judgement{Passage: Waits, Reason: g.Paused}
	case g.Class == ClassTransactional:
		return Judgement{}
	}
	if open, ok := OpenFrom(now, g.Quiet, g.zone()); !ok {
		return Judgement{Passage: Skipped, Reason: GateQuiet}
	} else if open.After(now) {
		return Judgement{Passage: Waits, Reason: GateQuiet, Until: g.atMost(open)}
	}
	if free := g.Cap.FreeFrom(now, g.Sent); g.expired(free) {
		return Judgement{Passage: Skipped, Reason: GateCap}
	} else if free.After(now) {
		return Judgement{Passage: Waits, Reason: GateCap, Until: free}
	}
	return Judgement{}
}

func (g Gate) expired(at time.Time) bool { return !g.Expires.IsZero() && !at.Before(g.Expires) }

// atMost brings an instant to ask again forward to the one at which the message expires.
func (g Gate) atMost(at time.Time) time.Time {
	if g.expired(at) {
		return g.Expires
	}
	return at
}

func (g Gate) zone() *time.Location {
	if g.Zone == nil {
		return time.UTC
	}
	return g.Zone
}
