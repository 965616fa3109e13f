/** What the server offers to mend with one click, by its English. "…" stands for the name or number in it. */
export const fixes: Record<string, Record<string, string>> = {
  pl: {
    "Use “…”": "Użyj „…”",
    "Make it …": "Ustaw …",
    "Use the usual value": "Użyj zwykłej wartości",
    "Use version 1": "Użyj wersji 1",
    One: "Jedna",
    "At 09:00": "O 09:00",
    "At least": "Co najmniej",
    "Take any message": "Weź dowolną wiadomość",
    "Round it": "Zaokrąglij",
    "Take the time away": "Usuń czas",
    "Add the footer": "Dodaj stopkę",
    "Add a fallback": "Dodaj tekst zastępczy",
    "Let it wait longer": "Pozwól jej czekać dłużej",
    "Take the step away": "Usuń krok",
    "Turn it on": "Włącz go",
    "Again after they have left": "Znowu po wyjściu",
    "Until 08:00": "Do 08:00",
    "Share out evenly": "Podziel po równo",
    "Take the mark away": "Usuń oznaczenie",
    "Take the time of day away": "Usuń godzinę",
    "Wait 1": "Czekaj 1",
  },
  ru: {
    "Use “…”": "Взять «…»",
    "Make it …": "Поставить …",
    "Use the usual value": "Взять обычное значение",
    "Use version 1": "Взять версию 1",
    One: "Один",
    "At 09:00": "В 09:00",
    "At least": "Не меньше",
    "Take any message": "Взять любое сообщение",
    "Round it": "Округлить",
    "Take the time away": "Убрать время",
    "Add the footer": "Добавить подвал",
    "Add a fallback": "Добавить запасной текст",
    "Let it wait longer": "Разрешить ждать дольше",
    "Take the step away": "Убрать шаг",
    "Turn it on": "Включить его",
    "Again after they have left": "Снова после выхода",
    "Until 08:00": "До 08:00",
    "Share out evenly": "Разделить поровну",
    "Take the mark away": "Убрать отметку",
    "Take the time of day away": "Убрать время суток",
    "Wait 1": "Ждать 1",
  },
};

/** The label of a mend apart from the name or number in it. */
function parts(label: string): { text: string; name: string } {
  const named = /^Use ["“](?<name>.*)["”]$/.exec(label)?.groups?.name;
  if (named !== undefined) return { text: "Use “…”", name: named };
  const number = /^Make it (?<number>\S+)$/.exec(label)?.groups?.number;
  if (number !== undefined) return { text: "Make it …", name: number };
  return { text: label, name: "" };
}

/** The label of a mend in the reader's language; one newer than this build reads English. */
export function fixIn(locale: string, label: string): string {
  const { text, name } = parts(label);
  return (fixes[locale]?.[text] ?? text).replace("…", () => name);
}
