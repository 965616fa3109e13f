import { Trans, useLingui } from "@lingui/react/macro";
import { IconArrowMergeRight, IconSearch } from "@tabler/icons-react";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import { startDrag } from "./dragging";
import { insert, leadTo, pasteSlot } from "./edits";
import { titleOf, viewOfKind } from "./kinds";
import c from "./picker.module.css";
import { linkAt, stepById } from "./ports";
import { familyWord, plain, searchKinds, usuallyNext } from "./search";
import { type Refusal, refuseKind, targetsFor } from "./slots";
import { type PickerAt, set, useEditor, useEditorStore } from "./store";
import type { Kind } from "./types";
import { word } from "./words";

interface Item {
  key: string;
  /** The heading it stands under; none while searching. */
  head?: string;
  kind?: string;
  title: string;
  text: string;
  family: string;
  refused?: string;
  choose: () => void;
}

/** The one searchable list of steps: behind every '+', the palette button and the key A. */
export function Picker() {
  const at = useEditor((s) => s.picker);
  return at ? <OpenPicker key={`${at.slot?.from}/${at.slot?.port}`} at={at} /> : null;
}

function OpenPicker({ at }: { at: PickerAt }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const list = useId();
  const items = useItems(at, query);
  const found = useMemo(() => items.filter((i) => !i.refused), [items]);
  const current = items.indexOf(found[Math.min(active, found.length - 1)] as Item);
  usePlace(box, at);

  const close = () => {
    set(store, { picker: undefined });
    const back = at.slot ? `[data-testid="step-${at.slot.from}"]` : "[data-testid=open-palette]";
    document.querySelector<HTMLElement>(back)?.focus({ preventScroll: true });
  };
  useEffect(() => {
    const outside = (e: PointerEvent) => {
      if (!box.current?.contains(e.target as Node) && !store.getState().drag) set(store, { picker: undefined });
    };
    window.addEventListener("pointerdown", outside, true);
    return () => window.removeEventListener("pointerdown", outside, true);
  }, [store]);

  const onKeyDown = (e: React.KeyboardEvent) => {
    if (e.key === "Escape") close();
    else if (e.key === "ArrowDown") setActive((i) => Math.min(i + 1, found.length - 1));
    else if (e.key === "ArrowUp") setActive((i) => Math.max(i - 1, 0));
    else if (e.key === "Enter") items[current]?.choose();
    else return;
    e.preventDefault();
    e.stopPropagation();
  };

  return (
    <div ref={box} role="dialog" aria-label={t`Add a step`} className={c.picker} data-testid="picker">
      <div className={c.search}>
        <IconSearch size={16} stroke={1.75} />
        <input
          // biome-ignore lint/a11y/noAutofocus: the picker was asked for, to type in
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={items[current] ? `${list}-${items[current].key}` : undefined}
          aria-label={t`Search steps`}
          placeholder={at.slot ? t`What happens next?` : t`Search steps, or drag one to its place`}
          value={query}
          onChange={(e) => {
            setQuery(e.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={list} role="listbox" aria-label={t`Steps`} className={c.list}>
        {items.map((item, i) => (
          <div key={item.key}>
            {item.head && items[i - 1]?.head !== item.head && <div className={c.head}>{item.head}</div>}
            <Row
              id={`${list}-${item.key}`}
              item={item}
              active={i === current}
              hover={() => setActive(found.indexOf(item))}
            />
          </div>
        ))}
        {items.length === 0 && (
          <p className={c.none}>
            <Trans>No step fits “{query}”. Try “mail”, “wait” or “if”.</Trans>
          </p>
        )}
      </div>
    </div>
  );
}

function Row({ id, item, active, hover }: { id: string; item: Item; active: boolean; hover: () => void }) {
  const store = useEditorStore();
  const catalogue = useEditor((s) => s.catalogue);
  const Icon = item.kind ? viewOfKind(catalogue, item.kind).icon : IconArrowMergeRight;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the combobox keeps the focus and points here
    // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox handles Enter
    <div
      id={id}
      role="option"
      aria-selected={active}
      aria-disabled={item.refused !== undefined}
      data-active={active}
      data-family={item.family}
      data-testid={item.kind ? `pick-${item.kind}` : undefined}
      className={c.item}
      ref={(el) => {
        if (active) el?.scrollIntoView({ block: "nearest" });
      }}
      onPointerMove={item.refused ? undefined : hover}
      onClick={item.refused ? undefined : item.choose}
      onPointerDown={(e) => item.kind && startDrag(store, e, { kind: item.kind, title: item.title })}
    >
      <span className={c.chip}>
        <Icon size={17} stroke={1.75} />
      </span>
      <span>
        <b>{item.title}</b>
        <small>{item.refused ?? item.text}</small>
      </span>
    </div>
  );
}

function useItems(at: PickerAt, query: string): Item[] {
  const { t } = useLingui();
  const store = useEditorStore();
  const catalogue = useEditor((s) => s.catalogue);
  const doc = useEditor((s) => s.doc);
  return useMemo(() => {
    const why: Partial<Record<Refusal, string>> = {
      single: t`A funnel has exactly one. It is there already.`,
      ends: t`It ends the path, and steps follow here. Add it where a path ends.`,
    };
    const place = at.slot ?? pasteSlot(store.getState());
    const itemOf = (kind: Kind, head?: string): Item => {
      const refused = refuseKind(doc, catalogue, kind.kind, place);
      return {
        key: head === often ? `often-${kind.kind}` : kind.kind,
        kind: kind.kind,
        family: kind.family,
        title: word(`kind.${kind.kind}.title`, kind.title),
        text: word(`kind.${kind.kind}.purpose`, kind.purpose),
        ...(head ? { head } : {}),
        ...(refused ? { refused: why[refused] ?? "" } : {}),
        choose: () => {
          if (!refused) insert(store, kind.kind, place);
        },
      };
    };
    const often = t`Often used next`;
    const before = place ? stepById(doc.graph, place.from) : undefined;
    const items: Item[] = [];
    if (query.trim() === "") {
      const next = before ? usuallyNext(catalogue, catalogue.kind(before.kind)) : [];
      items.push(...next.map((kind) => itemOf(kind, often)).filter((i) => !i.refused));
      items.push(...catalogue.kinds.map((kind) => itemOf(kind, familyWord(kind.family))));
    } else {
      items.push(...searchKinds(catalogue, query).map((kind) => itemOf(kind)));
      items.sort((x, y) => Number(x.refused !== undefined) - Number(y.refused !== undefined));
    }
    const { slot } = at;
    if (slot && !linkAt(doc.graph, slot.from, slot.port)) {
      for (const id of targetsFor(doc, catalogue, slot)) {
        const step = stepById(doc.graph, id);
        if (!step) continue;
        const title = titleOf(step, catalogue, doc);
        if (query && !plain(title).includes(plain(query))) continue;
        items.push({
          key: `to-${id}`,
          head: t`Or lead to a step that is there already`,
          family: catalogue.kind(step.kind).family,
          title,
          text: viewOfKind(catalogue, step.kind).word(),
          choose: () => leadTo(store, slot, id),
        });
      }
    }
    return items;
  }, [at, catalogue, doc, query, store, t]);
}

/** Beside the '+' it belongs to, inside the window. */
function usePlace(box: React.RefObject<HTMLDivElement | null>, at: PickerAt): void {
  useLayoutEffect(() => {
    const el = box.current;
    if (!el) return;
    const plus =
      at.slot &&
      document.querySelector(
        `[data-slot="${at.slot.from}/${at.slot.port}"] button, [data-outline-slot="${at.slot.from}/${at.slot.port}"]`,
      );
    const r = plus?.getBoundingClientRect();
    const [x, y] = r ? [r.right + 10, r.top - 14] : [at.x, at.y];
    const size = el.getBoundingClientRect();
    const height = Math.min(460, window.innerHeight - 24);
    const left =
      x + size.width > window.innerWidth - 12 ? Math.max(12, (r?.left ?? x) - size.width - 10) : Math.max(12, x);
    el.style.left = `${Math.min(left, window.innerWidth - size.width - 12)}px`;
    el.style.top = `${Math.max(12, Math.min(y, window.innerHeight - height - 12))}px`;
  }, [box, at]);
}
