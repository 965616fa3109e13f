package sample

import (
	"fmt"
	"strings"
	"time"

	"github.com/lejek/lejek/backend/people"
)

const crowd = 240

// names are by language and agree in gender, as they do where the studio is.
var names = map[string][]family{
	"pl": {
		{first: []string{"Anna", "Maja", "Kasia", "Zofia", "Ola", "Ewa", "Hanna", "Magda", "Agnieszka"},
			last: []string{"Nowak", "Kowalczyk", "Wiśniewska", "Zielińska", "Mazur", "Lis", "Dąbrowska", "Wójcik", "Kamińska", "Pawlak", "Górska", "Sikora"}},
		{first: []string{"Piotr", "Tomasz", "Jan", "Marek", "Michał", "Paweł", "Łukasz"},
			last: []string{"Nowak", "Kowalczyk", "Wiśniewski", "Zieliński", "Mazur", "Lis", "Dąbrowski", "Wójcik", "Kamiński", "Pawlak", "Górski", "Sikora"}},
	},
	"ru": {
		{first: []string{"Олена", "Ирина", "Оксана", "Наталья", "Юлия"}, last: []string{"Шевченко", "Коваль", "Бондаренко", "Ткаченко", "Мельник", "Петрова"}},
		{first: []string{"Дмитро", "Сергей", "Андрей"}, last: []string{"Шевченко", "Коваль", "Бондаренко", "Ткаченко", "Мельник", "Петров"}},
	},
	"en": {
		{first: []string{"Emma", "Grace", "Sophie", "Oliver", "James", "Liam"}, last: []string{"Clarke", "Walsh", "Bennett", "Hughes", "Murphy"}},
	},
}

// family is first names and the surnames that go with them.
type family struct{ first, last []string }

var cities = []string{"Kraków", "Kraków", "Kraków", "Kraków", "Wieliczka", "Skawina", "Niepołomice", "Katowice"}

var classes = []string{"Vinyasa", "Hatha", "Yin", "Pilates", "Deep tissue massage"}

// someone is the n-th person. About one in six has no first name, one in ten no phone, one in five has not agreed to e-mail: so that
// fallbacks and skipped messages are there to be seen.
func someone(d *dice, n int, since time.Time) people.Input {
	language := "pl"
	switch {
	case d.chance(20):
		language = "ru"
	case d.chance(12):
		language = "en"
	}
	from := pick(d, names[language])
	first, last := pick(d, from.first), pick(d, from.last)
	in := people.Input{
		ExternalID: fmt.Sprintf("aurora-%03d", n+1),
		Email:      fmt.Sprintf("%s.%s%d@example.com", latin(first), latin(last), n+1),
		Language:   &language,
		LastName:   &last,
		Fields:     map[string]any{"city": pick(d, cities), "favourite_class": pick(d, classes), "visits": float64(d.roll(30))},
	}
	if !d.chance(15) {
		in.FirstName = &first
	}
	if !d.chance(10) {
		in.Phone = fmt.Sprintf("+48501%06d", 100000+n*37)
	}
	state := people.Granted
	if d.chance(20) {
		state = people.Unknown
	}
	if d.chance(4) {
		state = people.Denied
	}
	if state != people.Unknown {
		in.Consents = []people.ConsentInput{{Channel: "email", State: state, Source: "front desk", At: since}}
	}
	if d.chance(18) {
		in.Tags = []string{"regular"}
	}
	return in
}

var transliteration = strings.NewReplacer(
	"ą", "a", "ć", "c", "ę", "e", "ł", "l", "ń", "n", "ó", "o", "ś", "s", "ż", "z", "ź", "z",
	"а", "a", "б", "b", "в", "v", "г", "g", "д", "d", "е", "e", "ж", "zh", "з", "z", "и", "i", "й", "i", "к", "k", "л", "l", "м", "m", "н", "n", "о", "o",
	"п", "p", "р", "r", "с", "s", "т", "t", "у", "u", "ф", "f", "х", "kh", "ц", "ts", "ч", "ch", "ш", "sh", "щ", "sch", "ы", "y", "ь", "", "э", "e", "ю", "yu", "я", "ya",
)

// latin spells a name as an address does.
func latin(name string) string { return transliteration.Replace(strings.ToLower(name)) }
