import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { Badge, Button } from "@mantine/core";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask } from "@/api/client";
import { deliveriesQuery, type Webhook, type WebhookDelivery, webhooksQuery } from "@/api/consent";
import { Failure } from "@/ui/Failure";
import { useFormat } from "@/ui/format";
import { MoreRows } from "@/ui/MoreRows";
import { RowSkeletons } from "@/ui/Skeletons";
import { useToast } from "@/ui/toast";
import classes from "./settings.module.css";

/** What a webhook was told and what it answered. What was given up can be told again. */
export function WebhookLog({ webhook, locked }: { webhook: Webhook; locked: boolean }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const query = useInfiniteQuery(deliveriesQuery(webhook.id));
  const rows = query.data?.pages.flatMap((page) => page.items) ?? [];
  const replay = async (delivery?: string) => {
    try {
      const { queued } = await ask(
        api.POST("/webhooks/{id}/replay", { params: { path: { id: webhook.id } }, body: delivery ? { delivery } : {} }),
      );
      toast.show({ title: t`Told again: ${queued}` });
      await client.invalidateQueries({ queryKey: webhooksQuery.queryKey });
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <div style={{ flexBasis: "100%" }} data-testid="webhook-log">
      {webhook.dead > 0 && !locked && (
        <div className={classes.buttons} style={{ marginBlock: 8 }}>
          <Button size="sm" onClick={() => replay()}>
            {t`Tell all that were given up again`}
          </Button>
        </div>
      )}
      {query.error ? (
        <Failure error={query.error} reset={() => query.refetch()} compact />
      ) : query.isPending ? (
        <RowSkeletons rows={2} />
      ) : rows.length === 0 ? (
        <p className="meta">{t`It was told nothing yet.`}</p>
      ) : (
        rows.map((row) => <Delivery key={row.id} row={row} onReplay={locked ? undefined : () => replay(row.id)} />)
      )}
      <MoreRows query={query} />
    </div>
  );
}

function Delivery({ row, onReplay }: { row: WebhookDelivery; onReplay: (() => void) | undefined }) {
  const { t } = useLingui();
  const format = useFormat();
  const [open, setOpen] = useState(false);
  const names = {
    queued: row.attempts > 0 ? t`Tried again later` : t`Waiting`,
    sending: t`Being told`,
    delivered: t`Told`,
    dead: t`Given up`,
  };
  const tones = { queued: "warn", sending: undefined, delivered: "ok", dead: "error" } as const;
  return (
    <div className={classes.line} style={{ paddingInline: 0 }}>
      <span className={classes.lineText}>
        <span className={classes.eventName}>{row.name}</span>
        <small>
          {[
            format.ago(row.created_at),
            row.attempts > 1 ? plural(row.attempts, { one: "# attempt", other: "# attempts" }) : "",
            row.answer_status ? t`answered ${row.answer_status}` : row.answer,
          ]
            .filter(Boolean)
            .join(" · ")}
        </small>
      </span>
      <Badge data-tone={tones[row.status]}>{names[row.status]}</Badge>
      <Button
        size="sm"
        variant="subtle"
        onClick={() => setOpen((shown) => !shown)}
        aria-expanded={open}
        aria-label={t`What was said in ${row.name}`}
      >
        {t`Details`}
      </Button>
      {onReplay && row.status !== "sending" && row.name !== "webhook.test" && (
        <Button size="sm" variant="subtle" onClick={onReplay} aria-label={t`Tell ${row.name} again`}>
          {t`Again`}
        </Button>
      )}
      {open && (
        <div className={classes.code} style={{ flexBasis: "100%", marginTop: 0 }}>
          <pre>{[pretty(row.body), row.answer].filter(Boolean).join("\n\n")}</pre>
        </div>
      )}
    </div>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
