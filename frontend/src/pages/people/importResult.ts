export interface ImportResult {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  /** The first thousand rows that were left out or not taken as they are; line counts from the top of the file. */
  errors: RowProblem[];
}

export interface RowProblem {
  line: number;
  column: string;
  message: string;
  /** The person came in all the same. */
  taken: boolean;
}

/** The rows as a CSV file for a spreadsheet: what begins like a formula stays text. */
export function rowsAsCSV(header: string[], rows: string[][]): string {
  const cell = (text: string) => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  return `\ufeff${[header, ...rows].map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
}

const number = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Reads what an import task answers. A task that was stopped early may answer parts of it only. */
export function readImportResult(result: unknown): ImportResult {
  const known: Record<string, unknown> = result !== null && typeof result === "object" ? { ...result } : {};
  const errors = (Array.isArray(known.errors) ? known.errors : []).flatMap((entry: unknown) => {
    if (entry === null || typeof entry !== "object") return [];
    const { line, column, message, taken } = entry as Record<string, unknown>;
    return typeof message === "string"
      ? [{ line: number(line), column: typeof column === "string" ? column : "", message, taken: taken === true }]
      : [];
  });
  return {
    created: number(known.created),
    updated: number(known.updated),
    unchanged: number(known.unchanged),
    failed: Math.max(number(known.failed), errors.filter((one) => !one.taken).length),
    errors,
  };
}
