package ai

import (
	"embed"
	"encoding/json"
	"maps"
	"strconv"
	"strings"
)

//go:embed say/*.json say/edit/*.json say/words/*.json
var sayFiles embed.FS

// phrases are the sentences of one language in which results speak to people.
type phrases struct {
	Language  string            `json:"language"`
	Lines     map[string]string `json:"lines"`
	Kinds     map[string]string `json:"kinds"`
	Playbooks map[string]string `json:"playbooks"`
}

var spoken = func() map[string]phrases {
	out := map[string]phrases{}
	for _, lang := range languages {
		var p phrases
		mustRead(sayFiles, "say/"+lang+".json", &p)
		for _, of := range []string{"edit", "words"} {
			var more phrases
			mustRead(sayFiles, "say/"+of+"/"+lang+".json", &more)
			maps.Copy(p.Lines, more.Lines)
		}
		out[lang] = p
	}
	return out
}()

// languages are those the planner speaks and writes texts in.
var languages = []string{"en", "pl", "ru"}

func mustRead(files embed.FS, name string, into any) {
	body, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		panic(name + ": " + err.Error())
	}
}

// sayIn gives the sentences of a language; English for one that has none.
func sayIn(lang string) phrases {
	if p, ok := spoken[lang]; ok {
		return p
	}
	return spoken["en"]
}

// line fills {0}, {1}, ... of a sentence.
func (p phrases) line(key string, args ...string) string {
	s, ok := p.Lines[key]
	if !ok {
		return key
	}
	for i, a := range args {
		s = strings.ReplaceAll(s, "{"+strconv.Itoa(i)+"}", a)
	}
	return s
}

func (p phrases) options(key string) []string { return strings.Split(p.line(key), "|") }

// kind names a step or trigger kind; one without a name of its own is named by its key.
func (p phrases) kind(kind string) string {
	if s, ok := p.Kinds[kind]; ok {
		return s
	}
	return strings.ReplaceAll(kind, "_", " ")
}

// hours writes a time in its largest whole unit.
func (p phrases) hours(h float64) string {
	switch {
	case h == 24:
		return p.line("one_day")
	case h >= 24 && h == float64(int(h/24))*24:
		return p.line("days", strconv.Itoa(int(h/24)))
	case h > 72 && h == float64(int(h)):
		return p.line("days", strconv.Itoa(int(h/24))) + " " + p.line("hours", strconv.Itoa(int(h)%24))
	case h == float64(int(h)):
		return p.line("hours", strconv.Itoa(int(h)))
	case h > 1:
		return p.line("hours", strconv.Itoa(int(h))) + " " + p.line("minutes", strconv.Itoa(int((h-float64(int(h)))*60+0.5)))
	default:
		return p.line("minutes", strconv.Itoa(int(h*60+0.5)))
	}
}
