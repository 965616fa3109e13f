package engine

// titleWords are the lines of titles; {0} and {1} stand for what they are about.
var titleWords = map[string]Title{
	"wait":             {"Wait {0}", "Czekaj {0}", "Ждать {0}"},
	"wait_until":       {"Wait until {0}", "Czekaj do {0}", "Ждать до {0}"},
	"wait_field":       {"Wait until: {0}", "Czekaj do: {0}", "Ждать до: {0}"},
	"wait_before":      {"Wait until {0} before: {1}", "Czekaj do: {0} przed: {1}", "Ждать до: {0} до: {1}"},
	"wait_after":       {"Wait until {0} after: {1}", "Czekaj do: {0} po: {1}", "Ждать до: {0} после: {1}"},
	"wait_weekday":     {"Wait for {0}", "Czekaj na: {0}", "Ждать: {0}"},
	"wait_event":       {"Wait for: {0}", "Czekaj na: {0}", "Ждать: {0}"},
	"add_tag":          {"Add the tag {0}", "Dodaj etykietę {0}", "Добавить метку {0}"},
	"remove_tag":       {"Take off the tag {0}", "Zdejmij etykietę {0}", "Снять метку {0}"},
	"add_to_list":      {"Add to the list {0}", "Dodaj do listy {0}", "Добавить в список {0}"},
	"remove_from_list": {"Take off the list {0}", "Usuń z listy {0}", "Убрать из списка {0}"},
	"set_field":        {"Write {0}", "Zapisz {0}", "Записать {0}"},
	"enter_funnel":     {"Enter the funnel {0}", "Wejdź do lejka {0}", "Войти в воронку {0}"},
	"book_slot":        {"Book {0}", "Zarezerwuj: {0}", "Забронировать: {0}"},
	"http_request":     {"Ask {0}", "Zapytaj {0}", "Запросить {0}"},
	"join":             {"Paths meet", "Drogi się schodzą", "Пути сходятся"},
	"exit_all":         {"Leave all funnels", "Wyjdź ze wszystkich lejków", "Выйти из всех воронок"},
	"exit_named":       {"Leave the funnel {0}", "Wyjdź z lejka {0}", "Выйти из воронки {0}"},
	"exit_this":        {"Leave this funnel", "Wyjdź z tego lejka", "Выйти из этой воронки"},
	"throttle":         {"At most {0} in {1}", "Najwyżej {0} na {1}", "Не больше {0} за {1}"},
	"quiet_hours":      {"No marketing from {0} to {1}", "Bez marketingu od {0} do {1}", "Без маркетинга с {0} до {1}"},
	"hold_out":         {"hold-out", "grupa kontrolna", "контрольная группа"},
	"notify_slack":     {"Tell the team by Slack", "Powiadom zespół przez Slack", "Уведомить команду в Slack"},
	"notify_telegram":  {"Tell the team by Telegram", "Powiadom zespół przez Telegram", "Уведомить команду в Telegram"},
	"notify_email":     {"Tell the team by e-mail", "Powiadom zespół e-mailem", "Уведомить команду по почте"},
}

// eventTitles are the names of our own events.
var eventTitles = map[string]Title{
	"contact_created":    {"A person is added", "Pojawia się nowa osoba", "Добавлен человек"},
	"contact_updated":    {"A person is changed", "Zmieniają się dane osoby", "Изменены данные человека"},
	"list_joined":        {"A list is joined", "Zapis na listę", "Запись в список"},
	"list_left":          {"A list is left", "Wypis z listy", "Выход из списка"},
	"tag_added":          {"A tag is added", "Dodanie etykiety", "Добавлена метка"},
	"tag_removed":        {"A tag is taken off", "Zdjęcie etykiety", "Снята метка"},
	"message_sent":       {"A message is sent", "Wiadomość wysłana", "Сообщение отправлено"},
	"message_delivered":  {"A message is delivered", "Wiadomość dostarczona", "Сообщение доставлено"},
	"message_opened":     {"A message is opened", "Wiadomość otwarta", "Сообщение открыто"},
	"link_clicked":       {"A link is clicked", "Kliknięcie w link", "Клик по ссылке"},
	"message_replied":    {"A message is answered", "Odpowiedź na wiadomość", "Ответ на сообщение"},
	"message_bounced":    {"A message bounces", "Wiadomość się odbija", "Сообщение вернулось"},
	"message_complained": {"Somebody calls a message spam", "Ktoś uznaje wiadomość za spam", "Кто-то называет сообщение спамом"},
	"unsubscribed":       {"Somebody unsubscribes", "Ktoś się wypisuje", "Кто-то отписался"},
	"consent_changed":    {"A consent changes", "Zmienia się zgoda", "Меняется согласие"},
	"goal_reached":       {"A goal is reached", "Cel osiągnięty", "Достигнута цель"},
	"form_submitted":     {"A form is sent", "Ktoś wysyła formularz", "Отправлена форма"},
	"page_visited":       {"A page is visited", "Ktoś odwiedza stronę", "Посещена страница"},
	"booking_made":       {"A booking is made", "Ktoś rezerwuje termin", "Забронировано время"},
	"booking_cancelled":  {"A booking is cancelled", "Rezerwacja zostaje odwołana", "Бронь отменена"},
	"payment_made":       {"A payment is made", "Ktoś płaci", "Получена оплата"},
	"payment_refunded":   {"A payment is refunded", "Płatność zostaje zwrócona", "Оплата возвращена"},
	"segment_entered":    {"A segment is entered", "Ktoś wchodzi do segmentu", "Кто-то входит в сегмент"},
	"segment_left":       {"A segment is left", "Ktoś wychodzi z segmentu", "Кто-то выходит из сегмента"},
	"date_reached":       {"A date comes", "Nadchodzi data", "Наступает дата"},
	"schedule_due":       {"A recurring time comes", "Nadchodzi powtarzalny termin", "Наступает повторяющееся время"},
}

