import { useLingui } from "@lingui/react/macro";
import { MultiSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { listsQuery } from "@/api/people";
import { segmentsQuery } from "@/api/segments";
import { useFormat } from "@/ui/format";
import classes from "./campaigns.module.css";
import { ProblemLines } from "./ProblemLines";
import { type Problem, partOf } from "./parts";
import type { Draft } from "./useDraft";

/** Who receives it: those of some segments and lists, without those of others. */
export function AudiencePart({ draft, problems }: { draft: Draft; problems: Problem[] }) {
  const { t } = useLingui();
  const choices = useAudienceChoices();
  const { audience } = draft.document;
  const set = (patch: Partial<typeof audience>) =>
    draft.change((document) => ({ ...document, audience: { ...document.audience, ...patch } }));
  return (
    <section className={classes.card} aria-label={t`Audience`}>
      <div>
        <h2>{t`Who receives it?`}</h2>
        <p className="meta">
          {t`The list of people is fixed when the campaign starts. Who comes to match later does not receive it.`}
        </p>
      </div>
      <MultiSelect
        label={t`Everybody in`}
        placeholder={audience.include.length === 0 ? t`Choose segments or lists` : undefined}
        searchable
        clearable
        nothingFoundMessage={t`Nothing found`}
        data={choices}
        value={audience.include}
        onChange={(include) => set({ include })}
      />
      <MultiSelect
        label={t`But nobody in`}
        placeholder={(audience.exclude ?? []).length === 0 ? t`Nobody is left out` : undefined}
        searchable
        clearable
        nothingFoundMessage={t`Nothing found`}
        data={choices}
        value={audience.exclude ?? []}
        onChange={(exclude) => set({ exclude })}
      />
      <p className="meta">
        {t`Somebody else in mind?`} <Link to="/segments/new">{t`Make a segment`}</Link>
      </p>
      <ProblemLines problems={problems.filter((problem) => partOf(problem) === "audience")} />
    </section>
  );
}

/** Segments and lists with how many are in them. */
export function useAudienceChoices() {
  const { t } = useLingui();
  const format = useFormat();
  const segments = useQuery(segmentsQuery).data ?? [];
  const lists = useQuery(listsQuery).data ?? [];
  return [
    {
      group: t`Segments`,
      items: segments.map((one) => ({
        value: `segment:${one.slug}`,
        label: `${one.name} (${format.number(one.members)})`,
      })),
    },
    {
      group: t`Lists`,
      items: lists.map((one) => ({ value: `list:${one.slug}`, label: `${one.name} (${format.number(one.count)})` })),
    },
  ].filter((group) => group.items.length > 0);
}
