import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Checkbox, Modal, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconFlask, IconSend, IconUsers } from "@tabler/icons-react";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { funnelChoicesQuery } from "@/api/funnels";
import { isProblem } from "@/api/problem";
import { useCan, workspaceQuery } from "@/api/session";
import type { Change, Placement } from "../answers";
import { api } from "../api";
import { ApprovalSection, useApproval, useLapsed } from "../approval";
import { run } from "../commands";
import { useAutosave } from "../Editor";
import e from "../editor.module.css";
import { goTo, ProblemRow } from "../ProblemsPill";
import { set, useEditor, useEditorStore } from "../store";
import { startingEvent } from "../triggers";
import type { FunnelDocument, Problem } from "../types";
import { Changes } from "./Changes";
import d from "./dialogs.module.css";
import { Expected } from "./Expected";
import { FailingTests, testFailed } from "./FailingTests";
import { MovePlan, meant } from "./MovePlan";
import { TextsExpected } from "./TextsExpected";

/** What publishing means before it happens: problems, what changes, who is inside, where messages go. */
export function PublishDialog({ version }: { version?: number | undefined }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const saver = useAutosave();
  const client = useQueryClient();
  const funnel = useEditor((s) => s.funnel);
  const [accepted, setAccepted] = useState(false);
  const [matching, setMatching] = useState(false);
  const [plan, setPlan] = useState<Placement[]>([]);
  const [name, setName] = useState("");
  const [note, setNote] = useState("");
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState("");
  const may = useCan()("funnels.publish");
  const approval = useApproval();
  const lapsed = useLapsed(approval);
  const approved = approval?.state === "approved" && !lapsed && version === undefined;
  const workspace = useQuery(workspaceQuery);
  const sandbox = (workspace.data?.delivery ?? "sandbox") === "sandbox";
  const preview = useQuery({
    queryKey: ["funnel", funnel.id, "publish-preview", version, plan],
    queryFn: async () => {
      const saved = version !== undefined || ((await saver?.flush()) ?? true);
      if (!saved) throw new Error("unsaved");
      return api.publishPreview(funnel.id, { ...(version ? { version } : {}), plan });
    },
    placeholderData: keepPreviousData,
    gcTime: 0,
    staleTime: 0,
    retry: false,
  });
  const older = useQuery({
    queryKey: ["funnel", funnel.id, "version", version],
    queryFn: () => api.version(funnel.id, version ?? 0),
    enabled: version !== undefined,
  });
  const draft = useEditor((s) => s.doc);
  const doc = useMemo(() => (older.data ? { ...draft, ...older.data } : draft), [draft, older.data]);
  const namesakes = useQuery(funnelChoicesQuery).data?.filter(
    (f) => f.name === doc.name && f.id !== funnel.id && f.state !== "archived",
  );
  const close = () => set(store, { dialog: undefined, fresh: new Set() });
  const found = preview.data;
  const errors = found?.problems.filter((p) => p.severity === "error") ?? [];
  const warnings = found?.problems.filter((p) => p.severity === "warning") ?? [];
  const failing = warnings.filter((p) => p.code === testFailed);
  const hints = warnings.filter((p) => p.code !== testFailed);
  const same = found !== undefined && found.changes.length === 0 && funnel.version > 0;
  const publish = async () => {
    if (!found) return;
    setBusy(true);
    setRefusal("");
    try {
      const send = may ? api.publish : api.publishApproved;
      const live = await send(funnel.id, {
        revision: found.revision,
        name,
        note,
        accept_warnings: warnings.length > 0,
        start_matching: matching,
        ...(version ? { version } : {}),
        plan: meant(plan),
      });
      const { history } = store.getState();
      set(store, { funnel: live, dialog: undefined, ...(version ? {} : { published: history.past.at(-1)?.at }) });
      void client.invalidateQueries({ queryKey: ["funnels"] });
      void client.invalidateQueries({ queryKey: ["funnel", funnel.id, "approval"] });
      notifications.show({
        message: (
          <span className={e.toast}>
            <span>{t`Version ${live.version} is live.`}</span>
            {startingEvent(store.getState().doc) && (
              <button type="button" onClick={() => run(store, "test-event")}>
                {t`Send a test event`}
              </button>
            )}
            <Link to="/inbox">{t`Test inbox`}</Link>
          </span>
        ),
        autoClose: 60_000, // what comes next is in it
      });
    } catch (error) {
      setRefusal(
        (isProblem(error) && error.detail) || t`It could not be published. Nothing changed. Try again in a moment.`,
      );
      void preview.refetch();
    } finally {
      setBusy(false);
    }
  };
  // Who is on the live version stays where they are when nothing new is published.
  const others = found?.inside.filter((row) => !same || row.version !== funnel.version) ?? [];
  const movers = meant(plan).length > 0;
  const title =
    version && found
      ? t`Go back to version ${version}, as version ${found.version}`
      : found
        ? t`Publish version ${found.version}`
        : t`Publish`;
  return (
    <Modal opened onClose={close} title={title} size="lg" closeButtonProps={{ "aria-label": t`Close` }}>
      <div className={d.stack} data-testid="publish-dialog">
        {!found && !preview.error && (
          <p className={d.lead}>
            <Trans>Looking at what would change…</Trans>
          </p>
        )}
        {preview.error && (
          <p className={d.lead}>
            <Trans>The draft is not saved yet, so it cannot be published. Look at the state next to its name.</Trans>
          </p>
        )}
        {errors.length > 0 && (
          <Problems
            title={plural(errors.length, { one: "# problem stands in the way", other: "# problems stand in the way" })}
            list={errors}
            close={close}
          />
        )}
        {failing.length > 0 && <FailingTests list={failing} close={close} />}
        {hints.length > 0 && (
          <Problems
            title={plural(hints.length, { one: "# thing to know", other: "# things to know" })}
            list={hints}
            close={close}
          />
        )}
        {found && (
          <>
            <Whole list={found.changes} first={funnel.version === 0} doc={doc} />
            {namesakes && namesakes.length > 0 && (
              <p className={d.lead} data-testid="same-name">
                {plural(namesakes.length, {
                  one: "# other funnel has this name too. In lists and reports the two cannot be told apart.",
                  other: "# other funnels have this name too. In lists and reports they cannot be told apart.",
                })}
              </p>
            )}
            {version !== undefined && (
              <p className={d.lead}>
                <Trans>The draft stays as it is.</Trans>
              </p>
            )}
            {others.length > 0 && <MovePlan inside={others} doc={doc} plan={plan} change={setPlan} />}
            {found.people_inside > 0 && !movers && (
              <p className={d.say} data-testid="people-inside">
                <IconUsers size={17} stroke={1.75} />
                {plural(found.people_inside, {
                  one: "# person is inside and finishes on their version. Only who starts from now on gets the new one.",
                  other:
                    "# people are inside and finish on their version. Only who starts from now on gets the new one.",
                })}
              </p>
            )}
            <Expected found={found} doc={doc} plan={plan} matching={matching} />
            {version === undefined && <TextsExpected doc={doc} />}
            <p className={`${d.say} ${sandbox ? d.sandbox : ""}`}>
              {sandbox ? <IconFlask size={17} stroke={1.75} /> : <IconSend size={17} stroke={1.75} />}
              {sandbox ? (
                <Trans>Sandbox: nothing leaves. Messages go to the Test inbox.</Trans>
              ) : (
                <Trans>Messages really leave, by your mail server.</Trans>
              )}
            </p>
            {found.matching_now !== undefined && found.matching_now > 0 && (
              <Checkbox
                checked={matching}
                onChange={(x) => setMatching(x.currentTarget.checked)}
                label={plural(found.matching_now, {
                  one: "Also start it for # person who matches now",
                  other: "Also start it for # people who match now",
                })}
              />
            )}
            {warnings.length > 0 && errors.length === 0 && (
              <Checkbox
                checked={accepted}
                onChange={(x) => setAccepted(x.currentTarget.checked)}
                label={t`I know, publish anyway`}
              />
            )}
          </>
        )}
        {found && version === undefined && (
          <ApprovalSection revision={found.revision} ready={errors.length === 0 && !same} done={close} />
        )}
        {found && errors.length === 0 && (may || approved) && !(same && !movers) && (
          <div className={d.naming}>
            <TextInput
              label={t`Name of the version`}
              placeholder={t`Version ${found.version}`}
              maxLength={80}
              value={name}
              onChange={(x) => setName(x.currentTarget.value)}
            />
            <TextInput
              label={t`Note`}
              placeholder={t`What is new, for those who come after`}
              maxLength={500}
              value={note}
              onChange={(x) => setNote(x.currentTarget.value)}
            />
          </div>
        )}
        {refusal && <p className={d.removed}>{refusal}</p>}
        <div className={d.foot}>
          <Button onClick={close}>{errors.length > 0 ? <Trans>Go and mend it</Trans> : <Trans>Not yet</Trans>}</Button>
          {(may || approved) && (
            <Button
              variant="filled"
              loading={busy}
              disabled={!found || errors.length > 0 || (same && !movers) || (warnings.length > 0 && !accepted)}
              onClick={() => void publish()}
              data-testid="publish-confirm"
            >
              {same && !movers ? (
                <Trans>Nothing to publish</Trans>
              ) : sandbox ? (
                <Trans>Publish to sandbox</Trans>
              ) : (
                <Trans>Publish</Trans>
              )}
            </Button>
          )}
        </div>
      </div>
    </Modal>
  );
}

function Problems({ title, list, close }: { title: string; list: Problem[]; close: () => void }) {
  const store = useEditorStore();
  return (
    <section className={d.section}>
      <h3>{title}</h3>
      <div className={d.rows}>
        {list.map((p, i) => (
          <ProblemRow
            // biome-ignore lint/suspicious/noArrayIndexKey: the list comes whole, in a stable order
            key={i}
            problem={p}
            go={() => {
              close();
              goTo(store, p);
            }}
          />
        ))}
      </div>
    </section>
  );
}

function Whole({ list, first, doc }: { list: Change[]; first: boolean; doc: FunnelDocument }) {
  if (first)
    return (
      <p className={d.lead}>
        {plural(doc.graph.nodes.length, {
          one: "This is the first version: # step.",
          other: "This is the first version: # steps.",
        })}
      </p>
    );
  if (list.length === 0)
    return (
      <p className={d.lead}>
        <Trans>It is the same as the live version.</Trans>
      </p>
    );
  return <Changes list={list} doc={doc} />;
}
