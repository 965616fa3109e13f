import { useLingui } from "@lingui/react/macro";
import { IconUsers } from "@tabler/icons-react";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { membersQuery, type Segment } from "@/api/segments";
import { Empty } from "@/ui/Empty";
import { Face } from "@/ui/Face";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { MoreRows } from "@/ui/MoreRows";
import { Panel } from "@/ui/Panel";
import { Row, Rows } from "@/ui/Rows";
import { RowSkeletons } from "@/ui/Skeletons";
import { Building } from "./Building";
import classes from "./segments.module.css";

/** Who is inside now. While people are still being found, the list grows. */
export function Members({ segment }: { segment: Segment }) {
  const { t } = useLingui();
  const format = useFormat();
  const client = useQueryClient();
  const list = useInfiniteQuery(membersQuery(segment.id));
  const members = list.data?.pages.flatMap((page) => page.items) ?? [];

  const state = `${segment.members} ${segment.building}`;
  const known = useRef(state);
  useEffect(() => {
    if (known.current === state) return;
    known.current = state;
    client.invalidateQueries({ queryKey: membersQuery(segment.id).queryKey });
  }, [state, client, segment.id]);

  return (
    <Panel
      flush
      title={t`Members`}
      meta={format.number(segment.members)}
      actions={segment.building && <Building segment={segment} />}
    >
      {list.error ? (
        <Failure error={list.error} reset={() => list.refetch()} compact />
      ) : list.isPending ? (
        <RowSkeletons rows={6} />
      ) : members.length === 0 ? (
        <Empty
          compact
          family="plain"
          icon={IconUsers}
          title={segment.building ? t`People are being looked at` : t`Nobody is in it now`}
          text={
            segment.building
              ? t`Whoever fits appears here in a moment.`
              : t`Whoever begins to match comes in by themselves. If somebody is missing, look at the conditions above.`
          }
        />
      ) : (
        <Rows
          lively
          heads={[
            { label: t`Name` },
            { label: t`E-mail`, kind: "address" },
            { label: t`Phone` },
            { label: t`In it since`, kind: "moment" },
          ]}
        >
          {members.map((member) => (
            <Row key={member.contact_id}>
              <Link to="/people/$id" params={{ id: member.contact_id }} className={classes.person}>
                <Face name={member.name} seed={member.contact_id} />
                <span className="cut" data-dim={member.name ? undefined : true}>
                  {member.name || t`No name`}
                </span>
              </Link>
              {member.email ? <span className={`${classes.dim} cut`}>{member.email}</span> : "–"}
              {member.phone ?? "–"}
              {format.moment(member.since)}
            </Row>
          ))}
        </Rows>
      )}
      <MoreRows query={list} />
    </Panel>
  );
}
