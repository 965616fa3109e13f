package ai

import (
	"cmp"
	"embed"
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"
)

//go:embed lexicon/*.json
var lexiconFiles embed.FS

// lexicon is what the reader knows of one language. Cues are data: a new word is a line in lexicon/<language>.json.
//
// A cue is one or more folded words. A word ending in * stands for all that begin with it, "_" for up to two words of any kind.
type lexicon struct {
	stop    map[string]bool
	cues    map[rune][]cue // by the first letter of the cue
	units   []unitCue
	numbers map[string]float64
	words   vocabulary
	grammar map[rune][]cue // words that join clauses; see telling
}

// vocabulary is all words of the cues: whole ones, and stems by their length.
type vocabulary struct {
	whole map[string]bool
	stems map[int]map[string]bool // by number of bytes
}

func (v *vocabulary) add(pattern string) {
	stem, open := strings.CutSuffix(pattern, "*")
	if !open {
		v.whole[pattern] = true
		return
	}
	if v.stems[len(stem)] == nil {
		v.stems[len(stem)] = map[string]bool{}
	}
	v.stems[len(stem)][stem] = true
}

func (v *vocabulary) has(word string) bool {
	if v.whole[word] {
		return true
	}
	for n, stems := range v.stems {
		if n <= len(word) && stems[word[:n]] {
			return true
		}
	}
	return false
}

// cue is a phrase that means class and value, such as playbook/welcome.
type cue struct {
	class, value string
	words        []string
	fuzzy        bool // a misspelling of one of its words may be taken for it
}

type unitCue struct {
	word string
	unit string
}

type lexiconFile struct {
	Language  string                         `json:"language"`
	Stopwords []string                       `json:"stopwords"`
	Marks     map[string]map[string]cueWords `json:"marks"`
	Units     map[string][]string            `json:"units"`
	Numbers   map[string]float64             `json:"numbers"`
	Spans     map[string]float64             `json:"spans"`
	Grammar   map[string]cueWords            `json:"grammar"`
}

type cueWords []string

// lexicons are the languages the reader speaks, by code.
var lexicons = loadLexicons()

func loadLexicons() map[string]*lexicon {
	out := map[string]*lexicon{}
	files, err := fs.Glob(lexiconFiles, "lexicon/*.json")
	if err != nil {
		panic(err)
	}
	for _, name := range files {
		body, err := lexiconFiles.ReadFile(name)
		if err != nil {
			panic(err)
		}
		var file lexiconFile
		if err := json.Unmarshal(body, &file); err != nil {
			panic(name + ": " + err.Error())
		}
		out[file.Language] = newLexicon(file)
	}
	return out
}

func newLexicon(file lexiconFile) *lexicon {
	l := &lexicon{words: vocabulary{whole: map[string]bool{}, stems: map[int]map[string]bool{}}, stop: map[string]bool{}, cues: map[rune][]cue{}, numbers: map[string]float64{}}
	for word, n := range file.Numbers {
		l.numbers[fold(word)] = n
	}
	for _, w := range file.Stopwords {
		l.stop[fold(w)] = true
	}
	for class, values := range file.Marks {
		for value, phrases := range values {
			for _, p := range phrases {
				l.add(class, value, p)
			}
		}
	}
	for phrase, hours := range file.Spans {
		l.add("span", string(quote(hours)), phrase)
	}
	l.grammar = map[rune][]cue{}
	for value, phrases := range file.Grammar {
		for _, p := range phrases {
			words := strings.Fields(fold(p))
			first, _ := utf8.DecodeRuneInString(words[0])
			l.grammar[first] = append(l.grammar[first], cue{class: "grammar", value: value, words: words})
		}
	}
	for unit, words := range file.Units {
		for _, w := range words {
			l.units = append(l.units, unitCue{fold(w), unit})
		}
	}
	slices.SortFunc(l.units, func(a, b unitCue) int {
		return cmp.Or(cmp.Compare(len(b.word), len(a.word)), cmp.Compare(a.word, b.word))
	})
	for r := range l.cues {
		slices.SortFunc(l.cues[r], func(a, b cue) int {
			return cmp.Or(cmp.Compare(len(b.words), len(a.words)), cmp.Compare(strings.Join(b.words, " "), strings.Join(a.words, " ")), cmp.Compare(a.class, b.class), cmp.Compare(a.value, b.value))
		})
	}
	return l
}

