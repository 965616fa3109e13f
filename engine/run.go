package engine

import "time"

// Status of a run.
type Status string

// A run is Active (WakeAt set), Done, Exited, Parked (failed for good, waits for a person) or Paused.
const (
	Active Status = "active"
	Done   Status = "done"
	Exited Status = "exited"
	Parked Status = "parked"
	Paused Status = "paused"
)

// Run is one contact's way through one version. Seq numbers visits over the whole run and is the fence of the caller's
// update. At is the instant the run was due at Node: durations count from it, so a late worker causes no drift. Without a
// Deadline the run has still to be let into Node; with one it stays there.
type Run struct {
	ID        string         `json:"id"`
	Node      string         `json:"node"`
	Seq       int            `json:"seq"`
	Status    Status         `json:"status"`
	At        time.Time      `json:"at"`
	WakeAt    time.Time      `json:"wake_at"`  // zero unless active
	Deadline  time.Time      `json:"deadline"` // when the wait at Node ends; WakeAt may be earlier, for a re-check
	StartedAt time.Time      `json:"started_at"`
	Key       string         `json:"key,omitempty"`   // re-entry "each": the run listens to events of this key only
	Event     map[string]any `json:"event,omitempty"` // the trigger's properties
	Vars      map[string]any `json:"vars,omitempty"`
	Quiet     *QuietHours    `json:"quiet,omitempty"`  // in force for the messages it sends from now on
	Goal      string         `json:"goal,omitempty"`   // the goal node it reached: it now walks that goal's closing steps
	Reason    string         `json:"reason,omitempty"` // why it ended or parked
}

// Contact is a person as rules and merge text see them.
type Contact struct {
	ID       string             `json:"id"`
	Fields   map[string]any     `json:"fields"` // built-in and custom: email, phone, first_name, ..., created_at
	Tags     []string           `json:"tags,omitempty"`
	Lists    []string           `json:"lists,omitempty"`
	Segments []string           `json:"segments,omitempty"`
	Zone     string             `json:"zone,omitempty"`
	Consents []Consent          `json:"consents,omitempty"`
	Rollups  map[string]Rollup  `json:"rollups,omitempty"`  // by event name, ever
	Events   []Event            `json:"events,omitempty"`   // only of names in Plan.EventNames, oldest first
	Messages map[string][]Event `json:"messages,omitempty"` // by node of this run: sent, delivered, message_opened, ...
}

// Consent is what a person agreed to. State is granted, denied or unknown.
type Consent struct {
	Channel string `json:"channel"`
	Topic   string `json:"topic"` // "" is the channel as a whole
	State   string `json:"state"`
}

// Rollup counts the events of one name a contact ever had.
type Rollup struct {
	Count int       `json:"count"`
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
}

// Event is something that happened to a contact.
type Event struct {
	ID    int64          `json:"id,omitempty"`
	Name  string         `json:"name"`
	At    time.Time      `json:"at"`
	Props map[string]any `json:"props,omitempty"`

	// Happened is when it happened, where it was told of later than that; At is then when it was told of. Zero is At.
	Happened time.Time `json:"-"`
}

// When it happened, however late it was told of. What Lejek itself tells happens when it is told, and nothing after it is told.
func (e Event) When() time.Time {
	if e.Happened.IsZero() || e.Happened.After(e.At) || IsInternalEvent(e.Name) {
		return e.At
	}
	return e.Happened
}

// clocksDiffer is by how much the clocks of those who tell events may differ: an order must not be missed because the shop's clock is slow.
const clocksDiffer = 5 * time.Minute

// Precedes tells an event that happened before a run began, by the event that began it: it is no news to the run, however late it is told of.
func (e Event) Precedes(since time.Time) bool { return e.When().Before(since.Add(-clocksDiffer)) }

// Input is everything Advance may look at besides the plan and the run.
type Input struct {
	Now     time.Time
	Contact Contact
	Signals []Event // events since the last advance that the plan mentions, in order of arrival
	Zone    string  // the workspace's
	MaxHops int     // 0 means 50
	Cut     bool    // a person ends the wait the run is in, once the signals are heard
	Self    string  // slug of the funnel; "" is not known
}

// Transition is Advance's whole answer. The caller commits it in one transaction or drops it.
type Transition struct {
	Run        Run
	Visits     []Visit  // in order; Visits[i].Seq = seq before + i + 1
	Effects    []Effect // in order
	Void       bool     // a goal, exit or restart: messages of visits before VoidBefore must not leave
	VoidBefore int
}

// Visit is one line of a run's journal: the node, the instant it was due, the port it was left by. A node that holds the
// run has two lines: one without a port when the run comes, one with the port when it leaves. Counted lines with a port
// are the traffic of an edge.
type Visit struct {
	Seq    int            `json:"seq"`
	Node   string         `json:"node"`
	Kind   string         `json:"kind"`
	At     time.Time      `json:"at"`
	Port   string         `json:"port,omitempty"`
	Detail map[string]any `json:"detail,omitempty"` // the actual values behind a decision, a skipped reason, ...
}

// Effect is something a visit wants done. The set is closed; the backend's runner switches over it.
type Effect interface{ effect() }

// SendMessage asks for one message: unique per run and visit.
type SendMessage struct {
	Seq       int
	Node      string
	Channel   string
	Creative  string // slug
	Sender    string // slug, "" is the workspace's default
	Class     string // marketing or transactional
	Topic     string
	Due       time.Time
	ExpiresAt time.Time
	Quiet     *QuietHours // the run's own quiet hours; nil are none
}

// ChangeContact asks for one change of the person; the backend turns it into an internal event.
type ChangeContact struct {
	Seq   int
	Node  string
	Op    string // one of the Change constants
	Name  string // slug of a tag or list, or field key
	Value any
}

// Call asks for something the engine cannot do itself: a request to the outside, a ticket, a place in a calendar, another
// funnel. It is made after the transition is committed, at least once and unique per run and visit, and answers with the
// signal EventCallAnswered. The run stays at the node until then, or until Deadline; of a detached call it hears nothing
// more, and the journal of the visit tells what it came to.
type Call struct {
	Seq      int
	Node     string
	Kind     string // of the node: whoever answers is found by it
	Request  any    // what the kind wants, with its merge text filled in; it has to survive JSON
	Due      time.Time
	Deadline time.Time
	Lost     string // the port when it fails for good
	Detached bool
}

// Prepare asks for the texts of steps some time before the run gets there, so that nobody waits for them then. The visit is that of the wait
// before the steps. It changes nothing for the run, and whether anybody does it is no matter for the run either.
type Prepare struct {
	Seq      int
	Node     string   // of the wait
	Steps    []string // that write the texts; behind a branch the run comes to some of them only
	Requests []WriteRequest
	Due      time.Time
	Until    time.Time // after it, it is of no use
}

func (SendMessage) effect()   {}
func (ChangeContact) effect() {}
func (Call) effect()          {}
func (Prepare) effect()       {}
