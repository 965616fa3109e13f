/** Merge text as a person reads it: holes become their fallback or the name of what stands there. */
export function readable(text: string | undefined): string {
  return (text ?? "").replaceAll(
    /\{\{\s*([^}|]+?)\s*(?:\|\s*default\("([^"]*)"\)[^}]*)?(?:\|[^}]*)?\}\}/g,
    (_, path: string, fallback?: string) => (fallback ? fallback : `[${path.split(".").at(-1)?.replaceAll("_", " ")}]`),
  );
}
