import { useLingui } from "@lingui/react/macro";
import { IconCheck, IconX } from "@tabler/icons-react";

interface DecideProps {
  /** What is decided about, for those who do not see it. */
  title: string;
  className: string | undefined;
  /** The look of the button that accepts. */
  yes: string | undefined;
  /** Whether it was accepted, where it can still be seen after that. */
  accepted?: boolean;
  size?: number;
  onAccept: () => void;
  onReject: () => void;
}

/** Takes or refuses what is suggested: a step, or a part of a change. */
export function Decide({ title, className, yes, accepted, size = 16, onAccept, onReject }: DecideProps) {
  const { t } = useLingui();
  const press = (act: () => void) => (e: React.MouseEvent) => {
    e.stopPropagation();
    act();
  };
  return (
    <span className={className}>
      <button
        type="button"
        className={yes}
        aria-label={t`Accept: ${title}`}
        aria-pressed={accepted}
        onClick={press(onAccept)}
      >
        <IconCheck size={size} stroke={1.75} />
      </button>
      <button type="button" aria-label={t`Reject: ${title}`} onClick={press(onReject)}>
        <IconX size={size} stroke={1.75} />
      </button>
    </span>
  );
}
