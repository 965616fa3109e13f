import type { CatalogueData, Config, Family, FieldSpec, Kind, ShowIf } from "./types";

export const families: Family[] = ["trigger", "message", "wait", "logic", "action", "goal"];

/** The catalogue of step kinds, indexed. Palette, inspector, connection rules and cards all ask it. */
export interface Catalogue {
  readonly data: CatalogueData;
  readonly kinds: Kind[];
  readonly triggers: Kind[];
  kind(kind: string): Kind;
  trigger(kind: string): Kind;
}

/** A kind this build does not know (a newer server) still draws, connects and shows its config read-only. */
export function unknownKind(kind: string): Kind {
  return { kind, family: "action", order: 999, title: kind, purpose: "", fields: [], ports: [{ id: "next" }] };
}

export function makeCatalogue(data: CatalogueData): Catalogue {
  const rank = (k: Kind) => families.indexOf(k.family) * 1000 + k.order;
  const kinds = [...data.nodes].sort((a, b) => rank(a) - rank(b));
  const triggers = [...data.triggers].sort((a, b) => a.order - b.order);
  const byKind = new Map(kinds.map((k) => [k.kind, k]));
  const byTrigger = new Map(triggers.map((k) => [k.kind, k]));
  return {
    data,
    kinds,
    triggers,
    kind: (kind) => byKind.get(kind) ?? unknownKind(kind),
    trigger: (kind) => byTrigger.get(kind) ?? unknownKind(kind),
  };
}

/** All conditions hold. A hidden field is neither required nor checked. */
export function shown(conditions: ShowIf[] | undefined, config: Config): boolean {
  return (conditions ?? []).every((c) => c.in.includes(String(config[c.key] ?? "")));
}

export function visibleFields(kind: Kind, config: Config): FieldSpec[] {
  return kind.fields.filter((f) => shown(f.show_if, config));
}

/** What a new step starts with: the defaults of the catalogue, copied so that two steps never share an object. */
export function defaultConfig(kind: Kind): Config {
  const config: Config = {};
  for (const field of kind.fields) {
    if (field.default !== undefined && field.default !== null) config[field.key] = structuredClone(field.default);
  }
  return config;
}

/** A step that cannot be complete yet: a required field shown and empty. What else is wrong only the server knows. */
export function incomplete(kind: Kind, config: Config): boolean {
  return visibleFields(kind, config).some((f) => {
    const value = config[f.key];
    return f.required === true && (value === undefined || value === "" || (Array.isArray(value) && value.length === 0));
  });
}
