/** A file as rows of cells. */
export interface Sheet {
  header: string[];
  rows: string[][];
}

/** The separator that the first line uses most: comma, semicolon (what Polish and Russian spreadsheets write) or tab. */
export function separatorOf(text: string): string {
  const line = text.slice(0, text.search(/\r?\n|$/));
  const counted = [",", ";", "\t"].map((separator) => ({ separator, times: line.split(separator).length }));
  counted.sort((a, b) => b.times - a.times);
  return counted[0]?.separator ?? ",";
}

/** Reads CSV with quoted cells, doubled quotes, line breaks inside quotes and a byte order mark. Empty lines are left out. */
export function parseCsv(text: string): Sheet {
  const source = text.replace(/^\uFEFF/, "");
  const separator = separatorOf(source);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;

  const endCell = () => {
    row.push(cell);
    cell = "";
  };
  const endRow = () => {
    endCell();
    if (row.some((value) => value.trim() !== "")) rows.push(row);
    row = [];
  };
  for (let i = 0; i < source.length; i++) {
    const char = source[i];
    if (quoted) {
      if (char !== '"') cell += char;
      else if (source[i + 1] === '"') {
        cell += '"';
        i++;
      } else quoted = false;
    } else if (char === '"' && cell === "") quoted = true;
    else if (char === separator) endCell();
    else if (char === "\n") endRow();
    else if (char !== "\r") cell += char;
  }
  if (cell !== "" || row.length > 0) endRow();
  const [header = [], ...rest] = rows;
  return { header: header.map((name) => name.trim()), rows: rest };
}

const quote = (cell: string) => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** Writes the columns that have a target, under the target's name; the others stay behind. */
export function mapCsv(sheet: Sheet, targets: readonly (string | null)[]): string {
  const kept = targets.flatMap((target, column) => (target === null ? [] : [{ target, column }]));
  const lines = [kept.map(({ target }) => quote(target)).join(",")];
  for (const row of sheet.rows) lines.push(kept.map(({ column }) => quote((row[column] ?? "").trim())).join(","));
  return `${lines.join("\n")}\n`;
}

const synonyms: Record<string, readonly string[]> = {
  email: ["email", "emailaddress", "mail", "adresemail", "почта", "элпочта", "электроннаяпочта", "имейл"],
  first_name: ["firstname", "givenname", "imie", "imię", "имя"],
  last_name: ["lastname", "surname", "familyname", "nazwisko", "фамилия"],
  name: ["fullname", "imieinazwisko", "imięinazwisko", "nazwiskoiimie", "nazwiskoiimię", "фио", "имяифамилия"],
  phone: [
    "phone",
    "phonenumber",
    "mobile",
    "tel",
    "telephone",
    "kom",
    "komórka",
    "тел",
    "telefon",
    "nrtelefonu",
    "numertelefonu",
    "телефон",
    "мобильный",
  ],
  external_id: ["externalid", "customerid", "userid", "id", "idklienta", "идентификатор", "idклиента"],
  tags: ["tags", "tag", "tagi", "метки", "теги"],
  zone: ["zone", "timezone", "strefaczasowa", "часовойпояс"],
  language: ["language", "locale", "jezyk", "język", "язык"],
};

const bare = (name: string) => name.toLowerCase().replace(/[\s_.\-/()]+/g, "");

/** Guesses where each column goes: our own names, their usual words in three languages, then the workspace's own fields. */
export function guessTargets(
  header: readonly string[],
  fields: readonly { key: string; label?: string }[],
): (string | null)[] {
  const taken = new Set<string>();
  return header.map((column) => {
    const name = bare(column);
    const own = fields.find((field) => bare(field.key) === name || (field.label && bare(field.label) === name));
    const target = Object.keys(synonyms).find((key) => bare(key) === name || synonyms[key]?.includes(name)) ?? own?.key;
    if (!target || taken.has(target)) return null;
    taken.add(target);
    return target;
  });
}
