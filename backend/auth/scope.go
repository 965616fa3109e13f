package auth

// Scope is what an API token may do.
type Scope string

// The scopes. Each allows its own permissions only; a token carries as many as it needs.
const (
	ScopeRead    Scope = "read"
	ScopeWrite   Scope = "write"
	ScopeEvents  Scope = "events"
	ScopePublish Scope = "publish"
	ScopeOperate Scope = "operate"
	ScopeAdmin   Scope = "admin"
)

// Scopes are all scopes.
var Scopes = []Scope{ScopeRead, ScopeWrite, ScopeEvents, ScopePublish, ScopeOperate, ScopeAdmin}

// A program never gets Self: it has no session, no name and no password. Nor may it make members or tokens: a leaked token must not make
// another that outlives it.
var scopes = map[Scope]map[Permission]bool{
	ScopeRead:    without(set(seeing), Self),
	ScopeWrite:   without(set(making, []Permission{MessagesSend}), Self, EventsWrite),
	ScopeEvents:  {EventsWrite: true},
	ScopePublish: without(set(publishing), Self),
	ScopeOperate: without(set(running), Self, EventsWrite),
	ScopeAdmin:   without(set(ruling), Self, MembersWrite, TokensWrite),
}

func without(all map[Permission]bool, which ...Permission) map[Permission]bool {
	for _, permission := range which {
		delete(all, permission)
	}
	return all
}

// Known says whether s is one of the scopes.
func (s Scope) Known() bool { return scopes[s] != nil }
