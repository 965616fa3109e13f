import { useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { IconExternalLink } from "@tabler/icons-react";
import type { Form } from "@/api/inbound";
import { CopyText } from "@/ui/CopyText";
import { Panel } from "@/ui/Panel";
import classes from "./forms.module.css";

/** Where the form is, and the line that puts it on a page of one's own. */
export function PutOnPage({ form }: { form: Form }) {
  const { t } = useLingui();
  const sites = form.allowed_origins.join(", ");
  return (
    <Panel title={t`Put it on your page`}>
      <div className={classes.ways}>
        <section>
          <h3>{t`A line of code`}</h3>
          <p className={classes.lead}>{t`Paste it where the form should stand.`}</p>
          <div className={classes.code}>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
            <pre tabIndex={0}>
              <code data-testid="form-snippet">{form.snippet}</code>
            </pre>
          </div>
          <div className={classes.buttons}>
            <CopyText value={form.snippet} label={t`Copy the code`} />
          </div>
          {sites ? (
            <p className={classes.lead}>{t`It works on ${sites}.`}</p>
          ) : (
            <p className={classes.warning} role="note">
              {t`It works nowhere yet. Choose “Change the form” and name the site it will stand on.`}
            </p>
          )}
        </section>
        <section>
          <h3>{t`Its own page`}</h3>
          <p className={classes.lead}>{t`For a link in a message, a profile or a printed code.`}</p>
          <p className={classes.address}>{form.url}</p>
          <div className={classes.buttons}>
            <CopyText value={form.url} label={t`Copy the address`} />
            <Button
              size="sm"
              leftSection={<IconExternalLink size={14} stroke={1.75} aria-hidden />}
              renderRoot={(props) => <a href={form.url} target="_blank" rel="noreferrer" {...props} />}
            >
              {t`Open the page`}
            </Button>
          </div>
        </section>
      </div>
    </Panel>
  );
}
