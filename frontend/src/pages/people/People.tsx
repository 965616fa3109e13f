import { Plural, useLingui } from "@lingui/react/macro";
import { Button, Select, TextInput } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { IconPlus, IconSearch, IconUpload, IconUsers } from "@tabler/icons-react";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { listsQuery, type PeopleFilter, peopleQuery, tagsQuery } from "@/api/people";
import { useCan } from "@/api/session";
import { PageBody, PageHeader } from "@/shell/PageHeader";
import { Empty } from "@/ui/Empty";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { MoreRows } from "@/ui/MoreRows";
import { Panel } from "@/ui/Panel";
import { Rows } from "@/ui/Rows";
import { RowSkeletons } from "@/ui/Skeletons";
import { PersonRow } from "./PersonRow";
import classes from "./people.module.css";

const AddContact = lazy(() => import("./AddContact"));
const ImportPeople = lazy(() => import("./ImportPeople"));

interface PeopleProps {
  filter: PeopleFilter;
  onFilter: (filter: PeopleFilter) => void;
}

export function People({ filter, onFilter }: PeopleProps) {
  const { t } = useLingui();
  const can = useCan();
  const format = useFormat();
  const [search, setSearch] = useState(filter.q ?? "");
  const [q] = useDebouncedValue(search.trim(), 250);
  const [adding, add] = useDisclosure(false);
  const [importing, importer] = useDisclosure(false);
  const list = useInfiniteQuery({ ...peopleQuery(filter), placeholderData: keepPreviousData });
  const tags = useQuery(tagsQuery);
  const lists = useQuery(listsQuery);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed changes the address
  useEffect(() => {
    if (q !== (filter.q ?? "")) onFilter({ ...filter, q: q || undefined });
  }, [q]);

  const people = list.data?.pages.flatMap((page) => page.items) ?? [];
  const total = list.data?.pages[0]?.total;
  const filtered = Boolean(filter.q || filter.tag || filter.list);
  const write = can("contacts.write");

  return (
    <>
      <PageHeader
        title={t`People`}
        meta={
          total !== undefined && (
            <Plural value={total} one={`${format.number(total)} person`} other={`${format.number(total)} people`} />
          )
        }
        actions={
          write && (
            <>
              <Button leftSection={<IconUpload size={15} stroke={1.75} aria-hidden />} onClick={importer.open}>
                {t`Import people`}
              </Button>
              <Button variant="filled" leftSection={<IconPlus size={15} stroke={2} aria-hidden />} onClick={add.open}>
                {t`Add a person`}
              </Button>
            </>
          )
        }
      />
      <PageBody>
        <div className={classes.filters}>
          <TextInput
            className={classes.search}
            aria-label={t`Search people`}
            placeholder={t`Name, e-mail, phone or your id`}
            leftSection={<IconSearch size={15} stroke={1.75} aria-hidden />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
          <NameFilter
            label={t`Tag`}
            names={tags.data}
            value={filter.tag}
            onChange={(tag) => onFilter({ ...filter, tag })}
          />
          <NameFilter
            label={t`List`}
            names={lists.data}
            value={filter.list}
            onChange={(value) => onFilter({ ...filter, list: value })}
          />
        </div>
        <Panel flush label={t`People`}>
          {list.error ? (
            <Failure error={list.error} reset={() => list.refetch()} compact />
          ) : list.isPending ? (
            <RowSkeletons rows={8} />
          ) : people.length === 0 && filtered ? (
            <Empty
              compact
              family="plain"
              icon={IconSearch}
              title={t`Nobody fits`}
              action={
                <Button
                  onClick={() => {
                    setSearch("");
                    onFilter({});
                  }}
                >
                  {t`Clear filters`}
                </Button>
              }
            />
          ) : people.length === 0 ? (
            <Empty
              icon={IconUsers}
              family="action"
              title={t`The people you write to`}
              text={t`Bring them in from a spreadsheet, add one by hand, or let your shop send events: whoever is new appears here by themselves.`}
              action={
                write && (
                  <Button variant="filled" onClick={importer.open}>
                    {t`Import a CSV file`}
                  </Button>
                )
              }
            />
          ) : (
            <Rows
              lively
              heads={[
                { label: t`Name`, width: "24%" },
                { label: t`E-mail`, kind: "address" },
                { label: t`Tags` },
                { label: t`Lists` },
                { label: t`Can be written to` },
                { label: t`Added`, kind: "moment" },
              ]}
            >
              {people.map((person) => (
                <PersonRow key={person.id} person={person} tags={tags.data} lists={lists.data} />
              ))}
            </Rows>
          )}
          <MoreRows query={list} />
        </Panel>
      </PageBody>
      <Suspense fallback={null}>
        {adding && <AddContact onClose={add.close} />}
        {importing && <ImportPeople onClose={importer.close} />}
      </Suspense>
    </>
  );
}

interface NameFilterProps {
  label: string;
  names?: { slug: string; name: string; count: number }[];
  value?: string;
  onChange: (value: string | undefined) => void;
}

/** Narrows by one tag or list; each says how many people have it. */
function NameFilter({ label, names, value, onChange }: NameFilterProps) {
  const { t } = useLingui();
  const format = useFormat();
  if (!names || (names.length === 0 && !value)) return null;
  return (
    <Select
      className={classes.filter}
      aria-label={label}
      placeholder={label}
      clearable
      clearButtonProps={{ "aria-label": t`Clear` }}
      searchable={names.length > 8}
      data={names.map(({ slug, name, count }) => ({ value: slug, label: `${name} (${format.number(count)})` }))}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
    />
  );
}
