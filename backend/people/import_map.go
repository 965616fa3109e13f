package people

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/engine"
)

// Targets of a column besides the custom fields.
const (
	toTags   = "tags"  // several, separated by commas or semicolons
	toLists  = "lists" // the same
	toName   = "name"  // "first last"
	toIgnore = "-"
)

// synonyms are the names people give to columns, folded, in English, Polish and Russian.
var synonyms = map[string][]string{
	"external_id": {"external_id", "external id", "id", "customer_id", "customer id", "user_id", "user id", "contact_id", "identyfikator", "id klienta", "ид", "id клиента"},
	"email":       {"email", "e-mail", "mail", "email address", "e-mail address", "adres e-mail", "adres email", "почта", "эл. почта", "электронная почта", "имейл"}, //nolint:misspell // Polish
	"phone":       {"phone", "phone number", "mobile", "telephone", "tel", "tel.", "тел", "тел.", "telefon", "numer telefonu", "komórka", "телефон", "мобильный"},
	"first_name":  {"first_name", "first name", "firstname", "given name", "imię", "imie", "имя"},
	"last_name":   {"last_name", "last name", "lastname", "surname", "family name", "nazwisko", "фамилия"},
	"zone":        {"zone", "time zone", "timezone", "strefa czasowa", "часовой пояс"},
	"language":    {"language", "lang", "locale", "język", "jezyk", "язык"},
	toName:        {"name", "full name", "imię i nazwisko", "фио", "имя и фамилия"},
	toTags:        {"tags", "tag", "tagi", "теги", "метки"},
	toLists:       {"lists", "list", "listy", "списки"},
}

// mapping says for each column of a file where its values go; "" is nowhere.
type mapping struct {
	targets []string
	ignored []string // names of columns nobody asked for and nothing is called like
}

// mapColumns finds the target of each column: by the explicit map of column names to targets, else by the column's name.
func mapColumns(header []string, explicit map[string]string, defs Defs) (mapping, error) {
	m := mapping{targets: make([]string, len(header))}
	var wrong []fault.Field
	asked := map[string]string{}
	for column, target := range explicit {
		asked[engine.Fold(strings.TrimSpace(column))] = target
	}
	taken := map[string]string{}
	for i, name := range header {
		folded := engine.Fold(name)
		target, explicitly := asked[folded]
		delete(asked, folded)
		if !explicitly {
			target = guess(folded, defs)
		}
		switch {
		case target == toIgnore:
			continue
		case target == "":
			if name != "" {
				m.ignored = append(m.ignored, name)
			}
			continue
		case !known(target, defs):
			wrong = append(wrong, fault.Field{Path: "map." + name, Message: sentence(defs.unknown(target).Error())})
			continue
		}
		if other, twice := taken[target]; twice {
			wrong = append(wrong, fault.Field{Path: "map." + name, Message: fmt.Sprintf("The columns %q and %q both go to %s. Map one of them to %q.", other, name, target, toIgnore)})
			continue
		}
		taken[target], m.targets[i] = name, target
	}
	for column := range asked {
		wrong = append(wrong, fault.Field{Path: "map." + column, Message: fmt.Sprintf("The file has no column %q. It has: %s.", column, strings.Join(header, ", "))})
	}
	slices.SortFunc(wrong, func(a, b fault.Field) int { return strings.Compare(a.Path, b.Path) })
	if len(wrong) == 0 && taken["external_id"] == "" && taken["email"] == "" && taken["phone"] == "" {
		wrong = append(wrong, fault.Field{Path: "map", Message: fmt.Sprintf(
			"No column says who the people are. Name one email, phone or external_id, or map one to it. The file has: %s.", strings.Join(header, ", "))})
	}
	return m, fault.InvalidFields(wrong)
}

func guess(folded string, defs Defs) string {
	for key, def := range defs {
		if folded == key || folded == engine.Fold(def.Label) {
			return key
		}
	}
	for target, names := range synonyms {
		if slices.Contains(names, folded) {
			return target
		}
	}
	return ""
}

func known(target string, defs Defs) bool {
	_, custom := defs[target]
	return custom || isMember(target) || target == toTags || target == toLists || target == toName
}

// input is the person of a row. Empty cells say nothing, so that a file never empties what is known.
func (m mapping) input(values []string) Input {
	var in Input
	for i, target := range m.targets {
		value := strings.TrimSpace(values[i])
		if target == "" || value == "" {
			continue
		}
		switch target {
		case "external_id":
			in.ExternalID = value
		case "email":
			in.Email = value
		case "phone":
			in.Phone = value
		case "first_name":
			in.FirstName = &value
		case "last_name":
			in.LastName = &value
		case "zone":
			in.Zone = &value
		case "language":
			in.Language = &value
		case toName:
			first, last, _ := strings.Cut(value, " ")
			last = strings.TrimSpace(last)
			if in.FirstName = &first; last != "" { // one word says nothing of the last name
				in.LastName = &last
			}
		case toTags:
			for _, tag := range several(value) {
				in.Tags = append(in.Tags, strings.Join(strings.Fields(engine.Fold(tag)), "-")) // "VIP client" is vip-client
			}
		case toLists:
			in.Lists = append(in.Lists, several(value)...)
		default:
			if in.Fields == nil {
				in.Fields = map[string]any{}
			}
			in.Fields[target] = value
		}
	}
	return in
}

func several(value string) []string {
	var all []string
	for _, part := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ';' }) {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}

// columnOf is the name of the column whose values go to the member a fault is about.
func (m mapping) columnOf(header []string, path string) string {
	member := strings.TrimPrefix(path, "fields.")
	member, _, _ = strings.Cut(member, ".")
	at := slices.Index(m.targets, member)
	if at < 0 && (member == "first_name" || member == "last_name") {
		at = slices.Index(m.targets, toName)
	}
	if at < 0 {
		return ""
	}
	return header[at]
}
