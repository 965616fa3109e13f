import type { Schemas } from "@/api/client";
import type { Contact, ContactField } from "@/api/people";

/** What the form holds: texts, and true or false; the workspace's own fields under "own:<key>". */
export type Draft = Record<string, string | boolean>;

const builtIn = ["first_name", "last_name", "email", "phone", "external_id", "zone", "language"] as const;

export function draftOf(person: Contact, fields: readonly ContactField[]): Draft {
  const draft: Draft = {};
  for (const key of builtIn) draft[key] = person[key] ?? "";
  for (const { key, type } of fields) {
    const value = person.fields[key];
    if (type === "boolean") draft[`own:${key}`] = value === true;
    else if (type === "date") draft[`own:${key}`] = typeof value === "string" ? value.slice(0, 10) : "";
    else draft[`own:${key}`] = value === undefined || value === null ? "" : String(value);
  }
  return draft;
}

/** Only what was changed; what was emptied is null. A number takes a comma for its point. */
export function patchOf(before: Draft, after: Draft, fields: readonly ContactField[]): Schemas["ContactPatch"] {
  const patch: Record<string, unknown> = {};
  const own: Record<string, unknown> = {};
  for (const key of builtIn) if (after[key] !== before[key]) patch[key] = String(after[key]).trim() || null;
  for (const { key, type } of fields) {
    const value = after[`own:${key}`];
    if (value === before[`own:${key}`] || value === undefined) continue;
    if (typeof value === "boolean") own[key] = value;
    else if (value.trim() === "") own[key] = null;
    else if (type === "number") {
      const number = Number(value.replace(/\s/g, "").replace(",", "."));
      own[key] = Number.isNaN(number) ? value : number;
    } else own[key] = value.trim();
  }
  if (Object.keys(own).length > 0) patch.fields = own;
  return patch as Schemas["ContactPatch"];
}
