/** A refusal of the server (application/problem+json), or of the way to it (status 0). */
export class ApiProblem extends Error {
  override name = "ApiProblem";

  constructor(
    readonly status: number,
    readonly code: string,
    /** For people: what happened, why, what to do. */
    readonly detail: string,
    readonly fields: readonly { field: string; message: string }[] = [],
    readonly requestId?: string,
    /** The whole body: a 409 on a draft carries the current document, a refused publication its problems. */
    readonly body?: unknown,
  ) {
    super(detail || code);
  }

  /** The sentence for one field of a form, if the refusal names it. */
  field(name: string): string | undefined {
    return this.fields.find((entry) => entry.field === name)?.message;
  }
}

interface ProblemBody {
  code?: string;
  title?: string;
  detail?: string;
  fields?: { field: string; message: string }[];
  request_id?: string;
}

/** Reads a refusal. Anything that is not problem+json (a proxy's page, an empty body) still becomes one. */
export function toProblem(status: number, body: unknown): ApiProblem {
  const known: ProblemBody = body !== null && typeof body === "object" ? body : {};
  return new ApiProblem(
    status,
    known.code ?? (status >= 500 ? "internal" : "unexpected"),
    known.detail ?? known.title ?? "",
    known.fields ?? [],
    known.request_id,
    body,
  );
}

export const offline = () => new ApiProblem(0, "offline", "");

export function isProblem(error: unknown, code?: string): error is ApiProblem {
  return error instanceof ApiProblem && (code === undefined || error.code === code);
}
