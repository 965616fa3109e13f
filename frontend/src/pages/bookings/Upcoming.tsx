import { useLingui } from "@lingui/react/macro";
import { Badge, Button } from "@mantine/core";
import { IconCalendarOff } from "@tabler/icons-react";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Booking, bookingsQuery, cancelBooking } from "@/api/inbound";
import { byDay } from "@/ui/byDay";
import { Empty } from "@/ui/Empty";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { MoreRows } from "@/ui/MoreRows";
import { Panel } from "@/ui/Panel";
import { RowSkeletons } from "@/ui/Skeletons";
import { useToast } from "@/ui/toast";
import { useConfirm } from "@/ui/useConfirm";
import { useDayName } from "@/ui/useDayName";
import classes from "./bookings.module.css";

interface UpcomingProps {
  resource?: string;
  locked: boolean;
  filter: ReactNode;
}

/** Who comes, day by day, on the clocks of the workspace. */
export function Upcoming({ resource, locked, filter }: UpcomingProps) {
  const { t } = useLingui();
  const format = useFormat();
  const dayName = useDayName();
  const list = useInfiniteQuery(bookingsQuery(resource));
  const rows = list.data?.pages.flatMap((page) => page.items) ?? [];
  const { zone } = format;
  return (
    <Panel flush title={t`Who comes`} meta={t`Times in ${zone}`} actions={filter}>
      {list.error ? (
        <Failure error={list.error} reset={() => list.refetch()} compact />
      ) : list.isPending ? (
        <RowSkeletons rows={4} />
      ) : rows.length === 0 ? (
        <Empty
          compact
          icon={IconCalendarOff}
          family="wait"
          title={t`Nobody has booked yet`}
          text={t`Send people the link to the booking page, or let a funnel book for them.`}
        />
      ) : (
        byDay(rows, (row) => format.dayKey(row.from)).map((day) => (
          <section key={day.key} aria-labelledby={`day-${day.key}`}>
            <h3 className={classes.day} id={`day-${day.key}`}>
              {dayName(day.items[0]?.from ?? day.key)}
            </h3>
            <ul>
              {day.items.map((booking) => (
                <Line key={booking.id} booking={booking} locked={locked} />
              ))}
            </ul>
          </section>
        ))
      )}
      <MoreRows query={list} />
    </Panel>
  );
}

function Line({ booking, locked }: { booking: Booking; locked: boolean }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const format = useFormat();
  const [dialog, confirm] = useConfirm();
  const who = booking.contact_name || t`No name`;
  const when = format.moment(booking.from);
  const cancelled = booking.state === "cancelled";
  const source = { api: t`by a program`, page: t`on the booking page`, funnel: t`by a funnel` }[booking.source];
  const cancel = () =>
    confirm({
      title: t`Cancel the booking of ${who}?`,
      text: t`${when}. The time is free again. Lejek does not write to the person by itself; a funnel that starts on cancelled bookings can.`,
      action: t`Cancel the booking`,
      run: async () => {
        try {
          await cancelBooking(booking.id);
          await client.invalidateQueries({ queryKey: ["bookings"] });
          toast.show({ title: t`The booking is cancelled` });
        } catch (error) {
          toast.failed(error);
        }
      },
    });
  return (
    <li className={classes.booking} data-cancelled={cancelled || undefined} data-testid="booking">
      {dialog}
      <span className={`${classes.time} num`}>
        <time dateTime={booking.from}>{format.time(booking.from)}</time>–
        <time dateTime={booking.to}>{format.time(booking.to)}</time>
      </span>
      <span className={classes.who}>
        <Link to="/people/$id" params={{ id: booking.contact_id }} className="cut">
          {who}
        </Link>
        <small>{[booking.resource_name, source].filter(Boolean).join(" · ")}</small>
      </span>
      {cancelled ? (
        <Badge>{t`Cancelled`}</Badge>
      ) : (
        !locked && (
          <Button size="sm" aria-label={t`Cancel the booking of ${who}, ${when}`} onClick={cancel}>
            {t({ context: "booking", message: "Cancel" })}
          </Button>
        )
      )}
    </li>
  );
}
