import { useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";

interface CopyTextProps {
  value: string;
  /** What is copied, for those who do not see it stand beside the button. */
  label: string;
  className?: string;
}

export function CopyText({ value, label, className }: CopyTextProps) {
  const { t } = useLingui();
  const clipboard = useClipboard({ timeout: 2000 });
  return (
    <Button
      size="sm"
      className={className}
      aria-label={clipboard.copied ? t`Copied` : label}
      leftSection={
        clipboard.copied ? (
          <IconCheck size={14} stroke={2} aria-hidden />
        ) : (
          <IconCopy size={14} stroke={1.75} aria-hidden />
        )
      }
      onClick={() => clipboard.copy(value)}
    >
      {clipboard.copied ? t`Copied` : t`Copy`}
    </Button>
  );
}
