/** A table as CSV that a spreadsheet opens: quoted where needed, and never read as a formula (csvfile.Safe of the server). */
export function csvOf(rows: (string | number)[][]): string {
  const cell = (value: string | number) => {
    const text =
      typeof value === "string" && (/^[=+\-@\t\r\0']/.test(value) || /[;,"|\t\r\n][=+\-@\t\r\0]/.test(value))
        ? `'${value}`
        : String(value);
    return /[",\n\r;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(cell).join(",")).join("\r\n");
}

/** Hands a table to the browser as a file. The mark in front tells spreadsheets that it is UTF-8. */
export function saveCsv(name: string, rows: (string | number)[][]): void {
  const url = URL.createObjectURL(new Blob(["\ufeff", csvOf(rows)], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
