import { useLingui } from "@lingui/react/macro";
import { SegmentedControl, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { funnelChoicesQuery } from "@/api/funnels";
import { type ReportBy, type ReportNumber, type ReportOf, reportPeople } from "@/api/reports";
import { PageBody, PageHeader } from "@/shell/PageHeader";
import { Failure } from "@/ui/Failure";
import { PeopleDrawer } from "@/ui/PeopleDrawer";
import { Attention } from "./Attention";
import { Figures } from "./Figures";
import { Lines } from "./Lines";
import { PathReport } from "./PathReport";
import classes from "./reports.module.css";
import { type ReportsSearch, spans } from "./search";
import { Trend } from "./Trend";
import { useReport } from "./useReport";
import { useNumberName } from "./words";

/** A number that was pressed, of one line or of all. */
export interface Opened {
  by: ReportBy;
  what: ReportNumber;
  key?: string;
  label?: string;
}

/** What became of messages and what came of them, as it happens. */
export function Reports({ search, onSearch }: { search: ReportsSearch; onSearch: (search: ReportsSearch) => void }) {
  const { t } = useLingui();
  const of: ReportOf = { days: search.days ?? 30, ...(search.funnel ? { funnel: search.funnel } : {}) };
  const by = search.by ?? "funnel";
  const lines = useReport(by, of);
  const days = useReport("day", of);
  const [opened, setOpened] = useState<Opened>();
  const name = useNumberName();
  const funnels = useQuery(funnelChoicesQuery);
  const words: Record<(typeof spans)[number], string> = {
    7: t`7 days`,
    30: t`30 days`,
    90: t`90 days`,
    365: t`A year`,
  };
  return (
    <>
      <PageHeader title={t`Reports`} />
      <PageBody>
        <div className={classes.filters}>
          <SegmentedControl
            aria-label={t`Period`}
            value={String(of.days)}
            onChange={(value) => onSearch({ ...search, days: Number(value) })}
            data={spans.map((span) => ({ value: String(span), label: words[span] }))}
          />
          <Select
            aria-label={t`Funnel`}
            w={240}
            clearable
            searchable
            placeholder={t`All funnels`}
            data={(funnels.data ?? []).map((funnel) => ({ value: funnel.id, label: funnel.name }))}
            value={search.funnel ?? null}
            onChange={(funnel) => {
              const { funnel: _, ...rest } = search;
              onSearch(funnel ? { ...rest, funnel } : rest);
            }}
          />
        </div>
        {lines.error ? (
          <Failure error={lines.error} reset={() => lines.refetch()} />
        ) : (
          <>
            <Figures total={days.data?.total} onOpen={(what) => setOpened({ by: "total", what })} />
            <Attention of={of} onOpen={setOpened} />
            <Trend rows={days.data?.rows} from={days.data?.from} days={of.days} />
            <Lines
              by={by}
              report={lines.data}
              onBy={(next) => onSearch({ ...search, by: next })}
              onOpen={(what, row) => setOpened({ by, what, key: row.key, label: row.label || row.key })}
            />
          </>
        )}
        <PathReport days={of.days} />
      </PageBody>
      {opened && (
        <PeopleDrawer
          of={["report", opened.by, opened.what, opened.key, of]}
          title={opened.label ? `${name(opened.what)}: ${opened.label}` : name(opened.what)}
          load={(cursor) => reportPeople(opened.by, of, opened.what, opened.key, cursor)}
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  );
}
