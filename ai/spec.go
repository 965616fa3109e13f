package ai

// Status is what the author of a plan decided to do with the request.
type Status string

// The three honest ends of a request.
const (
	StatusGraph   Status = "graph"
	StatusClarify Status = "clarify"
	StatusRefuse  Status = "refuse"
)

// Spec is a funnel as a model or the planner writes it: blocks of steps that run one after the other, branches that name
// the block they go to, no edges and no positions. The first block is where people enter. JSON names are those of the
// schema that [Kinds.Schema] writes.
type Spec struct {
	Status      Status     `json:"status"`
	Lang        string     `json:"lang"`
	Plan        string     `json:"plan"`
	Assumptions []string   `json:"assumptions"`
	Questions   []Question `json:"questions"`
	Reason      string     `json:"reason"`
	Trigger     Trigger    `json:"trigger"`
	Reentry     string     `json:"reentry"` // never, always, after_days, restart, each
	ReentryDays int        `json:"reentry_days"`
	ReentryKey  string     `json:"reentry_key"`
	Blocks      []Part     `json:"blocks"`
	Messages    []Brief    `json:"messages"`
}

// Question asks the author of the prompt for what is missing; Options are answers to click.
type Question struct {
	Text    string   `json:"text"`
	Options []string `json:"options"`
	About   string   `json:"about,omitempty"` // trigger, goal, content, count, timing or channel
}

// Trigger is what lets people in. What Ref and When are depends on the kind:
//
//	list_join, tag_added, segment_enter, form_submit  Ref the name
//	api_event        Ref the event's name            page_visit    Ref the path; Times visits at least
//	booking_made     Ref what is booked              payment_made  AtLeast the smallest sum
//	link_clicked     Ref the address                 contact_created  Ref the source
//	date_field       Ref the field, OffsetDays from the date (negative is before), When a time of day and "yearly"
//	schedule         Ref "list:name" or "segment:name", When an RRULE or words such as "weekly mon 08:00"
type Trigger struct {
	Kind       string  `json:"kind"`
	Ref        string  `json:"ref"`
	When       string  `json:"when"`
	OffsetDays int     `json:"offset_days"`
	Times      int     `json:"times"`
	AtLeast    float64 `json:"at_least"`
}

// Part is a block of the plan: steps in order, then Next ("" ends the run).
type Part struct {
	ID    string `json:"id"`
	Steps []Step `json:"steps"`
	Next  string `json:"next"`
}

// Brief says what one message is for. Role names a text of the built-in library and is the planner's own member.
type Brief struct {
	ID      string `json:"id"`
	Brief   string `json:"brief"`
	Because string `json:"because"`
	Role    string `json:"-"`
	Offer   Offer  `json:"-"`
	Quote   string `json:"-"` // what the prompt says it shall say, in its own words
}

// Offer is what the prompt promises: a percentage, an amount of money or a code. The zero value is no offer. Texts name an
// offer only from here, so none is ever invented.
type Offer struct {
	Percent int
	Amount  string // with its currency, as written: "50 zł"
	Code    string
}

// None tells whether there is no offer.
func (o Offer) None() bool { return o.Percent == 0 && o.Amount == "" && o.Code == "" }

// Arm is one way out of a split.
type Arm struct {
	Label string `json:"label"`
	Pct   int    `json:"pct"`
	To    string `json:"to"`
}

// Step is one step. Do tells which kind it is and which other members count:
//
//	wait           Unit, N, At               send_email (send_sms, ...)      Message
//	wait_until     Event, Ref, TimeoutHours  add_tag, remove_tag             Name
//	  date_field   Ref, BeforeHours, At      add_to_list, remove_from_list   Name
//	if             Event, Ref, Op, Value, Yes, No
//	split          Arms                      set_field                       Field, Value
//	goal           Event, Ref                notify_team                     To, Text
//	throttle       Max, Per                  create_payment                  Amount, Title
//	quiet_hours    From, Until, Days         book_slot                       Name
//	http_request   Name                      enter_funnel, exit_funnel       Name
//	ai_generate    Message, Vars             any other kind of the catalogue Config
type Step struct {
	ID           string
	Do           string
	Unit         string
	N            int
	At           string
	Event        string
	Ref          string
	TimeoutHours int
	BeforeHours  int // before the date; negative is after it
	BeforeMins   int // before the date, instead of hours; the planner's own member
	Message      string
	Name         string
	Field        string
	Op           string
	Value        string
	Yes          string
	No           string
	Arms         []Arm
	To           string
	Text         string
	Amount       string // with its currency: "50 PLN"
	Title        string
	Vars         []Variable
	Max          int
	Per          string // hour, day, week
	From         string // time of day
	Until        string
	Days         []string // mon, tue, ...; none is every day
	Config       map[string]any
}

// Variable is a text that is written for each person.
type Variable struct {
	Name     string `json:"name"`
	Ask      string `json:"ask"`
	Max      int    `json:"max"`
	Fallback string `json:"fallback"`
}

// Do values. The first five are words of the plan, the others kinds of the catalogue.
const (
	doWait      = "wait"
	doWaitUntil = "wait_until"
	doIf        = "if"
	doSplit     = "split"
	doGoal      = "goal"

	doSendEmail      = "send_email"
	doSendSMS        = "send_sms"
	doSendWhatsApp   = "send_whatsapp" // a text by another way: the same step
	doSendPush       = "send_push"
	doSendLetter     = "send_letter"
	doNotify         = "notify_team"
	doAddTag         = "add_tag"
	doRemoveTag      = "remove_tag"
	doAddToList      = "add_to_list"
	doRemoveFromList = "remove_from_list"
	doSetField       = "set_field"
	doRequest        = "http_request"
	doPayment        = "create_payment"
	doBook           = "book_slot"
	doEnterFunnel    = "enter_funnel"
	doExitFunnel     = "exit_funnel"
	doGenerate       = "ai_generate"
	doThrottle       = "throttle"
	doQuietHours     = "quiet_hours"
)

// ends tells whether a step ends its block: what follows a branch is reached through the branch only.
func (s Step) ends() bool { return s.Do == doIf || s.Do == doSplit || s.Do == doBook && s.Yes != "" }
