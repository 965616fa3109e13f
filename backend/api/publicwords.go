package api

import (
	"fmt"
	"time"
)

// publicWords are the texts of the public pages.
var publicWords = map[string]map[string]string{
	"en": {
		"title": "Form", "send": "Send", "required": "required", "thanks": "Thank you. Your answers have arrived.",
		"check": "Almost done: we have sent you an e-mail. Please open it and confirm your address.", "slower": "That was very quick. Please look over your answers and send them again.",
		"confirm": "Confirm my address", "confirm_ask": "Do you confirm your address for “%s”?", "confirmed": "Thank you, your address is confirmed.",
		"gone": "This link does not work any more.", "again": "Something went wrong. Please try again.", "often": "That was too often. Please try again in a minute.",
		"choose": "Please choose a time.", "email_wrong": "Please enter your e-mail address, such as anna@example.com.", "taken": "Somebody else has just taken this time. Please choose another one.",
		"book": "Book", "name": "Name", "email": "E-mail", "none": "Nothing is free in this week.", "earlier": "Earlier", "later": "Later", "times": "Times are in the zone",
		"yours": "Your booking", "cancel": "Cancel this booking", "cancelled": "This booking is cancelled.", "select": "Please choose", "leave": "Leave this empty",
	},
	"pl": {
		"title": "Formularz", "send": "Wyślij", "required": "wymagane", "thanks": "Dziękujemy. Odpowiedzi dotarły.",
		"check": "Jeszcze chwila: wysłaliśmy Ci e-mail. Otwórz go i potwierdź adres.", "slower": "To było bardzo szybko. Przejrzyj odpowiedzi i wyślij je ponownie.",
		"confirm": "Potwierdzam adres", "confirm_ask": "Potwierdzasz swój adres dla „%s”?", "confirmed": "Dziękujemy, adres jest potwierdzony.",
		"gone": "Ten link już nie działa.", "again": "Coś poszło nie tak. Spróbuj ponownie.", "often": "Za dużo prób. Spróbuj ponownie za minutę.",
		"choose": "Wybierz termin.", "email_wrong": "Podaj adres e-mail, np. anna@example.com.", "taken": "Ktoś właśnie zajął ten termin. Wybierz inny.",
		"book": "Rezerwuję", "name": "Imię i nazwisko", "email": "E-mail", "none": "W tym tygodniu nie ma wolnych terminów.", "earlier": "Wcześniej", "later": "Później", "times": "Godziny w strefie",
		"yours": "Twoja rezerwacja", "cancel": "Odwołuję rezerwację", "cancelled": "Ta rezerwacja jest odwołana.", "select": "Wybierz", "leave": "Zostaw puste",
	},
	"ru": {
		"title": "Форма", "send": "Отправить", "required": "обязательно", "thanks": "Спасибо. Ваши ответы получены.",
		"check": "Почти готово: мы отправили вам письмо. Откройте его и подтвердите адрес.", "slower": "Это было очень быстро. Проверьте ответы и отправьте ещё раз.",
		"confirm": "Подтвердить адрес", "confirm_ask": "Вы подтверждаете свой адрес для «%s»?", "confirmed": "Спасибо, адрес подтверждён.",
		"gone": "Эта ссылка больше не работает.", "again": "Что-то пошло не так. Попробуйте ещё раз.", "often": "Слишком часто. Попробуйте через минуту.",
		"choose": "Выберите время.", "email_wrong": "Укажите адрес почты, например anna@example.com.", "taken": "Это время только что заняли. Выберите другое.",
		"book": "Записаться", "name": "Имя", "email": "Эл. почта", "none": "На этой неделе свободного времени нет.", "earlier": "Раньше", "later": "Позже", "times": "Время указано в поясе",
		"yours": "Ваша запись", "cancel": "Отменить запись", "cancelled": "Эта запись отменена.", "select": "Выберите", "leave": "Оставьте пустым",
	},
}

var (
	dayNames = map[string][7]string{
		"en": {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
		"pl": {"niedziela", "poniedziałek", "wtorek", "środa", "czwartek", "piątek", "sobota"},
		"ru": {"воскресенье", "понедельник", "вторник", "среда", "четверг", "пятница", "суббота"},
	}
	monthNames = map[string][12]string{
		"en": {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
		"pl": {"stycznia", "lutego", "marca", "kwietnia", "maja", "czerwca", "lipca", "sierpnia", "września", "października", "listopada", "grudnia"},
		"ru": {"января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября", "ноября", "декабря"},
	}
)

// dayOf writes a day in a language: Monday, 30 November.
func dayOf(local time.Time, code string) string {
	return fmt.Sprintf("%s, %d %s", dayNames[code][local.Weekday()], local.Day(), monthNames[code][local.Month()-1])
}
