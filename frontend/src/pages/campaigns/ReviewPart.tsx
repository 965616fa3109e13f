import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { IconCalendarClock, IconSend } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import {
  type CampaignDetail,
  type CampaignPreview,
  campaignQuery,
  scheduleCampaign,
  startCampaign,
  willBeSent,
} from "@/api/campaigns";
import { isProblem } from "@/api/problem";
import { useCan, useZone, workspaceQuery } from "@/api/session";
import { readable } from "@/canvas/mergeWords";
import { useFormat } from "@/ui/format";
import { LeaveTime } from "@/ui/LeaveTime";
import { useToast } from "@/ui/toast";
import { useAudienceChoices } from "./AudiencePart";
import classes from "./campaigns.module.css";
import { ProblemLines } from "./ProblemLines";
import type { Part, Problem } from "./parts";
import type { Draft } from "./useDraft";
import { useChannelName } from "./useWords";

interface ReviewPartProps {
  detail: CampaignDetail;
  draft: Draft;
  problems: Problem[];
  preview: CampaignPreview | undefined;
  onPart: (part: Part) => void;
}

/** Everything once more in words, and the button. */
export function ReviewPart({ detail, draft, problems, preview, onPart }: ReviewPartProps) {
  const { t } = useLingui();
  const can = useCan();
  const client = useQueryClient();
  const toast = useToast();
  const { data: workspace } = useQuery(workspaceQuery);
  const { document } = draft;
  const { id } = detail.campaign;
  const lines = useSummary(draft);
  const errors = problems.filter((problem) => problem.severity === "error");
  const sandbox = (workspace?.delivery ?? "sandbox") === "sandbox";
  const later = document.when.mode !== "now";
  const people = willBeSent(preview);

  const send = useMutation({
    mutationFn: async () => {
      const revision = await draft.flush();
      if (revision === undefined) throw new Error("not saved");
      return later ? scheduleCampaign(id, revision) : startCampaign(id, revision);
    },
    onSettled: () => client.invalidateQueries({ queryKey: campaignQuery(id).queryKey }),
    onError: (error) => toast.failed(isProblem(error) ? error : undefined),
  });

  return (
    <section className={classes.card} aria-label={t`Review and send`}>
      <dl className={classes.review}>
        {lines.map((line) => (
          <div key={line.part}>
            <dt>{line.label}</dt>
            <dd>{line.text}</dd>
            <dd>
              <Button
                size="sm"
                variant="subtle"
                onClick={() => onPart(line.part)}
                aria-label={t`Change: ${line.label}`}
              >
                {t({ context: "button", message: "Change" })}
              </Button>
            </dd>
          </div>
        ))}
      </dl>
      <ProblemLines problems={problems} />
      <div className={classes.launch} data-tone={sandbox ? "sandbox" : "live"}>
        <div>
          <b>
            {sandbox
              ? plural(people, {
                  one: "Sandbox: nothing leaves. # person would be sent it.",
                  other: "Sandbox: nothing leaves. # people would be sent it.",
                })
              : plural(people, {
                  one: "It really leaves: # person is sent it.",
                  other: "It really leaves: # people are sent it.",
                })}
          </b>
          <span className="meta">
            {sandbox ? (
              <>
                {t`Every message lies in the Test inbox, as it would arrive.`}{" "}
                <Link to="/inbox">{t`Open the Test inbox`}</Link>
              </>
            ) : (
              <>
                {t`You can pause it at any moment; what has left cannot be called back.`}{" "}
                <LeaveTime channel={document.channel} count={people} />
              </>
            )}
          </span>
        </div>
        {can("campaigns.send") ? (
          <Button
            size="md"
            variant="filled"
            disabled={errors.length > 0}
            loading={send.isPending}
            leftSection={
              later ? (
                <IconCalendarClock size={16} stroke={1.9} aria-hidden />
              ) : (
                <IconSend size={16} stroke={1.9} aria-hidden />
              )
            }
            onClick={() => send.mutate()}
          >
            {later ? t`Schedule the campaign` : t`Send the campaign`}
          </Button>
        ) : (
          <Button size="md" disabled>
            {t`Ask an approver to send it`}
          </Button>
        )}
      </div>
    </section>
  );
}

/** Audience, message and time in words. */
function useSummary(draft: Draft): { part: Part; label: string; text: string }[] {
  const { t } = useLingui();
  const format = useFormat();
  const home = useZone();
  const channel = useChannelName();
  const choices = useAudienceChoices().flatMap((group) => group.items);
  const { document } = draft;
  const named = (refs: string[]) =>
    refs.map((ref) => choices.find((one) => one.value === ref)?.label ?? ref).join(", ") || "–";
  const audience = named(document.audience.include);
  const without = document.audience.exclude?.length ? named(document.audience.exclude) : "";
  const words = document.variants.map(({ creative: c }) => readable(c.subject || c.title || c.text) || "–");
  const at = (document.when.at ?? "").replace("T", ", ");
  const zone = document.when.zone || home;
  const times = {
    now: t`As soon as you press Send`,
    at: t`${at} (${zone})`,
    local: t`${at}, where each person lives`,
  };
  const per = { minute: t`a minute`, hour: t`an hour`, day: t`a day` };
  const limit = document.throttle
    ? ` · ${t`not more than ${format.number(document.throttle.count)}`} ${per[document.throttle.per]}`
    : "";
  const test = document.experiment ? ` · ${t`${format.percent(document.experiment.share / 100)} try them first`}` : "";
  return [
    { part: "audience", label: t`Audience`, text: without ? t`${audience}, without ${without}` : audience },
    {
      part: "message",
      label: t`Message`,
      text: `${channel(document.channel)}: ${words.map((one) => `“${one}”`).join(" / ")}${test}`,
    },
    { part: "when", label: t`When`, text: times[document.when.mode] + limit },
  ];
}
