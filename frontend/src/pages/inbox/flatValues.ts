/** Values by path ("event.total") as texts. Lists are told by their length; links that every mail has are left out. */
export function flatValues(values: Record<string, unknown>, prefix = ""): [string, string][] {
  return Object.entries(values).flatMap(([key, value]): [string, string][] => {
    const path = prefix + key;
    if (path === "unsubscribe_url" || path === "view_url") return [];
    if (Array.isArray(value))
      return [[path, value.every((item) => typeof item !== "object") ? value.join(", ") : String(value.length)]];
    if (value !== null && typeof value === "object") return flatValues(value as Record<string, unknown>, `${path}.`);
    return [[path, value === null || value === undefined ? "" : String(value)]];
  });
}

/** "event.order_total" as a reader would say it: "Order total". */
export function plainName(path: string): string {
  const last = (path.split(".").at(-1) ?? path).replaceAll("_", " ");
  return last.charAt(0).toUpperCase() + last.slice(1);
}
