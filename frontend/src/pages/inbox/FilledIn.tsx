import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { fieldsQuery } from "@/api/people";
import { useFieldName } from "@/pages/people/fieldNames";
import { flatValues, plainName } from "./flatValues";
import classes from "./inbox.module.css";

/** Which values the message's variables were given. */
export function FilledIn({ values }: { values: Record<string, unknown> }) {
  const { t } = useLingui();
  const fieldName = useFieldName();
  const { data: fields = [] } = useQuery(fieldsQuery);
  const lines = flatValues(values);
  if (lines.length === 0) return null;
  return (
    <section className={classes.block}>
      <h3>{t`Filled in`}</h3>
      <dl className={classes.values}>
        {lines.map(([key, value]) => (
          <div key={key}>
            <dt title={key}>{fieldName(key, fields.find((field) => field.key === key)?.label || plainName(key))}</dt>
            <dd>{value || t`nothing`}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
