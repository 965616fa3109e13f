import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import type { Person } from "@/canvas/answers";
import { api } from "@/canvas/api";

export interface Choice {
  value: string;
  label: string;
}

/**
 * The people a search field finds. A searchable list reports the label of what was chosen as if it had been typed: that is no search, and
 * whoever was chosen stays in the list.
 */
export function useChoices(search: string, label: (person: Person) => string, keep = ""): Choice[] {
  const seen = useRef(new Map<string, Choice>());
  const chosen = seen.current.get(search);
  const [query] = useDebouncedValue(chosen ? "" : search, 250);
  const found = useQuery({
    queryKey: ["people", "choices", query],
    queryFn: () => api.people(query),
    placeholderData: keepPreviousData,
  });
  const list = (found.data?.items ?? []).map((p) => ({ value: p.id, label: label(p) }));
  for (const choice of list) seen.current.set(choice.label, choice);
  // Whoever is chosen stays among the choices: one that went and came back would be filled in over what is being typed.
  const kept = [...seen.current.values()].find((choice) => choice.value === keep);
  if (kept && !list.some((choice) => choice.value === keep)) return [...list, kept];
  return chosen && !list.some((choice) => choice.value === chosen.value) ? [chosen, ...list] : list;
}
