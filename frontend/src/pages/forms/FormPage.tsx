import { useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDots, IconPencil } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { deleteForm, formQuery } from "@/api/inbound";
import { useCan } from "@/api/session";
import { PageHeader } from "@/shell/PageHeader";
import { Failure } from "@/ui/Failure";
import { useToast } from "@/ui/toast";
import { useConfirm } from "@/ui/useConfirm";
import { FormSummary } from "./FormSummary";
import classes from "./forms.module.css";
import { PutOnPage } from "./PutOnPage";
import { Submissions } from "./Submissions";

const FormEditor = lazy(() => import("./FormEditor"));

/** One form: what was sent, how it gets onto a page, what it asks. */
export function FormPage({ slug }: { slug: string }) {
  const { t } = useLingui();
  const can = useCan();
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const [dialog, confirm] = useConfirm();
  const [editing, edit] = useDisclosure(false);
  const { data: form, error, refetch } = useQuery(formQuery(slug));
  if (!form) return error ? <Failure error={error} reset={() => refetch()} /> : null;
  const { name } = form;
  const remove = () =>
    confirm({
      title: t`Remove the form ${name}?`,
      text: t`It takes no more answers, on your page neither. What was sent stays with the people. This cannot be taken back.`,
      action: t`Remove the form`,
      run: async () => {
        try {
          await deleteForm(slug);
          await navigate({ to: "/forms" });
          client.removeQueries({ queryKey: ["forms", slug] });
          client.invalidateQueries({ queryKey: ["forms"] });
          toast.show({ title: t`${name} is removed` });
        } catch (failure) {
          toast.failed(failure);
        }
      },
    });
  return (
    <>
      {dialog}
      <PageHeader
        back={
          <Link to="/forms" className={classes.back}>
            {t`Forms`}
            <span aria-hidden> /</span>
          </Link>
        }
        title={name}
        actions={
          can("forms.write") && (
            <>
              <Button leftSection={<IconPencil size={15} stroke={1.75} aria-hidden />} onClick={edit.open}>
                {t`Change the form`}
              </Button>
              <Menu position="bottom-end" width={200}>
                <Menu.Target>
                  <ActionIcon aria-label={t`More about ${name}`}>
                    <IconDots size={18} stroke={1.75} />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item onClick={remove}>{t`Remove…`}</Menu.Item>
                </Menu.Dropdown>
              </Menu>
            </>
          )
        }
      />
      <div className={classes.columns}>
        <div className={classes.column}>
          <Submissions form={form} locked={!can("contacts.read")} />
        </div>
        <div className={classes.column}>
          <PutOnPage form={form} />
          <FormSummary form={form} />
        </div>
      </div>
      <Suspense fallback={null}>{editing && <FormEditor form={form} onClose={edit.close} />}</Suspense>
    </>
  );
}
