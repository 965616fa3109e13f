package people

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
)

// Input is what somebody says about a person: who it is, and what to set. What is not given stays.
type Input struct {
	ID         uuid.UUID // zero: found by the identities below, and created when new
	ExternalID string    // "" is not given
	Email      string
	Phone      string
	FirstName  *string
	LastName   *string
	Zone       *string
	Language   *string
	Fields     map[string]any // custom fields, or the members above by their keys; nil empties one
	Tags       []string       // to add; unknown ones are registered
	RemoveTags []string       // to take off
	Lists      []string       // to join; they must exist
	LeaveLists []string       // to leave
	Consents   []ConsentInput
}

// ConsentInput is what a person agreed to or refused.
type ConsentInput struct {
	Channel string
	Topic   string // slug; "" is the channel as a whole
	State   string // granted, denied or unknown
	Source  string // where the person said so, such as "checkout"
	Proof   map[string]any
	At      time.Time // zero is now, and in UpsertMany no word against a refusal: a shop repeats its flag with every event
}

// change is an Input that passed the checks. Of its texts nil is not given and "" empties the member.
type change struct {
	id                          uuid.UUID
	external, phone             *string
	email, folded               *string
	first, last, zone, language *string
	fields                      map[string]any
	addTags, removeTags         []string
	joinLists, leaveLists       []string
	consents                    []ConsentInput
}

// vocabulary is what a workspace knows, for the checks. A nil member was not loaded because nobody needs it.
type vocabulary struct {
	defs   Defs
	lists  map[string]bool
	topics map[string]bool
	now    time.Time
}

var slugPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// check reads an input into a change, or says everything that is wrong with it.
func (in Input) check(know vocabulary) (change, error) {
	c := checker{know: know, change: change{id: in.ID}}
	c.identity("external_id", in.ExternalID)
	c.identity("email", in.Email)
	c.identity("phone", in.Phone)
	c.member("first_name", in.FirstName)
	c.member("last_name", in.LastName)
	c.member("zone", in.Zone)
	c.member("language", in.Language)
	c.values(in.Fields)
	c.tags("tags", in.Tags)
	c.lists("lists", in.Lists)
	c.consents(in.Consents)
	c.change.addTags, c.change.removeTags = in.Tags, in.RemoveTags
	c.change.joinLists, c.change.leaveLists = in.Lists, in.LeaveLists
	if len(c.wrong) == 0 && in.ID == uuid.Nil && !c.change.identified() {
		c.failf("external_id", "say who it is: give an external_id, an email or a phone")
	}
	return c.change, fault.InvalidFields(c.wrong)
}

func (c change) identified() bool { return given(c.external) || given(c.folded) || given(c.phone) }

func given(text *string) bool { return text != nil && *text != "" }

type checker struct {
	know   vocabulary
	change change
	wrong  []fault.Field
}

func (c *checker) failf(path, format string, args ...any) {
	c.wrong = append(c.wrong, fault.Field{Path: path, Message: sentence(fmt.Sprintf(format, args...))})
}

func (c *checker) identity(key, value string) {
	if value != "" {
		c.member(key, &value)
	}
}

// member checks one of the contact's own columns; nil is not given, "" empties it.
func (c *checker) member(key string, value *string) {
	if value == nil {
		return
	}
	var err error
	text := *value
	switch key {
	case "external_id":
		text, err = line(text)
		c.change.external = &text
	case "email":
		folded := ""
		if text != "" {
			text, folded, err = Email(text)
		}
		c.change.email, c.change.folded = &text, &folded
	case "phone":
		if text != "" {
			text, err = Phone(text)
		}
		c.change.phone = &text
	case "first_name":
		text, err = line(text)
		c.change.first = &text
	case "last_name":
		text, err = line(text)
		c.change.last = &text
	case "zone":
		text, err = Zone(text)
		c.change.zone = &text
	case "language":
		text, err = Language(text)
		c.change.language = &text
	}
	if err != nil {
		c.failf(key, "%s", err)
	}
}

func isMember(key string) bool {
	switch key {
	case "external_id", "email", "phone", "first_name", "last_name", "zone", "language":
		return true
	}
	return false
}

// IsIdentity tells the members that say who somebody is from those that say something about them.
func IsIdentity(key string) bool { return key == kindExternal || key == kindEmail || key == kindPhone }

func (c *checker) values(fields map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		value := fields[key]
		if isMember(key) {
			text, ok := value.(string)
			if !ok && value != nil {
				c.failf("fields."+key, "expected a text, got %s", kind(value))
				continue
			}
			c.member(key, &text)
			continue
		}
		if key == "source" || key == "created_at" || key == "updated_at" {
			c.failf("fields."+key, "%s is kept by Lejek and cannot be set. Leave it out", key)
			continue
		}
		fitting, err := c.know.defs.Value(key, value)
		if err != nil {
			c.failf("fields."+key, "%s", err)
			continue
		}
		if c.change.fields == nil {
			c.change.fields = make(map[string]any, len(fields))
		}
		c.change.fields[key] = fitting
	}
}

func (c *checker) tags(path string, slugs []string) {
	for i, slug := range slugs {
		if !slugPattern.MatchString(slug) {
			c.failf(fmt.Sprintf("%s.%d", path, i), "%q is not a tag. Use small letters, digits, - and _, such as vip-2026", clip(slug))
		}
	}
}

func (c *checker) lists(path string, slugs []string) {
	for i, slug := range slugs {
		if !c.know.lists[slug] {
			c.failf(fmt.Sprintf("%s.%d", path, i), "there is no list %q. Create it under People, Lists, then send it again", clip(slug))
		}
	}
}

var channels = map[string]bool{"email": true, "sms": true, "push": true, "letter": true, "whatsapp": true}

func (c *checker) consents(inputs []ConsentInput) {
	for i, in := range inputs {
		path := fmt.Sprintf("consents.%d.", i)
		if !channels[in.Channel] {
			c.failf(path+"channel", "%q is not a channel. Use email, sms, push, letter or whatsapp", clip(in.Channel))
		}
		if in.Topic != "" && !c.know.topics[in.Topic] {
			c.failf(path+"topic", "there is no topic %q. Create it under Settings, Topics, then send it again", clip(in.Topic))
		}
		if in.State != Granted && in.State != Denied && in.State != Unknown {
			c.failf(path+"state", "%q is not a consent. Use granted, denied or unknown", clip(in.State))
		}
		if in.At.After(c.know.now) {
			c.failf(path+"at", "the instant lies in the future. Leave it out for now")
		}
		source, err := line(in.Source)
		if err != nil {
			c.failf(path+"source", "%s", err)
		}
		in.Source = source
		c.change.consents = append(c.change.consents, in)
	}
}

// sentence begins with a capital and ends with a full stop.
func sentence(text string) string {
	if text == "" {
		return text
	}
	if text[0] >= 'a' && text[0] <= 'z' {
		text = string(text[0]-'a'+'A') + text[1:]
	}
	switch text[len(text)-1] {
	case '.', '?', '!':
		return text
	}
	return text + "."
}
