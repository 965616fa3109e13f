package engine

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TitleLanguages are the languages of a Title, in its order.
var TitleLanguages = [...]string{"en", "pl", "ru"}

// Title is what a step is called on its card, by TitleLanguages.
type Title [len(TitleLanguages)]string

// In is the title in a language; English for any other.
func (t Title) In(lang string) string {
	for i, known := range TitleLanguages {
		if known == lang {
			return t[i]
		}
	}
	return t[0]
}

// Texts are the title by language.
func (t Title) Texts() map[string]string {
	texts := make(map[string]string, len(t))
	for i, lang := range TitleLanguages {
		texts[lang] = t[i]
	}
	return texts
}

// titleConfig is what titles need of any config.
type titleConfig struct {
	Mode       string                `json:"mode"`
	For        titleSpan             `json:"for"`
	At         string                `json:"at"`
	Date       string                `json:"date"`
	Field      string                `json:"field"`
	Offset     titleSpan             `json:"offset"`
	Weekdays   []string              `json:"weekdays"`
	Event      struct{ Name string } `json:"event"`
	Creative   string                `json:"creative"`
	Tag        string                `json:"tag"`
	List       string                `json:"list"`
	Funnel     string                `json:"funnel"`
	Which      string                `json:"which"`
	Resource   string                `json:"resource"`
	Connection string                `json:"connection"`
	Via        string                `json:"via"`
	Text       string                `json:"text"`
	Count      int                   `json:"count"`
	Per        titleSpan             `json:"per"`
	From       string                `json:"from"`
	To         string                `json:"to"`
	Arms       []titleArm            `json:"arms"`
}

type titleArm struct {
	ID      string  `json:"id"`
	Label   string  `json:"label"`
	Weight  float64 `json:"weight"`
	HoldOut bool    `json:"hold_out"`
}

// titleSpan is a length, perhaps before or after something, as lenient as the rest.
type titleSpan struct {
	Amount    int    `json:"amount"`
	Unit      Unit   `json:"unit"`
	Direction string `json:"direction"`
}

// TitleOf is what a step is called: by its author, else by what its config says, else by its kind. The canvas says the same, and a test of
// its own compares the two; a rule is told there alone.
func TitleOf(node Node, creatives map[string]Creative) Title {
	if node.Name != "" {
		return sameIn(node.Name)
	}
	var c titleConfig
	_ = json.Unmarshal(node.Config, &c) // what does not fit is not spoken of
	if title := c.title(node.Kind, creatives); title[0] != "" {
		return title
	}
	return kindTitles[node.Kind]
}

func sameIn(text string) Title { return Title{text, text, text} }

func (c titleConfig) title(kind string, creatives map[string]Creative) Title {
	switch kind {
	case "wait":
		return c.wait()
	case "send_email":
		return sameIn(readable(creatives[slugOf(c.Creative)].Subject))
	case "send_sms", "send_push", "send_letter":
		return sameIn(headline(creatives[slugOf(c.Creative)]))
	case "add_tag", "remove_tag":
		return titled(kind, c.Tag, humanised(c.Tag))
	case "add_to_list", "remove_from_list":
		return titled(kind, c.List, humanised(c.List))
	case "set_field":
		return titled(kind, c.Field, fieldTitle(c.Field))
	case "enter_funnel":
		return titled(kind, c.Funnel, humanised(c.Funnel))
	case "book_slot":
		return titled(kind, c.Resource, humanised(c.Resource))
	case "http_request":
		return titled(kind, c.Connection, humanised(c.Connection))
	case "join":
		return titleWords[kind]
	case "split":
		return c.split()
	case "exit_funnel":
		return c.exit()
	case "throttle":
		if c.Count > 0 && c.Per.Amount > 0 {
			return titleLine(kind, sameIn(strconv.Itoa(c.Count)), spanTitle(c.Per))
		}
	case "quiet_hours":
		if c.From != "" && c.To != "" {
			return titleLine(kind, sameIn(c.From), sameIn(c.To))
		}
	case "notify_team":
		if c.Text != "" {
			return titleWords["notify_"+c.Via]
		}
	case "goal":
		if c.Mode != "rule" && c.Event.Name != "" {
			return eventTitle(c.Event.Name)
		}
	}
	return Title{}
}