// fieldTitles are the names of the fields every person has.
var fieldTitles = map[string]Title{
	"first_name": {"First name", "Imię", "Имя"},
	"last_name":  {"Last name", "Nazwisko", "Фамилия"},
	"email":      {"E-mail", "E-mail", "Эл. почта"},
	"phone":      {"Phone", "Telefon", "Телефон"},
	"language":   {"Language", "Język", "Язык"},
	"zone":       {"Time zone", "Strefa czasowa", "Часовой пояс"},
	"city":       {"City", "Miasto", "Город"},
	"country":    {"Country", "Kraj", "Страна"},
	"created_at": {"Added on", "Data dodania", "Дата добавления"},
}

// spanTitles are one, a few and many of a unit, by language.
var spanTitles = map[Unit][3][3]string{
	Minutes: {{"minute", "minutes", "minutes"}, {"minutę", "minuty", "minut"}, {"минуту", "минуты", "минут"}},
	Hours:   {{"hour", "hours", "hours"}, {"godzinę", "godziny", "godzin"}, {"час", "часа", "часов"}},
	Days:    {{"day", "days", "days"}, {"dzień", "dni", "dni"}, {"день", "дня", "дней"}},
	Weeks:   {{"week", "weeks", "weeks"}, {"tydzień", "tygodnie", "tygodni"}, {"неделю", "недели", "недель"}},
}

var weekdayTitles = map[string]Title{
	"mon": {"Mon", "pon", "пн"},
	"tue": {"Tue", "wt", "вт"},
	"wed": {"Wed", "śr", "ср"},
	"thu": {"Thu", "czw", "чт"},
	"fri": {"Fri", "pt", "пт"},
	"sat": {"Sat", "sob", "сб"},
	"sun": {"Sun", "nd", "вс"},
}

// kindTitles are what a step is called while there is nothing else to say.
var kindTitles = map[string]Title{
	"entry":            {"Start", "Start", "Начало"},
	"send_email":       {"Send an e-mail", "Wyślij e-mail", "Отправить письмо"},
	"send_sms":         {"Send a text message", "Wyślij SMS", "Отправить SMS"},
	"send_push":        {"Send a push notification", "Wyślij powiadomienie push", "Отправить push-уведомление"},
	"send_letter":      {"Send a letter", "Wyślij list", "Отправить бумажное письмо"},
	"wait":             {"Wait", "Czekaj", "Ждать"},
	"throttle":         {"Let through a few at a time", "Przepuszczaj po kilka osób", "Пропускать понемногу"},
	"quiet_hours":      {"Quiet hours", "Godziny ciszy", "Тихие часы"},
	"condition":        {"Check a condition", "Sprawdź warunek", "Проверить условие"},
	"split":            {"Split at random", "Podziel losowo", "Разделить случайно"},
	"join":             {"Bring together", "Połącz drogi", "Соединить пути"},
	"add_tag":          {"Add a tag", "Dodaj etykietę", "Добавить метку"},
	"remove_tag":       {"Remove a tag", "Zdejmij etykietę", "Снять метку"},
	"set_field":        {"Set a field", "Ustaw pole", "Записать поле"},
	"add_to_list":      {"Add to a list", "Dodaj do listy", "Добавить в список"},
	"remove_from_list": {"Take off a list", "Usuń z listy", "Убрать из списка"},
	"ai_generate":      {"Write with AI", "Napisz z AI", "Написать с ИИ"},
	"http_request":     {"Send a web request", "Wyślij żądanie HTTP", "Отправить HTTP-запрос"},
	"create_payment":   {"Create a payment", "Utwórz płatność", "Создать платёж"},
	"enter_funnel":     {"Enter another funnel", "Wejdź do innego lejka", "Войти в другую воронку"},
	"book_slot":        {"Book a time", "Zarezerwuj termin", "Забронировать время"},
	"exit_funnel":      {"Leave a funnel", "Wyjdź z lejka", "Выйти из воронки"},
	"notify_team":      {"Tell the team", "Powiadom zespół", "Уведомить команду"},
	"goal":             {"Goal", "Cel", "Цель"},
}
