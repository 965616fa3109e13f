import { useLingui } from "@lingui/react/macro";
import { Button, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconAlertTriangle, IconArrowRight, IconCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type CampaignDetail, campaignPreviewQuery } from "@/api/campaigns";
import { useCan } from "@/api/session";
import type { CatalogueData } from "@/canvas/types";
import { PageBody, PageHeader } from "@/shell/PageHeader";
import { AudiencePart } from "./AudiencePart";
import { CampaignMenu } from "./CampaignMenu";
import { CampaignStatus } from "./CampaignStatus";
import classes from "./campaigns.module.css";
import { MessagePart } from "./MessagePart";
import { type Part, type Problem, partOf, parts } from "./parts";
import { Reach } from "./Reach";
import { ReviewPart } from "./ReviewPart";
import { type Saving, useDraft } from "./useDraft";
import { WhenPart } from "./WhenPart";

const noProblems: Problem[] = [];

interface DraftPageProps {
  detail: CampaignDetail;
  data: CatalogueData;
  part: Part;
  onPart: (part: Part) => void;
}

/** Who receives what, and when: four parts, in any order, saved as one writes. */
export function DraftPage({ detail, data, part, onPart }: DraftPageProps) {
  const { t } = useLingui();
  const can = useCan();
  const draft = useDraft(detail);
  const write = can("campaigns.write");
  const [asked] = useDebouncedValue(draft.document, 350);
  const preview = useQuery(campaignPreviewQuery(detail.campaign.id, asked));
  const problems = preview.data?.problems ?? detail.problems;
  // A campaign that was just made is not reproached with what nobody has come to yet.
  const [made] = useState(detail.campaign.revision <= 1);
  const [left, setLeft] = useState<ReadonlySet<Part>>(new Set());
  const go = (to: Part) => {
    setLeft((was) => new Set([...was, part]));
    onPart(to);
  };
  const told = !made || left.has(part) || part === "review" ? problems : noProblems;
  const errors = (of: Part) =>
    problems.filter((problem) => problem.severity === "error" && (of === "review" || partOf(problem) === of)).length;
  const names: Record<Part, string> = {
    audience: t`Audience`,
    message: t`Message`,
    when: t`When`,
    review: t`Review and send`,
  };
  const next = parts[parts.indexOf(part) + 1];
  return (
    <>
      <PageHeader
        back={
          <Link to="/campaigns" className={classes.back}>
            {t`Campaigns`}
            <span aria-hidden> /</span>
          </Link>
        }
        title={draft.name || t`No name`}
        status={<CampaignStatus state="draft" />}
        actions={
          <>
            <SavingWord saving={draft.saving} />
            <CampaignMenu campaign={detail.campaign} inside />
          </>
        }
      />
      <PageBody>
        <nav className={classes.steps} aria-label={t`Parts of the campaign`}>
          {parts.map((one, i) => {
            const wrong = errors(one);
            const done = wrong === 0 && one !== "review";
            return (
              <button
                key={one}
                type="button"
                className={classes.step}
                aria-current={one === part ? "step" : undefined}
                data-state={done ? "done" : wrong > 0 && one !== "review" ? "open" : undefined}
                onClick={() => go(one)}
              >
                <span className={classes.stepSign} aria-hidden>
                  {done ? <IconCheck size={14} stroke={2.5} /> : i + 1}
                </span>
                {names[one]}
              </button>
            );
          })}
        </nav>
        <fieldset className={classes.split} disabled={!write}>
          <div className={classes.main}>
            {part === "audience" && (
              <>
                <div className={classes.card}>
                  <TextInput
                    label={t`Name of the campaign`}
                    description={t`Only you see it.`}
                    value={draft.name}
                    maxLength={200}
                    error={draft.name.trim() ? undefined : t`Give it a name.`}
                    onChange={(event) => draft.rename(event.currentTarget.value)}
                  />
                </div>
                <AudiencePart draft={draft} problems={told} />
              </>
            )}
            {part === "message" && <MessagePart draft={draft} problems={told} data={data} />}
            {part === "when" && <WhenPart draft={draft} problems={told} preview={preview.data} />}
            {part === "review" && (
              <ReviewPart detail={detail} draft={draft} problems={problems} preview={preview.data} onPart={onPart} />
            )}
            {next && (
              <div className={classes.forth}>
                <Button
                  variant={next === "review" ? "filled" : "default"}
                  rightSection={<IconArrowRight size={15} stroke={1.9} aria-hidden />}
                  onClick={() => go(next)}
                >
                  {t`Next: ${names[next]}`}
                </Button>
              </div>
            )}
          </div>
          <Reach
            document={draft.document}
            preview={preview.data}
            busy={preview.isFetching || asked !== draft.document}
          />
        </fieldset>
      </PageBody>
    </>
  );
}

function SavingWord({ saving }: { saving: Saving }) {
  const { t } = useLingui();
  switch (saving) {
    case "saved":
      return <span className="meta">{t`Saved`}</span>;
    case "pending":
      return <span className="meta">{t`Saving…`}</span>;
    case "failed":
      return (
        <span className={classes.trouble} role="alert">
          <IconAlertTriangle size={14} stroke={1.9} aria-hidden />
          {t`Not saved. It is tried again with the next change.`}
        </span>
      );
    case "conflict":
      return (
        <span className={classes.trouble} role="alert">
          <IconAlertTriangle size={14} stroke={1.9} aria-hidden />
          {t`Somebody else changed it. Reload the page.`}
        </span>
      );
  }
}
