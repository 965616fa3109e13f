import { useLingui } from "@lingui/react/macro";
import { Badge, Button, Table } from "@mantine/core";
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
            <Table className={classes.table} highlightOnHover>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t`Name`}</Table.Th>
                  <Table.Th>{t`State`}</Table.Th>
                  <Table.Th className={classes.number}>{t`Submissions`}</Table.Th>
                  <Table.Th className={classes.when}>{t`Last one`}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {forms.data.map((form) => (
                  <Row key={form.id} form={form} />
                ))}
              </Table.Tbody>
            </Table>
          )}
        </Panel>
      </PageBody>
      <Suspense fallback={null}>{adding && <FormEditor onClose={add.close} />}</Suspense>
    </>
  );
}

function Row({ form }: { form: Form }) {
  const { t } = useLingui();
  const format = useFormat();
  const waiting = format.number(form.waiting);
  const sites = form.allowed_origins.map((origin) => origin.replace(/^https?:\/\//, "")).join(", ");
  return (
    <Table.Tr data-testid={`form-${form.slug}`}>
      <Table.Td>
        <Link to="/forms/$slug" params={{ slug: form.slug }} className={`${classes.name} cut`}>
          {form.name}
        </Link>
        <span className={`${classes.second} cut`}>{sites ? t`On ${sites}` : t`On its own page`}</span>
      </Table.Td>
      <Table.Td>
        <Badge data-tone="ok">{t`Takes answers`}</Badge>
      </Table.Td>
      <Table.Td className={classes.number}>
        {format.number(form.submissions)}
        {form.waiting > 0 && <span className={classes.second}>{t`${waiting} to confirm`}</span>}
      </Table.Td>
      <Table.Td className={classes.when}>{form.last_at ? format.ago(form.last_at) : t`None yet`}</Table.Td>
    </Table.Tr>
  );
}
