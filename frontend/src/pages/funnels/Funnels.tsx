import { Plural, useLingui } from "@lingui/react/macro";
import { Button, SegmentedControl, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconPlus, IconSearch, IconSitemap } from "@tabler/icons-react";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type FunnelState, funnelsQuery } from "@/api/funnels";
import { useCan } from "@/api/session";
import { PageBody, PageHeader } from "@/shell/PageHeader";
import { Empty } from "@/ui/Empty";
import { Failure } from "@/ui/Failure";
import { MoreRows } from "@/ui/MoreRows";
import { Panel } from "@/ui/Panel";
import { Rows } from "@/ui/Rows";
import { RowSkeletons } from "@/ui/Skeletons";
import { FunnelRow } from "./FunnelRow";
import classes from "./funnels.module.css";

const states = ["live", "draft", "paused", "stopped", "archived"] as const;

export function Funnels({ state, onState }: { state?: FunnelState; onState: (state?: FunnelState) => void }) {
  const { t } = useLingui();
  const can = useCan();
  const navigate = useNavigate();
  const [search, setSearch] = useState("");
  const [q] = useDebouncedValue(search.trim(), 200);
  const filter = { ...(state ? { state } : {}), ...(q ? { q } : {}) };
  const list = useInfiniteQuery({ ...funnelsQuery(filter), placeholderData: keepPreviousData });
  const funnels = list.data?.pages.flatMap((page) => page.items) ?? [];
  const filtered = Boolean(state || q);
  const twins = new Set(funnels.map(({ name }) => name).filter((name, at, all) => all.indexOf(name) !== at));

  const words: Record<FunnelState, string> = {
    live: t`Live`,
    draft: t`Drafts`,
    paused: t`Paused`,
    stopped: t`Stopped`,
    archived: t`Archive`,
  };
  const newFunnel = (
    <Button
      variant="filled"
      leftSection={<IconPlus size={15} stroke={2} aria-hidden />}
      onClick={() => navigate({ to: "/funnels/new" })}
    >
      {t`New funnel`}
    </Button>
  );

  return (
    <>
      <PageHeader title={t`Funnels`} actions={can("funnels.write") && newFunnel} />
      <PageBody>
        <div className={classes.filters}>
          <TextInput
            className={classes.search}
            size="md"
            aria-label={t`Search funnels`}
            placeholder={t`Search funnels`}
            leftSection={<IconSearch size={15} stroke={1.75} aria-hidden />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
          <div className={classes.states}>
            <SegmentedControl
              aria-label={t`State`}
              value={state ?? "all"}
              onChange={(value) => onState(value === "all" ? undefined : (value as FunnelState))}
              data={[{ value: "all", label: t`All` }, ...states.map((value) => ({ value, label: words[value] }))]}
            />
          </div>
        </div>
        <Panel flush label={t`Funnels`}>
          {list.error ? (
            <Failure error={list.error} reset={() => list.refetch()} compact />
          ) : list.isPending ? (
            <RowSkeletons />
          ) : funnels.length === 0 && filtered ? (
            <Empty
              compact
              family="plain"
              icon={IconSearch}
              title={t`No funnel fits`}
              action={
                <Button
                  onClick={() => {
                    setSearch("");
                    onState(undefined);
                  }}
                >
                  {t`Clear filters`}
                </Button>
              }
            />
          ) : funnels.length === 0 ? (
            <Empty
              icon={IconSitemap}
              title={t`A funnel does the rest after somebody acts`}
              text={t`Somebody signs up, leaves a cart, or has been silent for 60 days: the funnel waits, decides and writes to them, one by one.`}
              action={can("funnels.write") && newFunnel}
            />
          ) : (
            <Rows
              tall
              lively
              heads={[
                { label: t`Funnel` },
                { label: t`State` },
                { label: t`Entered`, kind: "number" },
                { label: t`Here now`, kind: "number" },
                { label: t`Finished`, kind: "number" },
                { label: t`Problems` },
                { label: t`Actions`, kind: "menu" },
              ]}
            >
              {funnels.map((funnel) => (
                <FunnelRow key={funnel.id} funnel={funnel} twin={twins.has(funnel.name)} />
              ))}
            </Rows>
          )}
          <MoreRows query={list} />
        </Panel>
        {funnels.length > 0 && !list.hasNextPage && (
          <p className="meta num">
            <Plural value={funnels.length} one="# funnel" other="# funnels" />
          </p>
        )}
      </PageBody>
    </>
  );
}
