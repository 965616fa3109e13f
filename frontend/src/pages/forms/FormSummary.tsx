import { useLingui } from "@lingui/react/macro";
import type { Form } from "@/api/inbound";
import { Panel } from "@/ui/Panel";
import { useFieldTypeName } from "./fieldTypes";
import classes from "./forms.module.css";

/** What the form asks and what happens to the answers. */
export function FormSummary({ form }: { form: Form }) {
  const { t } = useLingui();
  const typeName = useFieldTypeName();
  return (
    <Panel title={t`What it asks`}>
      <dl className={classes.asks}>
        {form.fields.map((field) => (
          <div key={field.key}>
            <dt>{field.label}</dt>
            <dd>
              {[typeName(field.type), field.required && t`required`].filter(Boolean).join(", ")} ·{" "}
              <code>{field.key}</code>
            </dd>
          </div>
        ))}
        <div>
          <dt>{t`Consent`}</dt>
          <dd>{form.consent_text || t`not asked for`}</dd>
        </div>
        <div>
          <dt>{t`Address confirmed by e-mail`}</dt>
          <dd>{form.double_opt_in ? t`yes` : t`no`}</dd>
        </div>
      </dl>
    </Panel>
  );
}
