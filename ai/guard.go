package ai

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lejek/lejek/engine"
)

// Further reasons why a text is not used.
const (
	RefusedFacts      = "facts"      // a figure, price, address or number that its author did not give
	RefusedEcho       = "echo"       // it repeats what stands in the person's data
	RefusedScript     = "language"   // another alphabet than the person reads
	RefusedLeak       = "leak"       // it repeats the rules
	RefusedSuspicious = "suspicious" // the person's data looks like an instruction; nobody was asked
)

// datamark stands for spaces in values of people, so that they do not read like a sentence to a model.
const datamark = "\uE000"

// canary stands in the rules and nowhere else: a text that holds it was made of them.
const canary = "LJK-5c19-rules"

var (
	phones  = regexp.MustCompile(`\+?\d[\d\s().-]{6,}\d`)
	schemes = regexp.MustCompile(`(?i)(javascript|data|vbscript|file|tel|ftp):|\{%|%\}|\$\{`)

	// orders are words that speak to a model rather than of a person, in three languages.
	orders = regexp.MustCompile(`(?i)\b(ignore|disregard|forget|override|bypass|overrule)\b.{0,60}\b(instruct|previous|above|rule|prompt|everything|earlier|guideline)` +
		`|\b(system|assistant|developer)\s*(:|>|\]|message|prompt)|<\|?/?(im_start|system|s)\b|\byou are (now|no longer)\b|\bact as\b|\bnew (instructions?|task|role)\b|\bpretend\b` +
		`|\b(reveal|print|repeat|output|show|return|reply|respond|say|write|tell)\b.{0,40}\b(prompt|rules|instructions?|only|exactly|verbatim|following|them|everyone|reader)\b|\bjailbreak|\bDAN\b|\bdo anything now\b` +
		`|(zignoruj|pomi[nń]|zapomnij|nie zwa[żz]aj|uniewa[żz]nij).{0,60}(instrukcj|polece|zasad|powy[żz]|wcze[śs]niej|wszystk|poprzedni)|jeste[śs] teraz|nowe (zadanie|polecenie|instrukcj)|udawaj|zachowuj si[ęe] jak|odpowiedz (tylko|dok[łl]adnie)|(napisz|wypisz|powt[óo]rz|ujawnij|poka[żz]|powiedz|przeka[żz]).{0,40}(zasad|instrukcj|prompt|tylko|dok[łl]adnie|czytelnik|odbiorc|wszystki)` +
		`|(игнорируй|забудь|не следуй|отмени|обойди|проигнорируй).{0,60}(инструкц|указан|правил|выше|предыдущ|вс[её])|теперь ты|ты теперь|нов(ая|ое|ые) (задач|роль|инструкц|задание)|притворись|веди себя как|(напиши|выведи|повтори|раскрой|покажи|скажи|ответь|сообщи).{0,40}(правил|инструкц|промпт|только|дословно|читател|получател|всем)`)
)

// Suspicious tells whether a value of a person looks like an instruction, an address or code. Such a value is not sent to a model. It is
// one fence of several: what passes it still meets the guard of the answer.
func Suspicious(value string) bool {
	plain := strings.Join(strings.Fields(strip(value)), " ")
	return len([]rune(value)) != len([]rune(strip(value))) || linkPattern.MatchString(plain) || markupPattern.MatchString(plain) || schemes.MatchString(plain) ||
		addresses.MatchString(plain) || orders.MatchString(plain) || orders.MatchString(fold(plain)) || strings.ContainsAny(plain, "{}<>`|")
}

// strip takes out what shows nothing: controls, joiners, and marks that turn the direction of writing.
func strip(s string) string {
	return strings.Map(func(r rune) rune {
		if forbidden(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) {
			return -1
		}
		return r
	}, s)
}

// maxValue is how much of a value of a person is used.
const maxValue = 200

// NormValue brings a value of a person to the form in which it is sent and remembered: alike values are one.
func NormValue(v any) any {
	s, ok := v.(string)
	if !ok {
		return v
	}
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) > maxValue {
		s = string([]rune(s)[:maxValue])
	}
	return s
}

// suspicious tells whether any value of the wish is.
func (w Wish) suspicious() bool {
	for _, v := range w.Attributes {
		if s, ok := v.(string); ok && Suspicious(s) {
			return true
		}
	}
	return false
}

// marked are the values as they are sent.
func (w Wish) marked() map[string]any {
	out := make(map[string]any, len(w.Attributes))
	for key, v := range w.Attributes {
		if s, ok := v.(string); ok {
			v = strings.ReplaceAll(s, " ", datamark)
		}
		out[key] = v
	}
	return out
}

// guard lets a text of a model pass that may stand in a message to this person.
func (w Wish) guard(came any, v engine.Written) (text, refused string) {
	if s, ok := came.(string); ok {
		came = strings.ReplaceAll(s, datamark, " ")
	}
	if text, refused = Guard(came, v); refused != "" {
		return "", refused
	}
	known := v.Instruction + " " + v.Fallback
	switch {
	case strings.Contains(text, canary), strings.Contains(text, "Task: personal texts"):
		return "", RefusedLeak
	case schemes.MatchString(text), strings.Contains(text, "@") && !strings.Contains(known, "@"), strings.ContainsAny(text, "<>{}"):
		return "", RefusedMarkup
	case invented(text, known), foreignNumber(text, known):
		return "", RefusedFacts
	case w.echoed(text):
		return "", RefusedEcho
	case (w.Language == "ru") != (script(text) == "ru") && slices.Contains(languages, w.Language) && script(text) != "":
		return "", RefusedScript
	}
	return text, ""
}

// foreignNumber tells whether a text holds something like a telephone number that its author did not give.
func foreignNumber(text, known string) bool {
	for _, n := range phones.FindAllString(text, -1) {
		if !strings.Contains(known, n) {
			return true
		}
	}
	return false
}

// echoLetters and echoWords are how much of a value may come back: a city, a name of a thing; not a sentence.
const (
	echoLetters = 24
	echoWords   = 4
)

func (w Wish) echoed(text string) bool {
	said := " " + strings.Join(strings.FieldsFunc(fold(text), notLetter), " ") + " "
	for _, v := range w.Attributes {
		s, ok := v.(string)
		if !ok || utf8.RuneCountInString(s) <= echoLetters {
			continue
		}
		words := strings.FieldsFunc(fold(s), notLetter)
		for i := 0; i+echoWords <= len(words); i++ {
			if strings.Contains(said, " "+strings.Join(words[i:i+echoWords], " ")+" ") {
				return true
			}
		}
		if len(words) > 0 && len(words) < echoWords && strings.Contains(said, strings.Join(words, " ")) {
			return true
		}
	}
	return false
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
