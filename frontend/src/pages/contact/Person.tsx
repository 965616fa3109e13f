import { useLingui } from "@lingui/react/macro";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { contactQuery } from "@/api/people";
import { useCan } from "@/api/session";
import { callName, fullName } from "@/pages/people/name";
import { useSuppression } from "@/pages/people/suppression";
import { PageHeader } from "@/shell/PageHeader";
import { Face } from "@/ui/Face";
import { useFormat } from "@/ui/format";
import { ConsentPanel } from "./ConsentPanel";
import { DetailsPanel } from "./DetailsPanel";
import { PersonMenu } from "./PersonMenu";
import classes from "./person.module.css";
import { RunsPanel } from "./RunsPanel";
import { StartFunnel } from "./StartFunnel";
import { TagsPanel } from "./TagsPanel";
import { TimelinePanel } from "./TimelinePanel";
import { WhyPanel } from "./WhyPanel";

export function Person({ id }: { id: string }) {
  const { t } = useLingui();
  const can = useCan();
  const format = useFormat();
  const suppression = useSuppression();
  useSuspenseQuery(contactQuery(id));
  const { data: person } = useQuery(contactQuery(id));
  if (!person) return null;
  const name = callName(person);
  return (
    <>
      <PageHeader
        back={
          <Link to="/people" className={classes.back}>
            {t`People`}
            <span aria-hidden> /</span>
          </Link>
        }
        title={
          <span className={classes.title}>
            <Face name={fullName(person)} seed={person.id} size={28} />
            <span className="cut">{name}</span>
          </span>
        }
        actions={
          <>
            {can("contacts.write") && <StartFunnel person={person} />}
            {can("contacts.erase") && <PersonMenu person={person} />}
          </>
        }
      />
      <div className={classes.columns}>
        <div className={classes.column}>
          {person.suppressed && (
            <p className={classes.notice} role="note">
              {t`Nothing is sent to this person: ${suppression(person.suppressed)}.`}
            </p>
          )}
          <RunsPanel person={person} />
          <WhyPanel person={person} />
          <TimelinePanel person={person} />
        </div>
        <div className={classes.column}>
          <DetailsPanel person={person} />
          <TagsPanel person={person} />
          <ConsentPanel person={person} />
          <p className="meta">{t`Known since ${format.moment(person.created_at)}`}</p>
        </div>
      </div>
    </>
  );
}
