package eval

import (
	_ "embed"
	"encoding/json"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"unicode"
)

//go:embed synonyms.json
var synonymsFile []byte

// synonyms are words people use for one another, by language.
var synonyms = func() map[string]map[string]string {
	var out map[string]map[string]string
	if err := json.Unmarshal(synonymsFile, &out); err != nil {
		panic(err)
	}
	return out
}()

// mutation writes a prompt as somebody in a hurry would.
type mutation struct {
	kind  string
	write func(prompt, lang string, r *rand.Rand) string
}

var mutations = []mutation{
	{"typos", func(prompt, _ string, r *rand.Rand) string {
		return byWord(prompt, func(w string) string { return typo(w, r) })
	}},
	{"more_typos", func(prompt, _ string, r *rand.Rand) string {
		return byWord(prompt, func(w string) string { return typo(w, r) })
	}},
	{"case", func(prompt, _ string, r *rand.Rand) string {
		if r.IntN(2) == 0 {
			return byWord(prompt, capitalised)
		}
		return byWord(prompt, strings.ToLower)
	}},
	{"no_diacritics", func(prompt, _ string, _ *rand.Rand) string { return plain.Replace(prompt) }},
	{"synonyms", func(prompt, lang string, _ *rand.Rand) string {
		return byWord(prompt, func(w string) string {
			if other, ok := synonyms[lang][strings.ToLower(w)]; ok {
				return other
			}
			return w
		})
	}},
}

var plain = strings.NewReplacer("ą", "a", "ć", "c", "ę", "e", "ł", "l", "ń", "n", "ó", "o", "ś", "s", "ź", "z", "ż", "z", "Ą", "A", "Ć", "C", "Ę", "E", "Ł", "L", "Ń", "N",
	"Ó", "O", "Ś", "S", "Ź", "Z", "Ż", "Z", "ё", "е", "Ё", "Е", "—", "-", "–", "-", "„", "\"", "”", "\"", "«", "\"", "»", "\"")

// byWord changes the words of a prompt. What stands in quotes, codes, names with an underscore and whatever is not a word stay as they are.
func byWord(prompt string, change func(string) string) string {
	var out, word strings.Builder
	quoted := false
	flush := func() {
		w := word.String()
		word.Reset()
		if quoted || w == "" || strings.ContainsAny(w, "_0123456789") || len(w) > 2 && w == strings.ToUpper(w) {
			out.WriteString(w)
			return
		}
		out.WriteString(change(w))
	}
	for _, c := range prompt {
		if unicode.IsLetter(c) || unicode.IsDigit(c) || c == '_' {
			word.WriteRune(c)
			continue
		}
		flush()
		if strings.ContainsRune("\"„”«»'", c) {
			quoted = !quoted
		}
		out.WriteRune(c)
	}
	flush()
	return out.String()
}

// typo harms about a fifth of the long words: two letters change places, one is left out, or doubled; the first stays.
func typo(w string, r *rand.Rand) string {
	letters := []rune(w)
	if len(letters) < 6 || r.IntN(5) != 0 {
		return w
	}
	at := 1 + r.IntN(len(letters)-2)
	switch r.IntN(3) {
	case 0:
		letters[at], letters[at+1] = letters[at+1], letters[at]
	case 1:
		letters = append(letters[:at], letters[at+1:]...)
	default:
		letters = append(letters[:at+1], letters[at:]...)
	}
	return string(letters)
}

func capitalised(w string) string {
	letters := []rune(strings.ToLower(w))
	letters[0] = unicode.ToUpper(letters[0])
	return string(letters)
}

// Mutate measures the prompts again, each written badly in five ways. The same prompt is always harmed in the same way.
func Mutate(prompts []Prompt, draft Draft, before float64) *Mutants {
	out := &Mutants{ByKind: map[string]float64{}}
	passed, all := 0, 0
	for _, m := range mutations {
		var ok, of int
		for _, p := range prompts {
			seed := fnv.New64a()
			_, _ = seed.Write([]byte(m.kind + p.ID))
			p.Prompt = m.write(p.Prompt, p.Lang, rand.New(rand.NewPCG(seed.Sum64(), 7))) //nolint:gosec // the same harm each time is the aim
			g := Grade(p, draft(p))
			ok += len(g.Passed)
			of += len(g.Passed) + len(g.Failed)
			out.Prompts++
		}
		out.ByKind[m.kind] = share(ok, of)
		passed, all = passed+ok, all+of
	}
	out.IntentMicro = share(passed, all)
	out.Drop = round(100*(before-out.IntentMicro), 2)
	return out
}
