import { useLingui } from "@lingui/react/macro";
import { Badge, Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconForms, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { type Form, formsQuery } from "@/api/inbound";
import { useCan } from "@/api/session";
import { PageBody, PageHeader } from "@/shell/PageHeader";
import { Empty } from "@/ui/Empty";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import { Row, Rows } from "@/ui/Rows";
import { RowSkeletons } from "@/ui/Skeletons";
import classes from "./forms.module.css";

const FormEditor = lazy(() => import("./FormEditor"));

/** The forms people fill in, with what came of each. */
export function Forms() {
  const { t } = useLingui();
  const write = useCan()("forms.write");
  const forms = useQuery(formsQuery);
  const [adding, add] = useDisclosure(false);
  return (
    <>
      <PageHeader
        title={t`Forms`}
        actions={
          write && (
            <Button variant="filled" leftSection={<IconPlus size={15} stroke={2} aria-hidden />} onClick={add.open}>
              {t`Make a form`}
            </Button>
          )
        }
      />
      <PageBody>
        <Panel flush label={t`Forms`}>
          {forms.error ? (
            <Failure error={forms.error} reset={() => forms.refetch()} compact />
          ) : forms.isPending ? (
            <RowSkeletons rows={3} />
          ) : forms.data.length === 0 ? (
            <Empty
              icon={IconForms}
              family="trigger"
              title={t`Let people come to you`}
              text={t`Ask for an address and whatever else you need. The form has a page of its own, and you can put it on your site with one line. Whoever sends it becomes a person here and can start a funnel.`}
              action={
                write && (
                  <Button variant="filled" onClick={add.open}>
                    {t`Make the first form`}
                  </Button>
                )
              }
            />
          ) : (
            <Rows
              tall
              lively
              heads={[
                { label: t`Name` },
                { label: t`State` },
                { label: t`Submissions`, kind: "number" },
                { label: t`Last one`, kind: "moment" },
              ]}
            >
              {forms.data.map((form) => (
                <FormRow key={form.id} form={form} />
              ))}
            </Rows>
          )}
        </Panel>
      </PageBody>
      <Suspense fallback={null}>{adding && <FormEditor onClose={add.close} />}</Suspense>
    </>
  );
}

function FormRow({ form }: { form: Form }) {
  const { t } = useLingui();
  const format = useFormat();
  const waiting = format.number(form.waiting);
  const sites = form.allowed_origins.map((origin) => origin.replace(/^https?:\/\//, "")).join(", ");
  return (
    <Row data-testid={`form-${form.slug}`}>
      <div>
        <Link to="/forms/$slug" params={{ slug: form.slug }} className={`${classes.name} cut`}>
          {form.name}
        </Link>
        <span className={`${classes.second} cut`}>{sites ? t`On ${sites}` : t`On its own page`}</span>
      </div>

      <Badge data-tone="ok">{t`Takes answers`}</Badge>

      <div>
        {format.number(form.submissions)}
        {form.waiting > 0 && <span className={classes.second}>{t`${waiting} to confirm`}</span>}
      </div>

      {form.last_at ? format.ago(form.last_at) : t`None yet`}
    </Row>
  );
}
