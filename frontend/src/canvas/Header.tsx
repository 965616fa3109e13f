import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Menu, Tooltip } from "@mantine/core";
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconChevronLeft,
  IconDots,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconX,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useCan, workspaceQuery } from "@/api/session";
import { useFormat } from "@/ui/format";
import { api } from "./api";
import { ApprovalBadge, useApproval, useLapsed } from "./approval";
import { CommandItems } from "./CommandMenu";
import { run } from "./commands";
import { CommentsButton } from "./comments/CommentsPanel";
import e from "./editor.module.css";
import { menus } from "./menus";
import { PresentFaces } from "./Present";
import { ProblemsPill } from "./ProblemsPill";
import { SaveState } from "./SaveState";
import { apply, set, useEditor, useEditorStore } from "./store";

/** Name, what is draft and what is live, whether it is saved; undo, problems, simulate, publish. */
export function Header({ phone }: { phone: boolean }) {
  return phone ? <PhoneHeader /> : <WideHeader />;
}

function WideHeader() {
  const { t } = useLingui();
  return (
    <header className={e.top}>
      <Link to="/funnels" className={`${e.crumb} ${e.wideOnly}`}>
        <Trans>Funnels</Trans>
      </Link>
      <span className={`${e.slash} ${e.wideOnly}`}>/</span>
      <h1 className="visually-hidden">{t`Edit the funnel`}</h1>
      <NameField />
      <Badges />
      <ApprovalBadge />
      <SaveState />
      <span className={e.grow} />
      <PresentFaces />
      <CommentsButton />
      <UndoButtons />
      <span className={e.rule} />
      <ProblemsPill />
      <SimulateButton />
      <PublishButton />
      <MoreMenu />
    </header>
  );
}

function PhoneHeader() {
  const { t } = useLingui();
  const name = useEditor((s) => s.doc.name);
  return (
    <header className={e.phoneTop}>
      <ActionIcon component={Link} to="/funnels" size="xl" aria-label={t`Back to the funnels`}>
        <IconChevronLeft size={20} stroke={1.75} />
      </ActionIcon>
      <div className={e.phoneName}>
        <b>{name}</b>
      </div>
      <CommentsButton />
      <UndoButtons />
      <MoreMenu />
      <div className={e.phoneState}>
        <Badges />
        <SaveState />
      </div>
    </header>
  );
}

function NameField() {
  const { t } = useLingui();
  const store = useEditorStore();
  const name = useEditor((s) => s.doc.name);
  return (
    <input
      className={e.title}
      aria-label={t`Name of the funnel`}
      value={name}
      maxLength={200}
      style={{ width: `${Math.max(8, name.length + 2)}ch` }}
      onChange={(event) => {
        const value = event.target.value;
        apply(store, t`rename the funnel`, (doc) => void Object.assign(doc, { name: value }), "funnel-name");
      }}
      onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
    />
  );
}

function Badges() {
  const funnel = useEditor((s) => s.funnel);
  const dirty = useEditor((s) => s.history.past.at(-1)?.at !== s.published);
  const draft = funnel.version === 0 || funnel.changed || dirty;
  const format = useFormat();
  const live = [funnel.version, funnel.published_at && format.day(funnel.published_at)].filter(Boolean).join(", ");
  return (
    <>
      {draft && (
        <span className={`${e.badge} ${e.badgeLine}`} data-testid="badge-draft">
          <span className={e.dot} style={{ color: "var(--warning)" }} />
          <Trans>Draft</Trans>
        </span>
      )}
      {funnel.version > 0 && (
        <span className={`${e.badge} ${funnel.state === "live" ? e.badgeOk : e.badgeWarn}`} data-testid="badge-live">
          <span className={e.dot} />
          {funnel.state === "live" ? (
            <Trans>Live: version {live}</Trans>
          ) : funnel.state === "paused" ? (
            <Trans>Paused: version {funnel.version}</Trans>
          ) : funnel.state === "archived" ? (
            <Trans>Archived: version {funnel.version}</Trans>
          ) : (
            <Trans>Stopped: version {funnel.version}</Trans>
          )}
        </span>
      )}
    </>
  );
}

