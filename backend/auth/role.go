package auth

import (
	"maps"
	"slices"
)

// Role is what a person is in one workspace.
type Role string

// The roles. A viewer sees; a marketer also makes; an approver also publishes; an operator sees and keeps things running; an admin may
// do everything.
const (
	Viewer   Role = "viewer"
	Marketer Role = "marketer"
	Approver Role = "approver"
	Operator Role = "operator"
	Admin    Role = "admin"
)

// Roles are all roles, the least first.
var Roles = []Role{Viewer, Marketer, Approver, Operator, Admin}

// Permission is what a route needs.
type Permission string

// The permissions. Self is what everybody has who is signed in, in a workspace or not.
const (
	Self           Permission = "self"
	ContactsRead   Permission = "contacts.read"
	ContactsWrite  Permission = "contacts.write"
	ContactsErase  Permission = "contacts.erase"
	EventsRead     Permission = "events.read"
	EventsWrite    Permission = "events.write"
	FunnelsRead    Permission = "funnels.read"
	FunnelsWrite   Permission = "funnels.write"
	FunnelsPublish Permission = "funnels.publish"
	FunnelsOperate Permission = "funnels.operate"
	RunsRead       Permission = "runs.read"
	RunsOperate    Permission = "runs.operate"
	RunsTry        Permission = "runs.try" // as nobody would in earnest: only in the sandbox
	MessagesRead   Permission = "messages.read"
	MessagesAct    Permission = "messages.act"
	MessagesSend   Permission = "messages.send"
	SendingPause   Permission = "sending.pause"
	WorkspaceRead  Permission = "workspace.read"
	WorkspaceWrite Permission = "workspace.write"
	SendersWrite   Permission = "senders.write"
	ProvidersRead  Permission = "providers.read"
	ProvidersWrite Permission = "providers.write"

	CampaignsRead  Permission = "campaigns.read"
	CampaignsWrite Permission = "campaigns.write"
	CampaignsSend  Permission = "campaigns.send"

	ConnectionsRead  Permission = "connections.read"
	ConnectionsWrite Permission = "connections.write"

	MembersRead   Permission = "members.read"
	MembersWrite  Permission = "members.write"
	TokensWrite   Permission = "tokens.write"
	FormsRead     Permission = "forms.read"
	FormsWrite    Permission = "forms.write"
	BookingsRead  Permission = "bookings.read"
	BookingsWrite Permission = "bookings.write"
	PaymentsRead  Permission = "payments.read"
	PaymentsWrite Permission = "payments.write"
	TasksRead     Permission = "tasks.read"
	TasksWrite    Permission = "tasks.write"
	AIUse         Permission = "ai.use"
	DevClock      Permission = "dev.clock"
)

var (
	seeing = []Permission{
		ContactsRead, EventsRead, FunnelsRead, RunsRead, MessagesRead, WorkspaceRead, MembersRead, TasksRead,
		FormsRead, BookingsRead, PaymentsRead, ConnectionsRead, CampaignsRead,
	}
	making = []Permission{
		ContactsWrite, EventsWrite, FunnelsWrite, MessagesAct, SendersWrite, TasksWrite, AIUse, SendingPause,
		FormsWrite, BookingsWrite, PaymentsWrite, CampaignsWrite, RunsTry,
	}
	running = []Permission{
		FunnelsOperate, RunsOperate, SendingPause, ProvidersRead, TasksWrite, EventsWrite, ContactsWrite, MessagesAct,
		BookingsWrite, PaymentsWrite, RunsTry,
	}
	ruling = []Permission{
		ContactsErase, WorkspaceWrite, ProvidersRead, ProvidersWrite, MembersWrite, TokensWrite, DevClock, ConnectionsWrite,
	}
	// MessagesSend is here because what is sent so was read by nobody else.
	publishing = []Permission{FunnelsPublish, FunnelsOperate, CampaignsSend, MessagesSend}

	roles = map[Role]map[Permission]bool{
		Viewer:   set(seeing),
		Marketer: set(seeing, making),
		Approver: set(seeing, making, publishing),
		Operator: set(seeing, running),
		Admin:    set(seeing, making, publishing, running, ruling),
	}
)

func set(groups ...[]Permission) map[Permission]bool {
	all := map[Permission]bool{Self: true}
	for _, group := range groups {
		for _, permission := range group {
			all[permission] = true
		}
	}
	return all
}

// Known says whether r is one of the roles.
func (r Role) Known() bool { return roles[r] != nil }

// Permissions are what the role allows, sorted; none for an unknown role.
func (r Role) Permissions() []Permission { return slices.Sorted(maps.Keys(roles[r])) }

// KnownPermission says whether some role has p: a route that needs another word could never be reached.
func KnownPermission(p Permission) bool { return roles[Admin][p] }
