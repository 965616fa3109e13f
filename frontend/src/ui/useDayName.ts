import { useLingui } from "@lingui/react/macro";
import { useFormat } from "./format";

/** "Today", "Yesterday", else "Sun 29 Nov", in the workspace's zone. */
export function useDayName(): (at: string) => string {
  const { t } = useLingui();
  const format = useFormat();
  return (at) => {
    const key = format.dayKey(at);
    const now = Date.now();
    if (key === format.dayKey(new Date(now))) return t`Today`;
    if (key === format.dayKey(new Date(now - 24 * 3_600_000))) return t`Yesterday`;
    return format.weekday(at);
  };
}
