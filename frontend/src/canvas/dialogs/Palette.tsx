import { Trans, useLingui } from "@lingui/react/macro";
import { IconCommand, IconSearch, IconSitemap, IconUser } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useDeferredValue, useEffect, useId, useMemo, useRef, useState } from "react";
import { api } from "../api";
import { commandIcon } from "../commandIcons";
import { available, commands, run } from "../commands";
import { goToStep } from "../focus";
import { keysOf } from "../keyNames";
import { summaryOf, titleOf, viewOfKind } from "../kinds";
import type { Icon } from "../kinds/define";
import p from "../picker.module.css";
import { stepById } from "../ports";
import { plain } from "../search";
import { searchSteps } from "../stepSearch";
import { type EditorStore, set, useEditorStore } from "../store";

interface Found {
  key: string;
  head: string;
  title: string;
  text?: string;
  keys?: string;
  family?: string;
  icon: Icon;
  refused?: boolean;
  choose: () => void;
}

/** Find anything: the steps of this funnel, other funnels, people and commands; or steps alone. */
export function Palette({ of }: { of: "all" | "steps" }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const list = useId();
  const box = useRef<HTMLDivElement>(null);
  const items = useFound(store, of, query);
  const usable = useMemo(() => items.filter((i) => !i.refused), [items]);
  const current = usable[Math.min(active, usable.length - 1)];
  const close = () => set(store, { dialog: undefined });
  useEffect(() => {
    const outside = (e: PointerEvent) => {
      if (!box.current?.contains(e.target as Node)) set(store, { dialog: undefined });
    };
    window.addEventListener("pointerdown", outside, true);
    return () => window.removeEventListener("pointerdown", outside, true);
  }, [store]);
  const choose = (item: Found | undefined) => {
    if (!item || item.refused) return;
    close();
    item.choose();
  };
  const onKeyDown = (e: React.KeyboardEvent) => {
    if (e.key === "Escape") close();
    else if (e.key === "ArrowDown") setActive((i) => Math.min(i + 1, usable.length - 1));
    else if (e.key === "ArrowUp") setActive((i) => Math.max(i - 1, 0));
    else if (e.key === "Enter") choose(current);
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  return (
    <div
      ref={box}
      role="dialog"
      aria-label={of === "steps" ? t`Find a step` : t`Find anything`}
      className={p.palette}
      data-testid="palette"
    >
      <div className={p.search}>
        <IconSearch size={16} stroke={1.75} />
        <input
          // biome-ignore lint/a11y/noAutofocus: the palette was asked for, to type in
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={current ? `${list}-${current.key}` : undefined}
          aria-label={of === "steps" ? t`Find a step` : t`Find anything`}
          placeholder={
            of === "steps"
              ? t`Name, kind or words of a step`
              : t`A step, another funnel, a person, or what you want to do`
          }
          value={query}
          onChange={(e) => {
            setQuery(e.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={list} role="listbox" aria-label={t`Found`} className={p.list}>
        {items.map((item, i) => (
          <div key={item.key}>
            {items[i - 1]?.head !== item.head && <div className={p.head}>{item.head}</div>}
            <Row
              id={`${list}-${item.key}`}
              item={item}
              active={item === current}
              hover={() => setActive(Math.max(0, usable.indexOf(item)))}
              choose={() => choose(item)}
            />
          </div>
        ))}
        {items.length === 0 && (
          <p className={p.none}>
            <Trans>Nothing fits “{query}”.</Trans>
          </p>
        )}
      </div>
    </div>
  );
}

interface RowProps {
  id: string;
  item: Found;
  active: boolean;
  hover: () => void;
  choose: () => void;
}

function Row({ id, item, active, hover, choose }: RowProps) {
  const Icon = item.icon;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the combobox keeps the focus and points here
    // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox handles Enter
    <div
      id={id}
      role="option"
      aria-selected={active}
      aria-disabled={item.refused ?? false}
      data-active={active}
      data-family={item.family ?? "plain"}
      data-testid={`find-${item.key}`}
      className={p.item}
      ref={(el) => {
        if (active) el?.scrollIntoView({ block: "nearest" });
      }}
      onPointerMove={item.refused ? undefined : hover}
      onClick={choose}
    >
      <span className={p.chip}>
        <Icon size={17} stroke={1.75} />
      </span>
      <span className={p.itemText}>
        <b className="cut">{item.title}</b>
        {item.text && <small className="cut">{item.text}</small>}
      </span>
      {item.keys && <span className={p.itemKeys}>{item.keys}</span>}
    </div>
  );
}

function useFound(store: EditorStore, of: "all" | "steps", query: string): Found[] {
  const { t } = useLingui();
  const steps = useMemo(() => foundSteps(store, query, of, t`Steps of this funnel`), [store, query, of, t]);
  const orders = useMemo(() => {
    const s = store.getState();
    const q = plain(query.trim());
    const all = commands.filter((c) => c.id !== "palette").map((c) => ({ c, can: available(c, s), title: t(c.title) }));
    return all
      .filter((x) => (q ? plain(`${x.title} ${x.c.id}`).includes(q) : x.can))
      .sort((a, b) => Number(b.can) - Number(a.can))
      .map(
        ({ c, can, title }): Found => ({
          key: `do-${c.id}`,
          head: t`What you can do`,
          title,
          keys: keysOf(c),
          icon: commandIcon(c.id) ?? IconCommand,
          ...(can ? {} : { refused: true, ...(c.needs ? { text: t(c.needs) } : {}) }),
          choose: () => requestAnimationFrame(() => run(store, c.id)),
        }),
      );
  }, [store, query, t]);
  const elsewhere = useElsewhere(store, query, of === "all");
  return useMemo(
    () => (of === "steps" ? steps : query.trim() ? [...steps, ...orders, ...elsewhere] : [...orders, ...steps]),
    [of, steps, orders, elsewhere, query],
  );
}

function foundSteps(store: EditorStore, query: string, of: "all" | "steps", head: string): Found[] {
  const { doc, catalogue } = store.getState();
  return searchSteps(doc, catalogue, query)
    .slice(0, of === "steps" ? 50 : 8)
    .flatMap((id): Found[] => {
      const step = stepById(doc.graph, id);
      if (!step) return [];
      const view = viewOfKind(catalogue, step.kind);
      const about = summaryOf(step, catalogue, doc);
      return [
        {
          key: `step-${id}`,
          head,
          title: titleOf(step, catalogue, doc),
          text: about ? `${view.word()} · ${about}` : view.word(),
          family: catalogue.kind(step.kind).family,
          icon: view.icon,
          choose: () => goToStep(store, id),
        },
      ];
    });
}

/** Other funnels and people, asked of the server once two letters are typed. */
function useElsewhere(store: EditorStore, query: string, on: boolean): Found[] {
  const { t } = useLingui();
  const navigate = useNavigate();
  const asked = useDeferredValue(query.trim());
  const enabled = on && asked.length >= 2;
  const funnels = useQuery({ queryKey: ["find", "funnels", asked], queryFn: () => api.funnels(asked), enabled });
  const people = useQuery({ queryKey: ["find", "people", asked], queryFn: () => api.people(asked), enabled });
  const here = store.getState().funnel.id;
  return useMemo(() => {
    if (!enabled) return [];
    const others = (funnels.data?.items ?? []).filter((f) => f.id !== here);
    return [
      ...others.slice(0, 5).map(
        (f): Found => ({
          key: `funnel-${f.id}`,
          head: t`Other funnels`,
          title: f.name,
          icon: IconSitemap,
          choose: () => void navigate({ to: "/funnels/$id/edit", params: { id: f.id } }),
        }),
      ),
      ...(people.data?.items ?? []).slice(0, 5).map((c): Found => {
        const name = [c.first_name, c.last_name].filter(Boolean).join(" ");
        return {
          key: `person-${c.id}`,
          head: t`People`,
          title: name || c.email || c.id,
          ...(name && c.email ? { text: c.email } : {}),
          icon: IconUser,
          choose: () => void navigate({ to: "/people/$id", params: { id: c.id } }),
        };
      }),
    ];
  }, [enabled, funnels.data, people.data, here, navigate, t]);
}
