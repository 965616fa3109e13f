import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, ask } from "@/api/client";
import { mentionAt, mentionedIn } from "./comments";
import c from "./comments.module.css";

const membersQuery = { queryKey: ["members"], queryFn: () => ask(api.GET("/members")), staleTime: 60_000 };

interface Props {
  label: string;
  action: string;
  send: (body: string, mentions: string[]) => Promise<boolean>;
}

/** A field for a comment; "@" offers the people of the workspace. */
export function Write({ label, action, send }: Props) {
  const { t } = useLingui();
  const ref = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState("");
  const [caret, setCaret] = useState(0);
  const [at, setAt] = useState(0);
  const found = useQuery(membersQuery);
  const members = (found.data?.items ?? []).map((m) => ({ id: m.id, name: m.name }));
  const typed = mentionAt(text, caret);
  const offered =
    typed === undefined ? [] : members.filter((m) => m.name.toLowerCase().startsWith(typed.toLowerCase())).slice(0, 6);
  const take = (name: string) => {
    const start = caret - (typed?.length ?? 0);
    const next = `${text.slice(0, start)}${name} ${text.slice(caret)}`;
    setText(next);
    setCaret(start + name.length + 1);
    requestAnimationFrame(() => {
      ref.current?.focus();
      ref.current?.setSelectionRange(start + name.length + 1, start + name.length + 1);
    });
  };
  const submit = async () => {
    if (text.trim() && (await send(text, mentionedIn(text, members)))) setText("");
  };
  const keys = (e: React.KeyboardEvent) => {
    if (offered.length > 0 && (e.key === "ArrowDown" || e.key === "ArrowUp")) {
      e.preventDefault();
      setAt((at + (e.key === "ArrowDown" ? 1 : offered.length - 1)) % offered.length);
    } else if (offered.length > 0 && (e.key === "Enter" || e.key === "Tab")) {
      e.preventDefault();
      take((offered[at] ?? offered[0])?.name ?? "");
    } else if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
      e.preventDefault();
      void submit();
    }
  };
  return (
    <div className={c.write}>
      <Textarea
        ref={ref}
        label={label}
        placeholder={t`@ mentions somebody`}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={2000}
        value={text}
        onChange={(e) => {
          setText(e.currentTarget.value);
          setCaret(e.currentTarget.selectionStart);
          setAt(0);
        }}
        onSelect={(e) => setCaret(e.currentTarget.selectionStart)}
        onKeyDown={keys}
      />
      {offered.length > 0 && (
        <div className={c.offered} role="listbox" aria-label={t`Whom to mention`}>
          {offered.map((m, i) => (
            <button
              key={m.id}
              type="button"
              role="option"
              aria-selected={i === at}
              tabIndex={-1}
              onMouseDown={(e) => {
                e.preventDefault();
                take(m.name);
              }}
            >
              {m.name}
            </button>
          ))}
        </div>
      )}
      <Button size="sm" disabled={!text.trim()} onClick={() => void submit()}>
        {action || <Trans>Comment</Trans>}
      </Button>
    </div>
  );
}
