import { useLingui } from "@lingui/react/macro";
import { Button, Modal, Radio } from "@mantine/core";
import { IconCheck, IconCircle } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api, ask } from "@/api/client";
import { useCan, workspaceQuery } from "@/api/session";
import { useToast } from "@/ui/toast";
import classes from "./live.module.css";

type Warmup = "slow" | "known";

/** From the sandbox to real sending: what has to be there, and who may say so. */
export default function LiveDialog({ close }: { close: () => void }) {
  const { t } = useLingui();
  const can = useCan();
  const client = useQueryClient();
  const toast = useToast();
  const { data } = useQuery({
    queryKey: ["live-checklist"],
    queryFn: () => ask(api.GET("/workspace/live-checklist")),
    staleTime: 0,
  });
  const [warmup, setWarmup] = useState<Warmup>();
  const turn = useMutation({
    mutationFn: (live: boolean) =>
      ask(
        live ? api.POST("/workspace/go-live", { body: warmup ? { warmup } : {} }) : api.POST("/workspace/go-sandbox"),
      ),
    onSuccess: (now) => {
      client.setQueryData(workspaceQuery.queryKey, now);
      toast.show({ title: now.delivery === "sandbox" ? t`Sandbox: nothing leaves` : t`Live: e-mails leave` });
      close();
    },
    onError: (error) => toast.failed(error),
    onSettled: () => client.invalidateQueries({ queryKey: ["live-checklist"] }),
  });
  const has = (key: string) => data?.items.find((one) => one.key === key)?.ok ?? false;
  const words = [
    {
      key: "provider",
      label: t`Somebody carries your e-mail`,
      to: "/settings/sending",
      action: t`Connect a mail server`,
    },
    {
      key: "sender",
      label: t`The sender's address is verified`,
      to: "/settings/senders",
      action: t`Look at the senders`,
    },
    {
      key: "address",
      label: t`Your postal address stands below every mail`,
      to: "/settings/workspace",
      action: t`Enter the address`,
    },
  ] as const;
  const ready = words.every((one) => has(one.key)) && (has("warmup") || warmup !== undefined);
  const may = can("workspace.write");
  return (
    <Modal
      opened
      size={520}
      title={data?.live ? t`E-mails really leave` : t`From the sandbox to real sending`}
      onClose={close}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      {data?.live ? (
        <p>{t`Back in the sandbox nothing leaves any more: what waits then lies in the Test inbox.`}</p>
      ) : (
        <div className={classes.dialog}>
          <p>{t`Until all of this is there, nothing leaves.`}</p>
          <ul className={classes.list}>
            {words.map((one) => (
              <li key={one.key} data-ok={has(one.key)} data-testid={`live-${one.key}`}>
                {has(one.key) ? (
                  <IconCheck size={16} stroke={2.25} aria-label={t`There`} />
                ) : (
                  <IconCircle size={16} stroke={1.75} aria-label={t`Missing`} />
                )}
                <span>{one.label}</span>
                {!has(one.key) && (
                  <Link to={one.to} onClick={close}>
                    {one.action}
                  </Link>
                )}
              </li>
            ))}
          </ul>
          <Radio.Group
            label={t`How does the address begin?`}
            value={warmup ?? null}
            onChange={(value) => setWarmup(value as Warmup)}
          >
            <div className={classes.choices}>
              <Radio value="slow" label={t`Slowly: it is new, so a few more mails each day`} />
              <Radio value="known" label={t`At once: mail providers know it from before`} />
            </div>
          </Radio.Group>
        </div>
      )}
      <div className={classes.foot}>
        {!may && <span className="meta">{t`Only an administrator may do this.`}</span>}
        <Button variant="subtle" onClick={close}>
          {t`Cancel`}
        </Button>
        {data?.live ? (
          <Button variant="filled" disabled={!may} loading={turn.isPending} onClick={() => turn.mutate(false)}>
            {t`Back to the sandbox`}
          </Button>
        ) : (
          <Button variant="filled" disabled={!may || !ready} loading={turn.isPending} onClick={() => turn.mutate(true)}>
            {t`Let e-mails leave`}
          </Button>
        )}
      </div>
    </Modal>
  );
}