func (c titleConfig) wait() Title {
	switch c.Mode {
	case waitDate:
		return titled("wait_until", c.Date, sameIn(strings.Replace(c.Date, "T", " ", 1)))
	case waitDateField:
		switch {
		case c.Field == "":
			return Title{}
		case c.Offset.Amount == 0:
			return titleLine("wait_field", fieldTitle(c.Field))
		case c.Offset.Direction == "before":
			return titleLine("wait_before", spanTitle(c.Offset), fieldTitle(c.Field))
		default:
			return titleLine("wait_after", spanTitle(c.Offset), fieldTitle(c.Field))
		}
	case waitWeekday:
		var names Title
		for i, day := range c.Weekdays {
			for l := range names {
				if i > 0 {
					names[l] += ", "
				}
				names[l] += weekdayTitles[day][l]
			}
		}
		if c.At != "" && names[0] != "" {
			for l := range names {
				names[l] += " " + c.At
			}
		}
		return titled("wait_weekday", names[0], names)
	case waitUntilEvent:
		return titled("wait_event", c.Event.Name, eventTitle(c.Event.Name))
	case waitUntilRule:
		return Title{}
	}
	if c.For.Amount == 0 {
		return Title{}
	}
	title := titleLine("wait", spanTitle(c.For))
	if c.At != "" {
		for l := range title {
			title[l] += ", " + c.At
		}
	}
	return title
}

func (c titleConfig) exit() Title {
	switch c.Which {
	case "all":
		return titleWords["exit_all"]
	case "named":
		return titled("exit_named", c.Funnel, humanised(c.Funnel))
	default:
		return titleWords["exit_this"]
	}
}

func (c titleConfig) split() (title Title) {
	for i, arm := range c.Arms {
		label := arm.Label
		if label == "" {
			label = arm.ID
		}
		for l := range title {
			if i > 0 {
				title[l] += " · "
			}
			title[l] += label + " " + strconv.FormatFloat(arm.Weight, 'f', -1, 64) + " %"
			if arm.HoldOut {
				title[l] += " (" + titleWords["hold_out"][l] + ")"
			}
		}
	}
	return title
}

// titled says a line about something; nothing while nothing is chosen.
func titled(line, chosen string, about Title) Title {
	if chosen == "" {
		return Title{}
	}
	return titleLine(line, about)
}

func titleLine(line string, args ...Title) Title {
	title := titleWords[line]
	for l := range title {
		for i, arg := range args {
			title[l] = strings.ReplaceAll(title[l], "{"+strconv.Itoa(i)+"}", arg[l])
		}
	}
	return title
}

// humanised is a reference or a name of an event as words: "order_placed" reads "Order placed".
func humanised(ref string) Title {
	words := strings.TrimSpace(strings.Join(strings.FieldsFunc(slugOf(ref), func(r rune) bool { return r == '_' || r == '-' }), " "))
	first, n := utf8.DecodeRuneInString(words)
	if n > 0 {
		words = string(unicode.ToUpper(first)) + words[n:]
	}
	return sameIn(words)
}

func eventTitle(name string) Title {
	if title, known := eventTitles[name]; known {
		return title
	}
	return humanised(name)
}

func fieldTitle(ref string) Title {
	if title, known := fieldTitles[slugOf(ref)]; known {
		return title
	}
	return humanised(ref)
}

// spanTitle is a length as the object of a wait.
func spanTitle(d titleSpan) Title {
	forms := spanTitles[d.Unit]
	var title Title
	for l, lang := range TitleLanguages {
		title[l] = strconv.Itoa(d.Amount) + " " + forms[l][pluralForm(float64(d.Amount), lang)]
	}
	return title
}

var titleHole = regexp.MustCompile(`\{\{\s*([^}|]+?)\s*(?:\|\s*default\("([^"]*)"\)[^}]*)?(?:\|[^}]*)?\}\}`)

// readable is merge text as a person reads it: holes become their fallback or the name of what stands there.
func readable(text string) string {
	return titleHole.ReplaceAllStringFunc(text, func(hole string) string {
		part := titleHole.FindStringSubmatch(hole)
		if part[2] != "" {
			return part[2]
		}
		return "[" + strings.ReplaceAll(part[1][strings.LastIndexByte(part[1], '.')+1:], "_", " ") + "]"
	})
}

const longestHeadline = 60

// headline is what a message without a subject is known by: its title, its text, or the first heading on paper.
func headline(c Creative) string {
	text := c.Title
	if text == "" {
		text = c.Text
	}
	for _, b := range c.Blocks {
		if text == "" && b.Type == "heading" {
			text = b.Text
		}
	}
	if runes := []rune(readable(text)); len(runes) > longestHeadline {
		return strings.TrimRightFunc(string(runes[:longestHeadline-1]), unicode.IsSpace) + "…"
	}
	return readable(text)
}
