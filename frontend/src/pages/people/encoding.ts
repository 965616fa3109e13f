/** The ways of writing letters that spreadsheets here save. */
export const encodings = ["utf-8", "windows-1250", "windows-1251", "utf-16le", "utf-16be"] as const;
export type Encoding = (typeof encodings)[number];

/** Finds how the letters of a file are written: a mark, zeros in every second byte, sound UTF-8, else Polish or Cyrillic letters. */
export function encodingOf(bytes: Uint8Array): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  const head = bytes.subarray(0, 65536);
  let even = 0;
  let odd = 0;
  for (let i = 0; i < head.length; i++) if (head[i] === 0) i % 2 === 0 ? even++ : odd++;
  if (odd > head.length / 10 && odd > even) return "utf-16le";
  if (even > head.length / 10) return "utf-16be";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return "utf-8";
  } catch {
    return codepageOf(bytes);
  }
}

/** Cyrillic words are all high bytes; Polish ones have a few among plain letters. */
function codepageOf(bytes: Uint8Array): Encoding {
  let together = 0;
  let alone = 0;
  for (let i = 0; i < bytes.length; i++) {
    if ((bytes[i] ?? 0) < 0x80) continue;
    if ((bytes[i - 1] ?? 0) >= 0xc0 || (bytes[i + 1] ?? 0) >= 0xc0) together++;
    else alone++;
  }
  return together > alone ? "windows-1251" : "windows-1250";
}

export const textOf = (bytes: Uint8Array, encoding: Encoding): string => new TextDecoder(encoding).decode(bytes);

/** Whether a text has signs that stand for letters nobody could read. */
export const isBroken = (text: string): boolean => text.includes("\uFFFD");
