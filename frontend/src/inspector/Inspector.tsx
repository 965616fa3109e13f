import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Menu } from "@mantine/core";
import { IconDots, IconX } from "@tabler/icons-react";
import { lazy, Suspense, useDeferredValue, useEffect, useRef, useState } from "react";
import { CommandItems } from "@/canvas/CommandMenu";
import { visibleFields } from "@/canvas/catalogue";
import { creativeSlug, patchConfig, renameStep } from "@/canvas/document";
import { Results } from "@/canvas/insight/Results";
import { titleOf, viewOfKind } from "@/canvas/kinds";
import { lookOf } from "@/canvas/look";
import { menus } from "@/canvas/menus";
import { apply, problemsOf, select, set, useEditor, useEditorStore } from "@/canvas/store";
import type { Step } from "@/canvas/types";
import { problemText, word } from "@/canvas/words";
import { ConfigField } from "./ConfigField";
import c from "./inspector.module.css";

const loadMail = () => import("@/mail/MailTab");
const MailTab = lazy(() => loadMail().catch(() => ({ default: MailLater })));

/** The editor of messages could not be fetched: it comes by itself when the line is back, and nothing else breaks meanwhile. */
function MailLater({ step }: { step: Step }) {
  const [Found, setFound] = useState<React.ComponentType<{ step: Step }> | null>(null);
  useEffect(() => {
    const again = () =>
      void loadMail().then(
        (m) => setFound(() => m.default),
        () => undefined,
      );
    window.addEventListener("online", again);
    return () => window.removeEventListener("online", again);
  }, []);
  if (Found) return <Found step={step} />;
  return (
    <p className={c.body}>
      <Trans>Messages cannot be written just now: the server does not answer. This opens as soon as it does.</Trans>
    </p>
  );
}

/** Fetches the editor of messages while the line is there: a step can then be opened without it. */
export function prepareOffline(): void {
  window.setTimeout(() => void loadMail().catch(() => undefined), 1000);
}

/** The panel of the selected step: what the catalogue says about its kind, as a form. */
export function Inspector({ phone }: { phone: boolean }) {
  // The card is chosen at once; a form of many fields follows as soon as there is time.
  const id = useDeferredValue(useEditor((s) => (s.selection.length === 1 ? s.selection[0] : undefined)));
  const step = useEditor((s) => (id === undefined ? undefined : lookOf(s).step(id)));
  const editing = useEditor((s) => s.wish?.step === s.selection[0]);
  if (!step || (phone && !editing)) return null;
  return <Panel key={step.id} step={step} phone={phone} />;
}

function Panel({ step, phone }: { step: Step; phone: boolean }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const ref = useRef<HTMLElement>(null);
  const catalogue = useEditor((s) => s.catalogue);
  const readOnly = useEditor((s) => s.proposal !== undefined);
  const tab = useEditor((s) => s.tab);
  const spec = catalogue.kind(step.kind);
  const view = viewOfKind(catalogue, step.kind);
  const number = useEditor((s) => s.picture.structure.order.indexOf(step.id) + 1);
  const total = useEditor((s) => s.shown.graph.nodes.length);
  const title = useEditor((s) => titleOf(step, s.catalogue, s.shown));
  const message = creativeSlug(step) !== undefined;
  const content = message && tab === "content";
  const published = useEditor((s) => s.funnel.version > 0);
  const results = published && tab === "results";
  useWishedFocus(ref, step.id);
  const Icon = view.icon;
  return (
    <aside
      ref={ref}
      className={c.panel}
      aria-label={t`Settings of ${title}`}
      data-phone={phone}
      data-testid="inspector"
    >
      <header className={c.head} data-family={spec.family}>
        <span className={c.chip}>
          <Icon size={20} stroke={1.75} />
        </span>
        <div className={c.headText}>
          <div className={c.word}>
            <b>{view.word()}</b> ·{" "}
            <Trans>
              step {number} of {total}
            </Trans>
          </div>
          <input
            className={c.name}
            aria-label={t`Name of the step`}
            value={step.name}
            placeholder={title}
            maxLength={120}
            disabled={readOnly}
            onChange={(e) => {
              const name = e.currentTarget.value;
              apply(store, t`rename “${title}”`, (doc) => renameStep(doc, step.id, name), `${step.id}/name`);
            }}
          />
        </div>
        <StepMenu step={step} />
        <ActionIcon size="md" aria-label={t`Close`} onClick={() => close(store, step.id)}>
          <IconX size={17} stroke={1.75} />
        </ActionIcon>
      </header>
      {(message || published) && (
        <div className={c.tabs} role="tablist">
          {message && (
            <Tab name="content" on={content}>
              <Trans>Content</Trans>
            </Tab>
          )}
          <Tab name="setup" on={!content && !results}>
            <Trans>Setup</Trans>
          </Tab>
          {published && (
            <Tab name="results" on={results}>
              <Trans>Results</Trans>
            </Tab>
          )}
        </div>
      )}
      <General step={step.id} />
      <fieldset disabled={readOnly} style={{ display: "contents" }}>
        {results ? (
          <div className={c.body}>
            <Results step={step} />
          </div>
        ) : content ? (
          <Suspense fallback={<div className={c.body} />}>
            <MailTab step={step} />
          </Suspense>
        ) : (
          <div className={c.body}>
            <p className={c.purpose}>{word(`kind.${step.kind}.purpose`, spec.purpose)}</p>
            {step.kind === "ai_generate" && (
              <Button onClick={() => set(store, { dialog: { kind: "texts", step: step.id } })}>
                <Trans>Look at the texts</Trans>
              </Button>
            )}
            {visibleFields(spec, step.config)
              .filter((f) => !(f.type === "ref" && f.of === "creative"))
              .map((f) => (
                <ConfigField
                  key={f.key}
                  step={step.id}
                  owner={step.kind}
                  spec={f}
                  value={step.config[f.key]}
                  onChange={(value, typing) => {
                    const field = word(`kind.${step.kind}.${f.key}.label`, f.label);
                    apply(
                      store,
                      t`change “${field}” of “${title}”`,
                      (doc) =>
                        patchConfig(doc, catalogue, step.id, { [f.key]: value, ...needed(spec, step, f.key, value) }),
                      typing ? `${step.id}/${f.key}` : undefined,
                    );
                  }}
                />
              ))}
          </div>
        )}
      </fieldset>
    </aside>
  );
}

