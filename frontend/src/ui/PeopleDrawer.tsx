import { useLingui } from "@lingui/react/macro";
import { Drawer } from "@mantine/core";
import { IconUsers } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Schemas } from "@/api/client";
import { Empty } from "./Empty";
import { Face } from "./Face";
import { Failure } from "./Failure";
import { useFormat } from "./format";
import { MoreRows } from "./MoreRows";
import classes from "./people.module.css";
import { RowSkeletons } from "./Skeletons";

type Page = Schemas["PasserPage"];

interface PeopleDrawerProps {
  title: ReactNode;
  /** Names the list in the cache: the same key holds the same people. */
  of: readonly unknown[];
  load: (cursor: string | undefined) => Promise<Page>;
  onClose: () => void;
  /** What one can do for all of them. */
  action?: ReactNode;
  /** What one can do for one of them. */
  each?: (person: Page["items"][number]) => ReactNode;
}

/** The people behind a number, the latest first, a page at a time. */
export function PeopleDrawer({ title, of, load, onClose, action, each }: PeopleDrawerProps) {
  const { t } = useLingui();
  const format = useFormat();
  const list = useInfiniteQuery({
    queryKey: ["behind", ...of],
    queryFn: ({ pageParam }) => load(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Page) => page.next || undefined,
    gcTime: 0,
  });
  const people = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={420}
      title={title}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      <div data-testid="people-behind">
        {action}
        {list.error ? (
          <Failure error={list.error} reset={() => list.refetch()} compact />
        ) : list.isPending ? (
          <RowSkeletons rows={6} />
        ) : people.length === 0 ? (
          <Empty compact family="plain" icon={IconUsers} title={t`Nobody yet`} />
        ) : (
          <ul className={classes.people}>
            {people.map((person) => (
              <li key={`${person.message_id ?? person.run_id ?? person.contact_id}${person.at}`}>
                <Link to="/people/$id" params={{ id: person.contact_id }}>
                  <Face name={person.name} seed={person.contact_id} />
                  <span className={classes.who}>
                    <b>{person.name || t`No name`}</b>
                    {person.email && person.email !== person.name && <span className="meta">{person.email}</span>}
                  </span>
                  <time className="meta num" dateTime={person.at}>
                    {format.moment(person.at)}
                  </time>
                </Link>
                {each?.(person)}
              </li>
            ))}
          </ul>
        )}
        <MoreRows query={list} />
      </div>
    </Drawer>
  );
}
