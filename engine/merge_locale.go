package engine

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// The words of dates. After a day Polish and Russian months stand in the genitive, alone in the nominative.
var (
	monthsAlone = map[string][12]string{
		"pl": {"styczeń", "luty", "marzec", "kwiecień", "maj", "czerwiec", "lipiec", "sierpień", "wrzesień", "październik", "listopad", "grudzień"},
		"ru": {"январь", "февраль", "март", "апрель", "май", "июнь", "июль", "август", "сентябрь", "октябрь", "ноябрь", "декабрь"},
	}
	monthNames = map[string][12]string{
		"pl": {"stycznia", "lutego", "marca", "kwietnia", "maja", "czerwca", "lipca", "sierpnia", "września", "października", "listopada", "grudnia"},
		"ru": {"января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября", "ноября", "декабря"},
	}
	shortMonthNames = map[string][12]string{
		"pl": {"sty", "lut", "mar", "kwi", "maj", "cze", "lip", "sie", "wrz", "paź", "lis", "gru"},
		"ru": {"янв.", "февр.", "мар.", "апр.", "мая", "июн.", "июл.", "авг.", "сент.", "окт.", "нояб.", "дек."},
	}
	dayNames = map[string][7]string{
		"pl": {"niedziela", "poniedziałek", "wtorek", "środa", "czwartek", "piątek", "sobota"},
		"ru": {"воскресенье", "понедельник", "вторник", "среда", "четверг", "пятница", "суббота"},
	}
	shortDayNames = map[string][7]string{
		"pl": {"niedz.", "pon.", "wt.", "śr.", "czw.", "pt.", "sob."},
		"ru": {"вс", "пн", "вт", "ср", "чт", "пт", "сб"},
	}
)

// formatDate writes a time like the example 2 January 2006 15:04 (Go's reference time), with the names of months and days
// in the language.
func formatDate(face time.Time, layout, language string) string {
	if _, known := monthNames[language]; !known {
		return face.Format(layout)
	}
	month := monthNames[language][face.Month()-1]
	if before, _, _ := strings.Cut(layout, "January"); !strings.HasSuffix(strings.TrimRight(before, " .,-"), "2") {
		month = monthsAlone[language][face.Month()-1]
	}
	words := []struct {
		example, word string
	}{
		{"January", month},
		{"Jan", shortMonthNames[language][face.Month()-1]},
		{"Monday", dayNames[language][face.Weekday()]},
		{"Mon", shortDayNames[language][face.Weekday()]},
	}
	var out strings.Builder
	plain := 0
scan:
	for i := 0; i < len(layout); {
		for _, w := range words {
			if strings.HasPrefix(layout[i:], w.example) {
				out.WriteString(face.Format(layout[plain:i]))
				out.WriteString(w.word)
				i += len(w.example)
				plain = i
				continue scan
			}
		}
		i++
	}
	out.WriteString(face.Format(layout[plain:]))
	return out.String()
}

// noBreak keeps the groups of a number on one line.
const noBreak = "\u00a0"

// localNumber groups a number by thousands; decimals -1 keeps those it has.
func localNumber(x float64, decimals int, language string) string {
	if math.Abs(x) >= 1e15 {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	digits := strconv.FormatFloat(math.Abs(x), 'f', decimals, 64)
	sign := ""
	if x < 0 && strings.Trim(digits, "0.") != "" {
		sign = "-"
	}
	integer, fraction, hasFraction := strings.Cut(digits, ".")
	group, point, from := ",", ".", 4
	switch language {
	case "pl":
		group, point, from = noBreak, ",", 5
	case "ru":
		group, point, from = noBreak, ",", 5
	}
	var out strings.Builder
	out.WriteString(sign)
	for i := range integer {
		if i > 0 && (len(integer)-i)%3 == 0 && len(integer) >= from {
			out.WriteString(group)
		}
		out.WriteByte(integer[i])
	}
	if hasFraction {
		out.WriteString(point + fraction)
	}
	return out.String()
}

var (
	wholeCurrencies = map[string]bool{"JPY": true, "KRW": true, "VND": true, "CLP": true, "ISK": true}
	currencySigns   = map[string]string{"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥"}
	suffixSigns     = map[string]string{"PLN": "zł", "RUB": "₽", "UAH": "₴", "CZK": "Kč"}
)

// localMoney writes an amount the way a language does: €19.90 in English, 19,90 € in Polish and Russian.
func localMoney(x float64, currency, language string) string {
	decimals := 2
	if wholeCurrencies[currency] {
		decimals = 0
	}
	digits := localNumber(x, decimals, language)
	sign, hasSign := currencySigns[currency]
	if language == "pl" || language == "ru" {
		if own, ok := suffixSigns[currency]; ok {
			sign = own
		} else if !hasSign {
			sign = currency
		}
		return digits + noBreak + sign
	}
	minus := ""
	if rest, negative := strings.CutPrefix(digits, "-"); negative {
		minus, digits = "-", rest
	}
	if hasSign {
		return minus + sign + digits
	}
	return minus + currency + noBreak + digits
}

// pluralForm picks the word for a number: one, many; in Polish and Russian one, few, many.
func pluralForm(x float64, language string) int {
	n := math.Abs(x)
	if n != math.Trunc(n) {
		return 1
	}
	ten, hundred := math.Mod(n, 10), math.Mod(n, 100)
	few := ten >= 2 && ten <= 4 && (hundred < 12 || hundred > 14)
	switch {
	case language == "ru" && ten == 1 && hundred != 11, language != "ru" && n == 1:
		return 0
	case language == "pl" || language == "ru":
		if few {
			return 1
		}
		return 2
	default:
		return 1
	}
}
