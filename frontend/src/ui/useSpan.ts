import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";

/** "3 min", "2 h 10 min": how long something takes, roughly. */
export function useSpan(): (seconds: number) => string {
  const { t } = useLingui();
  return (seconds) => {
    if (seconds < 90) return t`${Math.max(1, Math.round(seconds))} s`;
    const minutes = Math.round(seconds / 60);
    if (minutes < 90) return t`${minutes} min`;
    const hours = Math.floor(minutes / 60);
    if (hours < 48) return t`${hours} h ${minutes % 60} min`;
    return plural(Math.round(hours / 24), { one: "# day", other: "# days" });
  };
}
