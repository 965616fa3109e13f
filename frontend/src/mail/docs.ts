import type { JSONContent } from "@tiptap/core";
import { formatHole, formatMerge, type Piece, parseMerge } from "./mergeText";

/** Merge text of one line as a document of the editor, and back. */
export function lineToDoc(text: string): JSONContent {
  const content = parseMerge(text).map(pieceToNode);
  return { type: "doc", content: [{ type: "paragraph", ...(content.length > 0 ? { content } : {}) }] };
}

function pieceToNode(p: Piece): JSONContent {
  if (typeof p === "string") return { type: "text", text: p };
  return { type: "variable", attrs: { expr: p.expr, fallback: p.fallback ?? null } };
}

export function docToLine(doc: JSONContent): string {
  const pieces = (doc.content ?? []).flatMap((p) => (p.content ?? []).map(nodeToPiece));
  return formatMerge(pieces);
}

function nodeToPiece(n: JSONContent): Piece {
  if (n.type === "variable") {
    const { expr, fallback } = n.attrs ?? {};
    return { expr: String(expr ?? ""), ...(fallback ? { fallback: String(fallback) } : {}) };
  }
  return n.text ?? "";
}

/** The words of a rich text, one line, for summaries and the outline. */
export function docText(doc: unknown): string {
  const node = doc as JSONContent | undefined;
  if (!node) return "";
  if (node.type === "variable")
    return formatHole({ expr: String(node.attrs?.expr ?? ""), fallback: node.attrs?.fallback ?? undefined });
  return (node.text ?? "") + (node.content ?? []).map(docText).join(node.type === "doc" ? " " : "");
}
