package why

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/lejek/lejek/engine"
)

// Languages of a sentence, in the order of the tables below.
var languages = [...]string{"en", "pl", "ru"}

// Sentence says one thing. Params are for programs; Text is the sentence by language.
type Sentence struct {
	Code   string
	Params map[string]any
	Text   map[string]string
}

type words [3]string

// sentences by code. {name} stands for a parameter.
var sentences = map[string]words{
	"waits_until":   {"Waits at “{step}” until {until}, then goes on to “{next}”.", "Czeka w kroku „{step}” do {until}, potem przejdzie do „{next}”.", "Ждёт на шаге «{step}» до {until}, затем перейдёт к «{next}»."},
	"waits_last":    {"Waits at “{step}” until {until}; that is the last step.", "Czeka w kroku „{step}” do {until}; to ostatni krok.", "Ждёт на шаге «{step}» до {until}; это последний шаг."},
	"waits_for":     {"Waits at “{step}” for something to happen, at most until {until}.", "Czeka w kroku „{step}”, aż coś się wydarzy, najdłużej do {until}.", "Ждёт события на шаге «{step}», не дольше чем до {until}."},
	"waits_event":   {"Waits at “{step}” for “{event}”, at most until {until}.", "Czeka w kroku „{step}” na „{event}”, najdłużej do {until}.", "Ждёт на шаге «{step}» события «{event}», не дольше чем до {until}."},
	"waits_answer":  {"Awaits an answer from outside at “{step}”, at most until {until}.", "Czeka na odpowiedź z zewnątrz w kroku „{step}”, najdłużej do {until}.", "Ждёт ответа извне на шаге «{step}», не дольше чем до {until}."},
	"due":           {"Is about to go on from “{step}”.", "Zaraz przejdzie dalej z kroku „{step}”.", "Сейчас пойдёт дальше с шага «{step}»."},
	"paused":        {"Stands at “{step}”: the funnel is paused. Resume it and they go on.", "Stoi w kroku „{step}”: lejek jest wstrzymany. Po wznowieniu pójdzie dalej.", "Стоит на шаге «{step}»: воронка на паузе. После возобновления пойдёт дальше."},
	"parked":        {"Is stuck at “{step}”: {error}. Retry the step, skip it or end it.", "Utknął krok „{step}”: {error}. Ponów go, pomiń albo zakończ.", "Застрял шаг «{step}»: {error}. Повторите его, пропустите или завершите."},
	"ended":         {"Left on {at}: {reason}.", "Poza lejkiem od {at}: {reason}.", "Вне воронки с {at}: {reason}."},
	"refused":       {"Was not let in on {at}: {reason}.", "{at}: nie wpuszczono do lejka: {reason}.", "{at}: вход не разрешён: {reason}."},
	"never":         {"Nothing that starts this funnel has happened to this person yet.", "Nic, co zaczyna ten lejek, jeszcze się u tej osoby nie wydarzyło.", "Ничего, что запускает эту воронку, с этим человеком ещё не случилось."},
	"gone":          {"This person was erased or merged into another one.", "Ta osoba została usunięta albo połączona z inną.", "Этот человек удалён или объединён с другим."},
	"enter_yes":     {"Would enter now, as soon as this happens: {trigger}.", "Wejdzie teraz, gdy tylko: {trigger}.", "Войдёт сейчас, как только: {trigger}."},
	"enter_no":      {"Would not enter now: {reason}.", "Teraz nie wejdzie: {reason}.", "Сейчас не войдёт: {reason}."},
	"step_passed":   {"Passed “{step}” by “{port}”.", "Krok „{step}” opuszczony wyjściem „{port}”.", "Шаг «{step}» пройден по выходу «{port}»."},
	"step_decided":  {"“{step}”: {answer}, because {because}.", "„{step}”: {answer}, bo {because}.", "«{step}»: {answer}, потому что {because}."},
	"step_waits":    {"Came to “{step}” and waits until {until}.", "W kroku „{step}”, czeka do {until}.", "На шаге «{step}», ждёт до {until}."},
	"step_moved":    {"Moved from version {from} to version {to} at “{step}”.", "Przeniesienie z wersji {from} do wersji {to} w kroku „{step}”.", "Перенос с версии {from} на версию {to} на шаге «{step}»."},
	"sent":          {"Got “{step}” on {at}.", "„{step}” wysłano {at}.", "«{step}» отправлено {at}."},
	"message_held":  {"Did not get “{step}” yet: {reason} until {until}, then it sends.", "„{step}” jeszcze nie wysłano: {reason} do {until}, potem wyjdzie.", "«{step}» ещё не отправлено: {reason} до {until}, затем уйдёт."},
	"step_awaits":   {"Came to “{step}” and waits for “{event}”, at most until {until}.", "W kroku „{step}”, czeka na „{event}”, najdłużej do {until}.", "На шаге «{step}», ждёт события «{event}», не дольше чем до {until}."},
	"message_waits": {"Did not get “{step}” yet: {reason}.", "„{step}” jeszcze nie wysłano: {reason}.", "«{step}» ещё не отправлено: {reason}."},
	"message_never": {"Did not get “{step}”: {reason}.", "„{step}” nie wysłano: {reason}.", "«{step}» не отправлено: {reason}."},

	"barred": {"{steps} would not reach this person now: {reason}.", "{steps}: teraz nie dotrze do tej osoby, bo {reason}.", "{steps}: сейчас не дойдёт до этого человека: {reason}."},

	"trigger_silent":    {"Nobody has come in for {days} days. It starts when this happens: {trigger}.", "Od {days} dni nikt nie wszedł. Zaczyna się, gdy: {trigger}.", "Уже {days} дн. никто не входил. Запускается, когда: {trigger}."},
	"runs_parked":       {"{people} people are stuck here: {error}", "Utknęło tu osób: {people}. {error}", "Здесь застряло людей: {people}. {error}"},
	"reference_broken":  {"“{ref}” is used here and no longer exists.", "„{ref}” jest tu używane, ale już nie istnieje.", "«{ref}» используется здесь, но больше не существует."},
	"sender_unverified": {"The sender “{ref}” is not verified, so these messages may not arrive.", "Nadawca „{ref}” nie jest potwierdzony, więc wiadomości mogą nie dotrzeć.", "Отправитель «{ref}» не подтверждён, поэтому письма могут не дойти."},
	"variable_missing":  {"“{name}” is empty for {percent} % of the people inside, and they would not get this message.", "„{name}” jest puste u {percent} % osób w lejku i nie dostaną tej wiadomości.", "«{name}» не заполнено у {percent} % людей внутри, и они не получат это сообщение."},
}

