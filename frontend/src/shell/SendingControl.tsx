import { useLingui } from "@lingui/react/macro";
import { Badge, Button } from "@mantine/core";
import { IconPlayerPause, IconPlayerPlay, IconSend, IconShield } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { api, ask } from "@/api/client";
import { useCan, workspaceQuery } from "@/api/session";
import { useToast } from "@/ui/toast";
import classes from "./header.module.css";

const LiveDialog = lazy(() => import("./LiveDialog"));

/** Says on every page whether anything leaves, and stops all of it with one press. */
export function SendingControl() {
  const { t } = useLingui();
  const can = useCan();
  const client = useQueryClient();
  const toast = useToast();
  const { data: workspace } = useQuery(workspaceQuery);

  const turn = useMutation({
    mutationFn: (pause: boolean) =>
      ask(pause ? api.POST("/workspace/pause-sending") : api.POST("/workspace/resume-sending")),
    onSuccess: (now) => {
      client.setQueryData(workspaceQuery.queryKey, now);
      if (now.sending_paused)
        toast.show({
          title: t`All sending is paused`,
          text: t`Messages wait in line until you resume.`,
          undo: () => turn.mutate(false),
        });
      else toast.show({ title: t`Sending goes on` });
    },
    onError: (error) => toast.failed(error),
  });

  const [asking, setAsking] = useState(false);
  if (!workspace) return null;
  const paused = workspace.sending_paused;
  const mayPause = can("sending.pause");
  return (
    <div className={classes.sending}>
      {paused ? (
        <Badge data-tone="error" leftSection={<IconPlayerPause size={13} stroke={2} aria-hidden />} data-testid="mode">
          {t`Sending is paused`}
        </Badge>
      ) : workspace.delivery === "sandbox" ? (
        <Badge
          component="button"
          type="button"
          className={classes.mode}
          onClick={() => setAsking(true)}
          data-tone="warning"
          leftSection={<IconShield size={13} stroke={1.9} aria-hidden />}
          data-testid="mode"
        >
          {t`Sandbox: nothing leaves`}
        </Badge>
      ) : (
        <Badge
          component="button"
          type="button"
          className={classes.mode}
          onClick={() => setAsking(true)}
          data-tone="ok"
          leftSection={<IconSend size={13} stroke={1.9} aria-hidden />}
          data-testid="mode"
        >
          {t`Live: e-mails leave`}
        </Badge>
      )}
      {mayPause && (
        <Button
          size="sm"
          variant={paused ? "default" : "subtle"}
          className={classes.pause}
          loading={turn.isPending}
          aria-label={paused ? t`Resume sending` : t`Pause all sending`}
          leftSection={
            paused ? (
              <IconPlayerPlay size={14} stroke={1.75} aria-hidden />
            ) : (
              <IconPlayerPause size={14} stroke={1.75} aria-hidden />
            )
          }
          onClick={() => turn.mutate(!paused)}
        >
          <span className={classes.pauseWord}>{paused ? t`Resume sending` : t`Pause all sending`}</span>
        </Button>
      )}
      {asking && (
        <Suspense>
          <LiveDialog close={() => setAsking(false)} />
        </Suspense>
      )}
    </div>
  );
}
