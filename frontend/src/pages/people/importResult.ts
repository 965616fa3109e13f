export interface ImportResult {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  /** The first thousand rows that were left out; line counts from the top of the file. */
  errors: { line: number; column: string; message: string }[];
}

const number = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Reads what an import task answers. A task that was stopped early may answer parts of it only. */
export function readImportResult(result: unknown): ImportResult {
  const known: Record<string, unknown> = result !== null && typeof result === "object" ? { ...result } : {};
  const errors = (Array.isArray(known.errors) ? known.errors : []).flatMap((entry: unknown) => {
    if (entry === null || typeof entry !== "object") return [];
    const { line, column, message } = entry as Record<string, unknown>;
    return typeof message === "string"
      ? [{ line: number(line), column: typeof column === "string" ? column : "", message }]
      : [];
  });
  return {
    created: number(known.created),
    updated: number(known.updated),
    unchanged: number(known.unchanged),
    failed: Math.max(number(known.failed), errors.length),
    errors,
  };
}