// reasons are parts of sentences: why somebody left, was not let in, or did not get a message.
var reasons = map[string]words{
	"finished": {"came to the end of the way", "koniec drogi", "дошёл до конца пути"}, "goal": {"reached the goal", "cel osiągnięty", "цель достигнута"},
	"unsubscribed": {"unsubscribed", "wypisanie się", "отписка"}, "replaced": {"a newer trigger started it anew", "nowsze zdarzenie zaczęło od początku", "новое событие запустило заново"},
	"stopped": {"the funnel was stopped", "lejek zatrzymano", "воронка остановлена"}, "operator": {"somebody ended it by hand", "zakończono ręcznie", "завершено вручную"},
	"published": {"ended when a new version was published", "zakończono przy publikacji nowej wersji", "завершено при публикации новой версии"},
	"erased":    {"the person was erased", "osobę usunięto", "человек удалён"}, "merged": {"merged into another person", "połączono z inną osobą", "объединён с другим человеком"},
	"exited": {"a step took them out", "wyprowadził krok lejka", "выведен шагом воронки"},

	"filter":       {"the entry condition is not met ({because})", "warunek wejścia niespełniony ({because})", "условие входа не выполнено ({because})"},
	"goal_reached": {"the goal “{goal}” is reached already", "cel „{goal}” jest już osiągnięty", "цель «{goal}» уже достигнута"},
	"no_key":       {"the event lacks the property that tells runs apart", "zdarzeniu brakuje właściwości, która rozróżnia przejścia", "у события нет свойства, различающего прохождения"},
	"once":         {"one person goes through once only, and this one has", "każdy przechodzi tylko raz, a ta osoba już przeszła", "каждый проходит только раз, и этот человек уже прошёл"},
	"active":       {"they are inside already", "ta osoba jest już w środku", "уже внутри"},
	"pause":        {"they left a short time ago; they may enter again from {until}", "od wyjścia minęło za mało czasu; ponownie od {until}", "после выхода прошло мало времени; снова с {until}"},
	"older":        {"something newer has started it anew already", "coś nowszego zaczęło już od początku", "что-то более новое уже запустило заново"},
	"not_live":     {"the funnel is not live", "lejek nie działa", "воронка не запущена"}, "chain_limit": {"funnels start each other in a circle", "lejki uruchamiają się w kółko", "воронки запускают друг друга по кругу"},
	"filter_then":       {"the entry condition was not met", "warunek wejścia nie był spełniony", "условие входа не было выполнено"},
	"goal_reached_then": {"a goal was reached already", "cel był już osiągnięty", "цель уже была достигнута"},
	"broken":            {"this version cannot be run by this program", "ta wersja nie działa w tym programie", "эта версия не работает в этой программе"},
	"gone":              {"the person was erased or merged", "osobę usunięto albo połączono", "человек удалён или объединён"},
	"paused":            {"the funnel is paused", "lejek jest wstrzymany", "воронка на паузе"},

	"quiet_hours": {"quiet hours", "cisza", "тихие часы"}, "frequency_cap": {"enough messages for now", "limit wiadomości", "лимит сообщений"},
	"workspace_paused": {"all sending is paused", "całe wysyłanie jest wstrzymane", "вся отправка на паузе"}, "funnel_paused": {"the funnel is paused", "lejek jest wstrzymany", "воронка на паузе"},
	"void": {"their way went elsewhere before it left", "droga osoby zmieniła się, zanim wyszła", "путь человека изменился до отправки"}, "funnel_stopped": {"the funnel was stopped", "lejek zatrzymano", "воронка остановлена"},
	"expired": {"it was too late for it", "było na nią za późno", "для него было слишком поздно"}, "no_address": {"no address", "brak adresu", "нет адреса"},
	"suppressed": {"the address is blocked after a bounce or complaint", "adres zablokowany po zwrocie lub skardze", "адрес заблокирован после возврата или жалобы"},
	"topic_left": {"they left this topic", "zrezygnowano z tego tematu", "отказ от этой темы"}, "no_consent": {"they did not agree to get it", "brak zgody", "нет согласия"},
	"failed": {"it could not be handed over", "nie udało się jej przekazać", "не удалось передать"}, "unknown": {"nobody knows whether it left", "nie wiadomo, czy wyszła", "неизвестно, ушло ли"},
	"retry": {"it is tried again", "ponowna próba", "повторная попытка"}, "queued": {"it is in the queue", "jest w kolejce", "в очереди"}, "sending": {"it is being sent", "jest wysyłana", "отправляется"},
	"value_missing": {"a value is missing: {missing}", "brakuje wartości: {missing}", "не хватает значения: {missing}"},
	"yes":           {"yes", "tak", "да"}, "no": {"no", "nie", "нет"}, "nothing": {"nothing is set up to start it", "nic go nie zaczyna", "ничто её не запускает"},
}