/** What is to be known of the step as a whole: that of a field stands below the field. */
function General({ step }: { step: string }) {
  const problems = useEditor((s) => problemsOf(s, step)).filter((p) => !p.field);
  if (problems.length === 0) return null;
  return (
    <ul className={c.general}>
      {problems.map((p) => (
        <li key={p.code + p.message} data-severity={p.severity}>
          {problemText(p)}
        </li>
      ))}
    </ul>
  );
}

/** A field that a choice brings into sight starts with its default, as in a new step. */
function needed(
  spec: { fields: { key: string; default?: unknown; show_if?: { key: string; in: string[] }[] }[] },
  step: Step,
  key: string,
  value: unknown,
) {
  const patch: Record<string, unknown> = {};
  for (const f of spec.fields) {
    const appears = f.show_if?.some((s) => s.key === key && s.in.includes(String(value)));
    if (appears && step.config[f.key] === undefined && f.default !== undefined && f.default !== null)
      patch[f.key] = structuredClone(f.default);
  }
  return patch;
}

function Tab({
  name,
  on,
  children,
}: {
  name: "setup" | "content" | "results";
  on: boolean;
  children: React.ReactNode;
}) {
  const store = useEditorStore();
  return (
    <button type="button" role="tab" aria-selected={on} className={c.tab} onClick={() => set(store, { tab: name })}>
      {children}
    </button>
  );
}

function StepMenu({ step }: { step: Step }) {
  const { t } = useLingui();
  const single = useEditor((s) => s.catalogue.kind(step.kind).single ?? false);
  if (single) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size="md" aria-label={t`More for this step`}>
          <IconDots size={17} stroke={1.75} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <CommandItems ids={menus.inspector} />
      </Menu.Dropdown>
    </Menu>
  );
}

function close(store: ReturnType<typeof useEditorStore>, step: string): void {
  const card = document.querySelector<HTMLElement>(`[data-testid="step-${step}"]`);
  select(store, []);
  set(store, { wish: undefined });
  card?.focus({ preventScroll: true });
}

/** Focuses the field that was asked for, by a click on a problem or by Enter; Esc leads back to the card. */
function useWishedFocus(ref: React.RefObject<HTMLElement | null>, step: string): void {
  const store = useEditorStore();
  const wish = useEditor((s) => s.wish);
  useEffect(() => {
    const panel = ref.current;
    if (!panel || wish?.step !== step || wish.n <= store.getState().fulfilled) return;
    // On a phone the panel opens to be read first: a keyboard would cover half of it.
    if (panel.dataset.phone === "true" && !wish.field) return;
    // The tab of the mail editor is loaded when first needed: look again until its field is there.
    let tries = 0;
    let frame = 0;
    const look = () => {
      const field = findField(panel, wish.field);
      const target = (field ?? panel).querySelector<HTMLElement>(
        wish.field || !field
          ? "[data-field] :is(input:not([type=hidden]), textarea, [contenteditable=true], button), [data-field]:is(input)"
          : "input",
      );
      const inner = field?.querySelector<HTMLElement>(
        "[contenteditable=true], input:not([type=hidden]), textarea, button",
      );
      const found = inner ?? target;
      if (found) {
        found.focus();
        set(store, { fulfilled: wish.n });
        (field ?? found).scrollIntoView({ block: "nearest" });
      } else if (tries++ < 60) frame = requestAnimationFrame(look);
    };
    frame = requestAnimationFrame(look);
    return () => cancelAnimationFrame(frame);
  }, [ref, wish, step, store]);
  useEffect(() => {
    const panel = ref.current;
    const back = (e: KeyboardEvent) => {
      if (e.key !== "Escape" || document.querySelector("[data-testid=variables]")) return;
      const target = e.target as Element;
      // A text editor always claims Escape for itself; it has no use for it.
      if (e.defaultPrevented && !target.closest("[contenteditable=true]")) return;
      if (target.closest("[role=dialog], [role=listbox], [role=menu], [data-expanded=true], [aria-expanded=true]"))
        return;
      e.stopPropagation();
      document.querySelector<HTMLElement>(`[data-testid="step-${step}"]`)?.focus({ preventScroll: true });
      if (panel?.dataset.phone === "true") set(store, { wish: undefined });
    };
    panel?.addEventListener("keydown", back);
    return () => panel?.removeEventListener("keydown", back);
  }, [ref, step, store]);
}

/** The field of a path, or of the nearest part of it that has one: "for.amount", then "for". */
function findField(panel: HTMLElement, path: string): HTMLElement | null {
  for (let p = path; p; p = p.includes(".") ? p.slice(0, p.lastIndexOf(".")) : "") {
    const found = panel.querySelector<HTMLElement>(`[data-field="${CSS.escape(p)}"]`);
    if (found) return found;
  }
  return null;
}
