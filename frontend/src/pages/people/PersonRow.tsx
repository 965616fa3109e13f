import { useLingui } from "@lingui/react/macro";
import { Badge, Table, Tooltip } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import type { Contact } from "@/api/people";
import { Face } from "@/ui/Face";
import { useFormat } from "@/ui/format";
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
    <Table.Tr
      className={classes.whole}
      data-testid={`person-${person.email ?? person.id}`}
      onClick={(event) => {
        // The name is the link for keyboard and screen reader; the rest of the row leads to the same place.
        const chosen = window.getSelection()?.toString();
        if (!chosen && !(event.target as Element).closest("a, button"))
          void navigate({ to: "/people/$id", params: { id: person.id } });
      }}
    >
      <Table.Td className={classes.name}>
        <Link to="/people/$id" params={{ id: person.id }} className={classes.person}>
          <Face name={name} seed={person.id} />
          <span className="cut" data-dim={name ? undefined : true}>
            {name || t`No name`}
          </span>
        </Link>
      </Table.Td>
      <Table.Td className={`${classes.dim} cut`}>{person.email ?? person.phone ?? person.external_id}</Table.Td>
      <Table.Td>
        <Some slugs={person.tags} names={tags} />
      </Table.Td>
      <Table.Td>
        <Some slugs={person.lists} names={lists} />
      </Table.Td>
      <Table.Td>
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
      </Table.Td>
      <Table.Td className={`${classes.right} ${classes.dim}`}>{format.day(person.created_at)}</Table.Td>
    </Table.Tr>
  );
}

/** The first two names; the rest as a number that tells them on hover. */
function Some({ slugs, names }: { slugs: string[]; names?: Named[] }) {
  if (slugs.length === 0) return <span className={classes.dim}>–</span>;
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
