import { useLingui } from "@lingui/react/macro";
import type { ReportRow } from "@/api/reports";
import { useFormat } from "@/ui/format";

/** What is wrong with a line, the gravest thing first. */
export function useNeedSentence(): (row: ReportRow) => string {
  const { t } = useLingui();
  const format = useFormat();
  return (row) => {
    const share = (n: number) => `${format.number(Math.round((1000 * n) / Math.max(1, row.sent)) / 10)} %`;
    switch (row.needs[0]) {
      case "complaint":
        return t`${row.key}: ${share(row.complained)} complained of spam; more than 0.1 % is too many`;
      case "bounce":
        return t`${row.key}: ${share(row.bounced)} bounced; more than 5 % is too many`;
      default:
        return t`${row.key}: ${share(row.delivered)} delivered; it should be 98 % or more`;
    }
  };
}
