import { IconUser } from "@tabler/icons-react";
import classes from "./face.module.css";

const families = ["logic", "message", "action", "human", "goal", "trigger", "wait"];

/** Up to two letters of a name; nothing for an address. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) =>
    word ? ([...word][0] ?? "") : "",
  );
  return letters.join("").toUpperCase();
}

/** The same person has the same colour everywhere. */
export function familyOf(key: string): string {
  let sum = 0;
  for (const character of key) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return families[sum % families.length] ?? "plain";
}

interface FaceProps {
  name?: string;
  seed?: string;
  size?: 20 | 24 | 28 | 32 | 40 | 48;
}

/** A round mark with initials beside a person's name; it says nothing a reader would need. */
export function Face({ name, seed, size = 24 }: FaceProps) {
  const known = Boolean(name?.trim());
  return (
    <span
      className={classes.face}
      data-family={known ? familyOf(seed ?? name ?? "") : "plain"}
      style={{ width: size, height: size, fontSize: Math.round(size * 0.4) }}
      aria-hidden
    >
      {known ? initials(name ?? "") : <IconUser size={Math.round(size * 0.58)} stroke={1.75} />}
    </span>
  );
}
