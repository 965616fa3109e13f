import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";

/** A length of time in its largest unit that says enough: "40 minutes", "5 hours", "3 days". */
export function useLength(): (seconds: number) => string {
  const { t } = useLingui();
  return (seconds) => {
    const minutes = Math.round(seconds / 60);
    if (minutes < 1) return t`less than a minute`;
    if (minutes < 90) return plural(minutes, { one: "# minute", other: "# minutes" });
    const hours = Math.round(minutes / 60);
    if (hours < 48) return plural(hours, { one: "# hour", other: "# hours" });
    return plural(Math.round(hours / 24), { one: "# day", other: "# days" });
  };
}