// triggers say what has to happen, by kind.
var triggers = map[string]words{
	"form_submit": {"a form is sent", "zostanie wysłany formularz", "отправлена форма"}, "list_join": {"the list “{list}” is joined", "osoba trafi na listę „{list}”", "человек попадёт в список «{list}»"},
	"contact_created": {"the person is added", "osoba zostanie dodana", "человек добавлен"}, "tag_added": {"the tag “{tag}” is put on", "zostanie nadany tag „{tag}”", "поставлен тег «{tag}»"},
	"segment_enter": {"the segment “{segment}” is entered", "osoba wejdzie do segmentu „{segment}”", "человек войдёт в сегмент «{segment}»"}, "page_visit": {"a page is visited", "zostanie odwiedzona strona", "посещена страница"},
	"message_opened": {"a message is opened", "wiadomość zostanie otwarta", "сообщение открыто"}, "link_clicked": {"a link is clicked", "link zostanie kliknięty", "нажата ссылка"},
	"booking_made": {"something is booked", "powstanie rezerwacja", "сделана запись"}, "payment_made": {"a payment is made", "wpłynie płatność", "получен платёж"},
	"date_field": {"the date comes", "nadejdzie data", "наступит дата"}, "schedule": {"the scheduled time comes", "nadejdzie zaplanowany czas", "наступит назначенное время"},
	"manual": {"somebody starts it by hand", "ktoś uruchomi ręcznie", "кто-то запустит вручную"}, "api_event": {"the event “{name}” comes in", "przyjdzie zdarzenie „{name}”", "придёт событие «{name}»"},
}