export function UndoButtons() {
  const { t } = useLingui();
  const store = useEditorStore();
  const blocked = useEditor((s) => s.proposal !== undefined);
  const undone = useEditor((s) => s.history.past.at(-1)?.label);
  const redone = useEditor((s) => s.history.future[0]?.label);
  return (
    <>
      <Tooltip label={undone ? t`Undo: ${undone}` : t`Nothing to undo`}>
        <ActionIcon size="md" aria-label={t`Undo`} disabled={!undone || blocked} onClick={() => run(store, "undo")}>
          <IconArrowBackUp size={18} stroke={1.75} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={redone ? t`Redo: ${redone}` : t`Nothing to redo`}>
        <ActionIcon size="md" aria-label={t`Redo`} disabled={!redone || blocked} onClick={() => run(store, "redo")}>
          <IconArrowForwardUp size={18} stroke={1.75} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}

export function SimulateButton({ wide }: { wide?: boolean }) {
  const store = useEditorStore();
  const on = useEditor((s) => s.simulating);
  const blocked = useEditor((s) => s.proposal !== undefined);
  return (
    <Button
      size={wide ? "xl" : "md"}
      disabled={blocked}
      leftSection={on ? <IconX size={15} stroke={1.75} /> : <IconPlayerPlay size={15} stroke={1.75} />}
      onClick={() => set(store, { simulating: !on, simulation: undefined })}
    >
      {on ? <Trans>End simulation</Trans> : <Trans>Simulate</Trans>}
    </Button>
  );
}

export function PublishButton({ wide }: { wide?: boolean }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const may = useCan();
  const blocked = useEditor((s) => s.proposal !== undefined);
  const workspace = useQuery(workspaceQuery);
  const approval = useApproval();
  const lapsed = useLapsed(approval);
  const sandbox = (workspace.data?.delivery ?? "sandbox") === "sandbox";
  const asks = !may("funnels.publish") && !(approval?.state === "approved" && !lapsed);
  const why = blocked
    ? t`Accept or reject the suggestion first`
    : !may("funnels.write")
      ? t`Ask an approver to publish`
      : "";
  return (
    <Tooltip label={why} disabled={!why}>
      <Button
        size={wide ? "xl" : "md"}
        variant="filled"
        data-disabled={why ? true : undefined}
        aria-disabled={why ? true : undefined}
        onClick={() => !why && set(store, { dialog: { kind: "publish" } })}
      >
        {asks ? (
          <Trans>Ask for approval</Trans>
        ) : sandbox && !wide ? (
          <Trans>Publish to sandbox</Trans>
        ) : (
          <Trans>Publish</Trans>
        )}
      </Button>
    </Tooltip>
  );
}

function MoreMenu() {
  const { t } = useLingui();
  const store = useEditorStore();
  const funnel = useEditor((s) => s.funnel);
  const can = useCan()("funnels.operate");
  const operate = async (what: "pause" | "resume" | "stop") => {
    const stop = plural(funnel.counts.active, {
      one: "Stop the funnel? The # person inside leaves it now, and their unsent messages are cancelled.",
      other: "Stop the funnel? All # people inside leave it now, and their unsent messages are cancelled.",
    });
    if (what === "stop" && !window.confirm(stop)) return;
    set(store, { funnel: await api.operate(funnel.id, what) });
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size="md" aria-label={t`More`}>
          <IconDots size={18} stroke={1.75} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {funnel.state === "live" && (
          <Menu.Item
            disabled={!can}
            leftSection={<IconPlayerPause size={15} stroke={1.75} />}
            onClick={() => void operate("pause")}
          >
            <Trans>Pause: nobody starts or moves on</Trans>
          </Menu.Item>
        )}
        {funnel.state === "paused" && (
          <Menu.Item
            disabled={!can}
            leftSection={<IconPlayerPlay size={15} stroke={1.75} />}
            onClick={() => void operate("resume")}
          >
            <Trans>Go on where everyone stopped</Trans>
          </Menu.Item>
        )}
        {(funnel.state === "live" || funnel.state === "paused") && (
          <Menu.Item
            disabled={!can}
            color="red"
            leftSection={<IconPlayerStop size={15} stroke={1.75} />}
            onClick={() => void operate("stop")}
          >
            <Trans>Stop for everyone inside</Trans>
          </Menu.Item>
        )}
        <CommandItems ids={menus.funnel} />
      </Menu.Dropdown>
    </Menu>
  );
}
