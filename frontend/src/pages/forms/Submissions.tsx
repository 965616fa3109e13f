import { useLingui } from "@lingui/react/macro";
import { Badge } from "@mantine/core";
import { IconInbox } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Form, type Submission, submissionsQuery } from "@/api/inbound";
import { Empty } from "@/ui/Empty";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { MoreRows } from "@/ui/MoreRows";
import { Panel } from "@/ui/Panel";
import { Row, Rows } from "@/ui/Rows";
import { RowSkeletons } from "@/ui/Skeletons";
import classes from "./forms.module.css";

/** What was sent, the newest first, and whether it counts. */
export function Submissions({ form, locked }: { form: Form; locked: boolean }) {
  const { t } = useLingui();
  const format = useFormat();
  const list = useInfiniteQuery({ ...submissionsQuery(form.slug), enabled: !locked });
  const rows = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Panel flush title={t`Submissions`} meta={form.submissions > 0 && format.number(form.submissions)}>
      {list.error ? (
        <Failure error={list.error} reset={() => list.refetch()} compact />
      ) : locked ? (
        <p className={classes.locked}>{t`Your role does not see what people wrote.`}</p>
      ) : list.isPending ? (
        <RowSkeletons rows={4} />
      ) : rows.length === 0 ? (
        <Empty
          compact
          icon={IconInbox}
          family="trigger"
          title={t`Nobody has sent it yet`}
          text={t`Open its page and send it yourself, to see what arrives. Then put it on your site.`}
        />
      ) : (
        <Rows heads={[{ label: t`When`, width: 150 }, { label: t`Answers` }, { label: t`State`, width: 190 }]}>
          {rows.map((row) => (
            <SubmissionRow key={row.id} form={form} row={row} />
          ))}
        </Rows>
      )}
      <MoreRows query={list} />
    </Panel>
  );
}

function SubmissionRow({ form, row }: { form: Form; row: Submission }) {
  const { t } = useLingui();
  const format = useFormat();
  const word = (value: unknown) => (value === true ? t`yes` : value === false ? t`no` : String(value ?? ""));
  const labels = new Map(form.fields.map((field) => [field.key, field.label]));
  const answers = Object.entries(row.answers).filter(([, value]) => value !== "" && value !== null);
  return (
    <Row>
      {format.moment(row.at)}
      <div>
        <ul className={classes.answers}>
          {answers.map(([key, value]) => (
            <li key={key}>
              <span>{labels.get(key) ?? key}</span> {word(value)}
            </li>
          ))}
        </ul>
        <span className={classes.second}>
          {[
            form.consent_text && (row.consented ? t`Agreed` : t`Did not agree`),
            row.origin?.replace(/^https?:\/\//, ""),
          ]
            .filter(Boolean)
            .join(" · ")}
        </span>
      </div>
      <div>
        <State row={row} />
        {row.contact_id && (
          <Link to="/people/$id" params={{ id: row.contact_id }} className={classes.person}>
            {t`Open the person`}
          </Link>
        )}
      </div>
    </Row>
  );
}

function State({ row }: { row: Submission }) {
  const { t } = useLingui();
  switch (row.state) {
    case "received":
      return <Badge data-tone="warning">{t`Not confirmed yet`}</Badge>;
    case "confirmed":
      return <Badge data-tone="ok">{t`Counts`}</Badge>;
    case "spam":
      return (
        <>
          <Badge>{t`Spam`}</Badge>
          <span className={classes.second}>
            {row.reason === "honeypot" ? t`A program filled in the hidden line.` : row.reason}
          </span>
        </>
      );
  }
}