// operators are what a comparison asks, by language; English says the engine.
var operators = map[engine.Op][2]string{
	"is": {"jest", "равно"}, "is_not": {"nie jest", "не равно"}, "contains": {"zawiera", "содержит"}, "not_contains": {"nie zawiera", "не содержит"},
	"starts_with": {"zaczyna się od", "начинается с"}, "ends_with": {"kończy się na", "заканчивается на"}, "in": {"jest wśród", "среди"}, "not_in": {"nie jest wśród", "не среди"},
	"gt": {"więcej niż", "больше"}, "gte": {"co najmniej", "не меньше"}, "lt": {"mniej niż", "меньше"}, "lte": {"co najwyżej", "не больше"}, "between": {"między", "между"},
	"is_set": {"jest podane", "указано"}, "is_not_set": {"nie jest podane", "не указано"}, "is_true": {"tak", "да"}, "is_false": {"nie", "нет"},
	"before": {"przed", "до"}, "after": {"po", "после"}, "within_last": {"w ciągu ostatnich", "за последние"}, "not_within_last": {"nie w ciągu ostatnich", "не за последние"}, "in_next": {"w ciągu najbliższych", "в ближайшие"},
}

// phrase is a part of a sentence in each language.
type phrase words

// say makes a sentence. A parameter that is an instant is told in the zone, a phrase in each language.
func say(code string, zone *time.Location, params map[string]any) Sentence {
	return Sentence{Code: code, Params: plain(params), Text: texts(sentences[code], zone, params)}
}

// Say makes a sentence of what is no person's, with instants in UTC.
func Say(code string, params map[string]any) Sentence { return say(code, time.UTC, params) }

func part(table map[string]words, code string, zone *time.Location, params map[string]any) phrase {
	form, known := table[code]
	if !known {
		readable := strings.ReplaceAll(code, "_", " ")
		form = words{readable, readable, readable}
	}
	t := texts(form, zone, params)
	return phrase{t["en"], t["pl"], t["ru"]}
}

// opened says what fires a trigger.
func opened(o engine.Opening) phrase {
	params := map[string]any{"name": o.Event.Name, "list": "", "tag": "", "segment": ""}
	maps.Copy(params, o.Event.Props)
	return part(triggers, o.Kind, time.UTC, params)
}

// Opened is what fires a trigger, as a parameter of Say.
func Opened(o engine.Opening) any { return opened(o) }

func texts(form words, zone *time.Location, params map[string]any) map[string]string {
	text := map[string]string{}
	for i, language := range languages {
		out := form[i]
		for key, value := range params {
			out = strings.ReplaceAll(out, "{"+key+"}", shown(value, i, zone))
		}
		text[language] = out
	}
	return text
}

func shown(value any, language int, zone *time.Location) string {
	switch v := value.(type) {
	case phrase:
		return v[language]
	case time.Time:
		local := v.In(zone)
		place := zone.String()
		if _, city, ok := strings.Cut(place, "/"); ok {
			place = strings.ReplaceAll(city[strings.LastIndex(city, "/")+1:], "_", " ")
		}
		return local.Format("2006-01-02 15:04") + " (" + place + ")"
	default:
		return fmt.Sprint(v)
	}
}

// plain turns the parameters into what JSON holds.
func plain(params map[string]any) map[string]any {
	out := make(map[string]any, len(params))
	for key, value := range params {
		switch v := value.(type) {
		case phrase:
			out[key] = v[0]
		default:
			out[key] = v
		}
	}
	return out
}

// because says the comparisons that decided, with the values they met.
func because(facts []fact, truth bool) phrase {
	var out [3][]string
	for _, f := range facts {
		if f.True != truth && len(facts) > 1 {
			continue
		}
		out[0] = append(out[0], f.Text)
		out[1] = append(out[1], f.in(0, "to", "brak", "tak", "nie"))
		out[2] = append(out[2], f.in(1, "это", "нет значения", "да", "нет"))
	}
	return phrase{strings.Join(out[0], "; "), strings.Join(out[1], "; "), strings.Join(out[2], "; ")}
}

// fact is engine.Fact as the journal keeps it.
type fact struct {
	Subject string    `json:"subject"`
	Op      engine.Op `json:"op"`
	Want    any       `json:"want"`
	Got     any       `json:"got"`
	True    bool      `json:"true"`
	Text    string    `json:"text"`
}

func (f fact) in(language int, is, missing, yes, no string) string {
	answer := no
	if f.True {
		answer = yes
	}
	if f.Op == "" {
		return f.Subject + ": " + answer
	}
	got := missing
	if f.Got != nil {
		got = fmt.Sprint(f.Got)
	}
	claim := f.Subject + " " + operators[f.Op][language]
	if f.Want != nil {
		claim += " " + fmt.Sprint(f.Want)
	}
	return fmt.Sprintf("%s: %s, %s %s", claim, answer, is, got)
}
