import { useLingui } from "@lingui/react/macro";
import { Badge, Tooltip } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import type { Contact } from "@/api/people";
import { Face } from "@/ui/Face";
import { useFormat } from "@/ui/format";
import { Row } from "@/ui/Rows";
import { fullName } from "./name";
import classes from "./people.module.css";
import { useSuppression } from "./suppression";

interface Named {
  slug: string;
  name: string;
}

interface PersonRowProps {
  person: Contact;
  tags?: Named[];
  lists?: Named[];
}

export function PersonRow({ person, tags, lists }: PersonRowProps) {
  const { t } = useLingui();
  const format = useFormat();
  const suppression = useSuppression();
  const navigate = useNavigate();
  const name = fullName(person);
  return (
    <Row
      className={classes.whole}
      data-testid={`person-${person.email ?? person.id}`}
      onClick={(event) => {
        // The name is the link for keyboard and screen reader; the rest of the row leads to the same place.
        const chosen = window.getSelection()?.toString();
        if (!chosen && !(event.target as Element).closest("a, button"))
          void navigate({ to: "/people/$id", params: { id: person.id } });
      }}
    >
      <Link to="/people/$id" params={{ id: person.id }} className={classes.person}>
        <Face name={name} seed={person.id} />
        <span className="cut" data-dim={name ? undefined : true}>
          {name || t`No name`}
        </span>
      </Link>
      <span className={`${classes.dim} cut`}>{person.email ?? person.phone ?? person.external_id}</span>
      {person.tags.length > 0 ? <Some slugs={person.tags} names={tags} /> : "–"}
      {person.lists.length > 0 ? <Some slugs={person.lists} names={lists} /> : "–"}
      {person.suppressed ? (
        <span className={classes.dim}>{t`No: ${suppression(person.suppressed)}`}</span>
      ) : !person.email ? (
        <span className={classes.dim}>{t`No: there is no address`}</span>
      ) : person.email_consent === "granted" ? (
        <span className={classes.yes}>
          <IconCheck size={13} stroke={2} aria-hidden />
          {t`Agreed, by e-mail`}
        </span>
      ) : (
        <span className={classes.dim}>{person.email_consent === "denied" ? t`No: they left` : t`Not asked`}</span>
      )}
      {format.day(person.created_at)}
    </Row>
  );
}

/** The first two names; the rest as a number that tells them on hover. */
function Some({ slugs, names }: { slugs: string[]; names?: Named[] }) {
  const words = slugs.map((slug) => names?.find((entry) => entry.slug === slug)?.name ?? slug);
  const rest = words.slice(2);
  return (
    <span className={classes.some}>
      {words.slice(0, 2).map((word) => (
        <Badge key={word}>{word}</Badge>
      ))}
      {rest.length > 0 && (
        <Tooltip label={rest.join(", ")}>
          <Badge variant="outline">+{rest.length}</Badge>
        </Tooltip>
      )}
    </span>
  );
}
