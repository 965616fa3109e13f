import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button } from "@mantine/core";
import { IconCheck, IconMessageCircle, IconTrash, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { useCan } from "@/api/session";
import { Face } from "@/ui/Face";
import { useFormat } from "@/ui/format";
import { titleOf } from "../kinds";
import { stepById } from "../ports";
import { select, set, useEditor, useEditorStore } from "../store";
import { type Comment, type Talk, talksOf, useCommenting, useComments } from "./comments";
import c from "./comments.module.css";
import { Write } from "./Write";

/** Opens the talks about a funnel, and says how many are open. */
export function CommentsButton() {
  const { t } = useLingui();
  const store = useEditorStore();
  const on = useEditor((s) => s.talking === true);
  const open = useEditor((s) => [...(s.talks?.values() ?? [])].reduce((sum, n) => sum + n, 0));
  const label = open > 0 ? plural(open, { one: "Comments, # open", other: "Comments, # open" }) : t`Comments`;
  return (
    <ActionIcon
      size="md"
      aria-label={label}
      title={label}
      aria-pressed={on}
      data-testid="comments"
      onClick={() => set(store, { talking: !on })}
    >
      <IconMessageCircle size={18} stroke={1.75} />
      {open > 0 && <span className={c.count}>{open}</span>}
    </ActionIcon>
  );
}

/** What is said about the chosen step, or about the whole funnel; talks about other steps below. */
export function CommentsPanel() {
  const { t } = useLingui();
  const store = useEditorStore();
  const may = useCan()("funnels.write");
  const { write } = useCommenting();
  const node = useEditor((s) => s.selection[0] ?? "");
  const title = useEditor((s) => {
    const step = stepById(s.shown.graph, node);
    return step ? titleOf(step, s.catalogue, s.shown) : "";
  });
  const [old, setOld] = useState(false);
  const talks = talksOf(useComments());
  const open = talks.filter((x) => !x.head.resolved_at);
  const resolved = talks.filter((x) => x.head.resolved_at);
  const here = open.filter((x) => x.head.node === node);
  const elsewhere = open.filter((x) => x.head.node !== node);
  return (
    <aside className={c.panel} aria-label={t`Comments`} data-testid="comments-panel">
      <header className={c.head}>
        <h2>
          <Trans>Comments</Trans>
        </h2>
        <ActionIcon size="md" aria-label={t`Close`} onClick={() => set(store, { talking: false })}>
          <IconX size={17} stroke={1.75} />
        </ActionIcon>
      </header>
      {may && (
        <Write
          key={node}
          label={node ? t`About “${title}”` : t`About the whole funnel`}
          action=""
          send={(body, mentions) => write({ node, body, mentions })}
        />
      )}
      {here.map((talk) => (
        <TalkView key={talk.head.id} talk={talk} />
      ))}
      {open.length === 0 && (
        <p className={c.none}>
          <Trans>Nothing is said yet. Comments are for those who build the funnel; people in it never see them.</Trans>
        </p>
      )}
      {elsewhere.length > 0 && (
        <h3>
          <Trans>Elsewhere in this funnel</Trans>
        </h3>
      )}
      {elsewhere.map((talk) => (
        <TalkView key={talk.head.id} talk={talk} named />
      ))}
      {resolved.length > 0 && (
        <Button size="sm" aria-expanded={old} onClick={() => setOld(!old)}>
          {plural(resolved.length, { one: "# resolved", other: "# resolved" })}
        </Button>
      )}
      {old && resolved.map((talk) => <TalkView key={talk.head.id} talk={talk} named />)}
    </aside>
  );
}

function TalkView({ talk, named }: { talk: Talk; named?: boolean }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const may = useCan()("funnels.write");
  const { write, resolve } = useCommenting();
  const { head, answers } = talk;
  const title = useEditor((s) => {
    const step = stepById(s.shown.graph, head.node);
    return step ? titleOf(step, s.catalogue, s.shown) : head.node ? t`A step that is gone` : t`The whole funnel`;
  });
  const [answering, setAnswering] = useState(false);
  return (
    <article
      className={c.talk}
      data-testid={`talk-${head.node || "funnel"}`}
      data-resolved={head.resolved_at !== undefined}
    >
      {named && (
        <button
          type="button"
          className={c.where}
          onClick={() => {
            select(store, head.node ? [head.node] : []);
            if (head.node) store.getState().camera?.centre(head.node, "if-hidden");
          }}
        >
          {title}
        </button>
      )}
      <Said comment={head} />
      {answers.map((a) => (
        <Said key={a.id} comment={a} />
      ))}
      {head.resolved_at && (
        <p className={c.meta}>
          <IconCheck size={13} stroke={1.75} /> {t`Resolved: ${head.resolved_by ?? t`Somebody`}`}
        </p>
      )}
      {may && (
        <div className={c.acts}>
          <Button size="sm" variant="subtle" aria-expanded={answering} onClick={() => setAnswering(!answering)}>
            <Trans>Answer</Trans>
          </Button>
          <Button size="sm" variant="subtle" onClick={() => void resolve(head.id, !head.resolved_at)}>
            {head.resolved_at ? <Trans>Open again</Trans> : <Trans>Resolve</Trans>}
          </Button>
        </div>
      )}
      {answering && (
        <Write
          label={t`Your answer`}
          action={t`Send the answer`}
          send={async (body, mentions) => {
            const sent = await write({ body, mentions, answers: head.id });
            if (sent) setAnswering(false);
            return sent;
          }}
        />
      )}
    </article>
  );
}

function Said({ comment }: { comment: Comment }) {
  const { t } = useLingui();
  const format = useFormat();
  const { remove } = useCommenting();
  const name = comment.written_by ?? t`Somebody`;
  return (
    <div className={c.said}>
      <Face name={name} size={24} />
      <div className={c.words}>
        <p className={c.meta}>
          <b>{name}</b> {format.ago(comment.written_at)}
        </p>
        <p className={c.body}>
          {comment.body.split(/(@\p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*)?)/u).map((part, i) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no identity but their place
            part.startsWith("@") ? <mark key={i}>{part}</mark> : part,
          )}
        </p>
      </div>
      {comment.mine && (
        <ActionIcon size="sm" aria-label={t`Delete this comment`} onClick={() => void remove(comment.id)}>
          <IconTrash size={14} stroke={1.75} />
        </ActionIcon>
      )}
    </div>
  );
}

/** On a card: talks about this step that are open. */
export function CommentTag({ step, open, className }: { step: string; open: number; className: string }) {
  const store = useEditorStore();
  return (
    <button
      type="button"
      tabIndex={-1}
      className={className}
      data-testid={`comment-${step}`}
      onClick={(e) => {
        e.stopPropagation();
        select(store, [step]);
        set(store, { talking: true });
      }}
    >
      <IconMessageCircle size={12} stroke={1.75} />
      {plural(open, { one: "# comment", other: "# comments" })}
    </button>
  );
}
