import { useLingui } from "@lingui/react/macro";
import { Badge, Loader } from "@mantine/core";
import type { Segment } from "@/api/segments";
import { useFormat } from "@/ui/format";

/** That people are still being looked at, and how many were. */
export function Building({ segment }: { segment: Segment }) {
  const { t } = useLingui();
  const format = useFormat();
  return (
    <Badge
      miw="max-content"
      data-tone="primary"
      leftSection={<Loader size={11} color="currentColor" aria-hidden />}
      role="status"
    >
      {segment.looked ? t`Being found: ${format.number(segment.looked)} looked at` : t`Being found`}
    </Badge>
  );
}