func (l *lexicon) add(class, value, phrase string) {
	words := strings.Fields(fold(phrase))
	first, _ := utf8.DecodeRuneInString(words[0])
	for _, w := range words {
		if w != "_" {
			l.words.add(w)
		}
	}
	l.cues[first] = append(l.cues[first], cue{class, value, words, class != "refuse" && class != "inject" && value != "tag"})
}

// tells is how much a word speaks for the language.
func (l *lexicon) tells(word string) int {
	n := 0
	if l.stop[word] {
		n++
	}
	if l.owns(word) {
		n++
	}
	return n
}

// owns tells whether a word alone is a cue of the language of at least four letters.
func (l *lexicon) owns(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	for _, c := range l.cues[first] {
		if len(c.words[0]) >= 5 && wordMatches(c.words[0], word) {
			return true
		}
	}
	return false
}

// tellsEvent tells whether a word alone is one for something that happens.
func (l *lexicon) tellsEvent(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return slices.ContainsFunc(l.cues[first], func(c cue) bool { return c.class == "event" && len(c.words) == 1 && wordMatches(c.words[0], word) })
}

// eventOf is what happens by a word alone, "" where it is no word for that.
func (l *lexicon) eventOf(word string) string {
	first, _ := utf8.DecodeRuneInString(word)
	for _, c := range l.cues[first] {
		if c.class == "event" && len(c.words) == 1 && wordMatches(c.words[0], word) {
			return c.value
		}
	}
	return ""
}

func wordMatches(pattern, word string) bool {
	if stem, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(word, stem)
	}
	return pattern == word
}

// misspelt tells whether a word is the pattern with a letter or two wrong; short words must be right.
func misspelt(pattern, word string) bool {
	stem, open := strings.CutSuffix(pattern, "*")
	want, got := []rune(stem), []rune(word)
	allowed := 0
	switch {
	case len(got) >= 9 && len(want) >= 8:
		allowed = 2
	case len(got) >= 5 && len(want) >= 5:
		allowed = 1
	default:
		return false
	}
	if !open {
		return abs(len(want)-len(got)) <= allowed && distance(want, got) <= allowed
	}
	for _, n := range []int{len(want) - 1, len(want), len(want) + 1} {
		if n > 0 && n <= len(got) && distance(want, got[:n]) <= allowed && (len(want) > 6 || n != len(want) || sameLetters(want, got[:n])) {
			return true
		}
	}
	return false
}

// sameLetters tells whether two words differ in the order of their letters only: one wrong letter of a short stem makes another word.
func sameLetters(a, b []rune) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func abs(n int) int { return max(n, -n) }

// at returns how many tokens from i on a cue covers; 0 when it is not there.
func (c cue) at(tokens []token, i int, loose bool) int {
	j := i
	for w, pattern := range c.words {
		if pattern == "_" {
			continue
		}
		skip := 0
		if w > 0 && c.words[w-1] == "_" {
			skip = 2
		}
		found := false
		for k := 0; k <= skip && j+k < len(tokens); k++ {
			t := tokens[j+k]
			if t.kind != aWord && (t.kind != aNumber || k >= skip) {
				break
			}
			if wordMatches(pattern, t.text) || loose && c.fuzzy && !t.sure && misspelt(pattern, t.text) {
				j += k + 1
				found = true
				break
			}
		}
		if !found {
			return 0
		}
	}
	return j - i
}

// unit returns the time unit of a word, "" when it is none. A misspelling counts where the word means nothing else.
func (l *lexicon) unit(word string, loose bool) string {
	for _, u := range l.units {
		if wordMatches(u.word, word) {
			return u.unit
		}
	}
	for _, u := range l.units {
		if loose && misspelt(u.word, word) {
			return u.unit
		}
	}
	return ""
}

// knows tells whether a word is one of the language's: a stopword, a number, a unit or a word of a cue.
func (l *lexicon) knows(word string) bool {
	if _, number := l.numbers[word]; number || l.stop[word] || l.unit(word, false) != "" {
		return true
	}
	return l.words.has(word)
}
