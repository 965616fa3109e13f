export interface ImportResult {
  created: number;
  updated: number;
  rejected: number;
  problems: { row: number; field: string; message: string }[];
}

const number = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Reads what an import task answers. A task that was stopped early may answer parts of it only. */
export function readImportResult(result: unknown): ImportResult {
  const known: Record<string, unknown> = result !== null && typeof result === "object" ? { ...result } : {};
  const problems = (Array.isArray(known.problems) ? known.problems : []).flatMap((entry: unknown) => {
    if (entry === null || typeof entry !== "object") return [];
    const { row, line, field, message } = entry as Record<string, unknown>;
    return typeof message === "string"
      ? [{ row: number(row ?? line), field: typeof field === "string" ? field : "", message }]
      : [];
  });
  const rejected = number(known.rejected ?? known.skipped ?? known.failed);
  return {
    created: number(known.created),
    updated: number(known.updated),
    rejected: Math.max(rejected, problems.length),
    problems,
  };
}
