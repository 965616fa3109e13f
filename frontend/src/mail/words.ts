import type { Block, Creative } from "@/canvas/types";

/** What says something by itself: a suggestion takes its place. Pictures, lines and the footer stay. */
const isWords = (block: Block) => block.type === "text" || block.type === "heading" || block.type === "button";

/** Puts the words of a suggestion into a message. */
export function takeWords(creative: Creative, words: Creative): void {
  for (const key of ["subject", "preheader", "title", "text", "url"] as const)
    if (words[key]) creative[key] = words[key];
  if (creative.channel !== "email" && creative.channel !== "letter") return;
  const kept = creative.blocks.filter((block) => !isWords(block));
  const first = creative.blocks.findIndex(isWords);
  const foot = kept.findIndex((block) => block.type === "footer");
  const before = creative.blocks.slice(0, first).filter((block) => !isWords(block)).length;
  const at = first >= 0 ? before : foot >= 0 ? foot : kept.length;
  const taken = new Set(kept.flatMap(idsOf));
  const fresh = words.blocks.filter(isWords).map((block) => ({ ...block, id: freeId(block.id, taken) }));
  creative.blocks = [...kept.slice(0, at), ...fresh, ...kept.slice(at)];
}

const idsOf = (block: Block & { blocks?: Block[] }): string[] => [block.id, ...(block.blocks ?? []).flatMap(idsOf)];

function freeId(id: string, taken: Set<string>): string {
  let free = id;
  for (let n = 2; taken.has(free); n++) free = `${id}-${n}`;
  taken.add(free);
  return free;
}
