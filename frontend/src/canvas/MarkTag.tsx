import { Trans } from "@lingui/react/macro";
import c from "./card.module.css";
import { signs } from "./dialogs/signs";
import type { Mark } from "./store";

/** What became of a step between two versions: an icon and a word, never the colour alone. */
export function MarkTag({ mark }: { mark: Mark }) {
  const Icon = signs[mark].icon;
  return (
    <span className={`${c.tag} ${c[`tag-${mark}`]}`} data-testid={`mark-${mark}`}>
      <Icon size={12} stroke={1.75} aria-hidden />
      <MarkWord mark={mark} />
    </span>
  );
}

export function MarkWord({ mark }: { mark: Mark }) {
  switch (mark) {
    case "added":
      return <Trans>Added</Trans>;
    case "removed":
      return <Trans>Removed</Trans>;
    case "moved":
      return <Trans>Moved</Trans>;
    default:
      return <Trans>Changed</Trans>;
  }
}
