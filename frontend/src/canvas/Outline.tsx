import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { ActionIcon, Button, Menu } from "@mantine/core";
import {
  IconChevronDown,
  IconChevronRight,
  IconCornerUpLeft,
  IconDots,
  IconPlus,
  IconSparkles,
} from "@tabler/icons-react";
import { useMemo, useRef, useState } from "react";
import { Count } from "./CardCounts";
import { CommandItems } from "./CommandMenu";
import { focusStep, stepLabel, wish } from "./focus";
import { PublishButton, SimulateButton } from "./Header";
import { titleOf, viewOfKind } from "./kinds";
import { lookOf } from "./look";
import { menus } from "./menus";
import { dropThere } from "./moving";
import o from "./outline.module.css";
import { type OutlineItem, outlineOf } from "./outlineItems";
import { ProblemsPill } from "./ProblemsPill";
import { Prompt } from "./Prompt";
import r from "./review.module.css";
import { problemsOf, select, set, useEditor, useEditorStore } from "./store";
import { ViewSwitch } from "./Tools";
import { onTreeKey, useOneStop } from "./treeKeys";
import type { Step } from "./types";
import { word } from "./words";

/** The same funnel as an indented tree: on a phone, on paper, and for whoever prefers lists. */
export function Outline({ phone }: { phone: boolean }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const structure = useEditor((s) => s.picture.structure);
  const graph = useEditor((s) => s.shown.graph);
  const name = useEditor((s) => s.doc.name);
  const reviewing = useEditor((s) => s.proposal !== undefined);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [asking, setAsking] = useState(false);
  const tree = useRef<HTMLDivElement>(null);
  useOneStop(tree);
  const items = useMemo(() => outlineOf(structure), [structure]);
  const steps = useMemo(() => new Map(graph.nodes.map((n) => [n.id, n])), [graph]);
  const toggle = (key: string) =>
    setClosed((c) => (c.has(key) ? new Set([...c].filter((x) => x !== key)) : new Set([...c, key])));
  return (
    <section className={o.outline} data-outline aria-label={t`Outline: ${name}`}>
      <div className={o.head}>
        {phone ? (
          <span className="meta">
            <Trans>Outline</Trans>
          </span>
        ) : (
          <ViewSwitch />
        )}
        {phone && <ProblemsPill />}
      </div>
      <div
        ref={tree}
        className={o.tree}
        role="tree"
        tabIndex={-1}
        aria-label={t`Steps of ${name}`}
        onKeyDown={(e) => onTreeKey(store, e)}
      >
        <Items items={items} steps={steps} closed={closed} toggle={toggle} level={1} />
      </div>
      {phone && !reviewing && (
        <>
          {asking && (
            <div className={o.askBox}>
              <div
                className={r.prompt}
                style={{
                  position: "static",
                  transform: "none",
                  width: "auto",
                  border: 0,
                  boxShadow: "none",
                  borderRadius: 0,
                }}
              >
                <Prompt />
              </div>
            </div>
          )}
          <div className={o.foot}>
            <Button
              size="xl"
              aria-label={t`Describe a funnel`}
              aria-expanded={asking}
              onClick={() => setAsking(!asking)}
            >
              <IconSparkles size={18} stroke={1.75} />
            </Button>
            <Button
              size="xl"
              leftSection={<IconPlus size={16} stroke={1.75} />}
              onClick={() => set(store, { picker: { x: 12, y: 80 } })}
            >
              <Trans>Add step</Trans>
            </Button>
            <SimulateButton wide />
            <PublishButton wide />
          </div>
        </>
      )}
    </section>
  );
}

interface ItemsProps {
  items: OutlineItem[];
  steps: Map<string, Step>;
  closed: ReadonlySet<string>;
  toggle: (key: string) => void;
  level: number;
}

function Items({ items, steps, closed, toggle, level }: ItemsProps) {
  return (
    <>
      {items.map((item) => {
        const step = item.kind === "step" ? steps.get(item.step) : undefined;
        switch (item.kind) {
          case "step":
            return step ? <StepRow key={item.step} step={step} level={level} /> : null;
          case "slot":
            return <SlotRow key={`+${item.from}/${item.port}`} item={item} level={level} />;
          case "goto":
            return <GotoRow key={`>${item.from}/${item.port}`} to={item.to} steps={steps} level={level} />;
          default: {
            const key = `${item.from}/${item.port}`;
            return (
              // biome-ignore lint/a11y/useSemanticElements: a group of a tree, not of a form
              <div key={key} className={o.branch} role="group">
                <button
                  type="button"
                  role="treeitem"
                  tabIndex={-1}
                  aria-level={level}
                  className={o.branchHead}
                  aria-expanded={!closed.has(key)}
                  onClick={() => toggle(key)}
                >
                  {closed.has(key) ? <IconChevronRight size={15} /> : <IconChevronDown size={15} />}
                  <b>{word(`port.${item.port}`, item.label)}</b>
                  <BranchCount from={item.from} port={item.port} />
                </button>
                {!closed.has(key) && (
                  <Items items={item.items} steps={steps} closed={closed} toggle={toggle} level={level + 1} />
                )}
              </div>
            );
          }
        }
      })}
    </>
  );
}

function BranchCount({ from, port }: { from: string; port: string }) {
  const passed = useEditor((s) => s.counts?.edges.find((e) => e.from === from && e.port === port)?.passed);
  return passed === undefined ? null : <span>{plural(passed, { one: "# person", other: "# people" })}</span>;
}

function StepRow({ step, level }: { step: Step; level: number }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const catalogue = useEditor((s) => s.catalogue);
  const family = catalogue.kind(step.kind).family;
  const view = viewOfKind(catalogue, step.kind);
  const title = useEditor((s) => titleOf(step, s.catalogue, s.shown));
  const summary = useEditor((s) => lookOf(s).summary(step.id));
  const selected = useEditor((s) => s.selection.includes(step.id));
  const problems = useEditor((s) => problemsOf(s, step.id).length);
  const unset = useEditor((s) => s.unset.has(step.id));
  const ghost = useEditor((s) => s.proposal?.suggestions.some((g) => g.step === step.id) ?? false);
  const label = useEditor((s) => stepLabel(s, step.id));
  const count = useEditor((s) => s.counts?.nodes[step.id]);
  const Icon = view.icon;
  const open = () => {
    select(store, [step.id]);
    wish(store, step.id, "");
  };
  return (
    <div
      role="treeitem"
      tabIndex={-1}
      aria-level={level}
      aria-selected={selected}
      aria-label={label}
      data-testid={`step-${step.id}`}
      data-family={unset ? "plain" : family}
      className={[
        o.row,
        family === "wait" && o.wait,
        selected && o.selected,
        problems > 0 && o.problem,
        unset && o.unset,
        ghost && o.ghost,
        step.off && o.off,
      ]
        .filter(Boolean)
        .join(" ")}
      onClick={open}
      onKeyDown={(e) => e.key === "Enter" && e.target === e.currentTarget && open()}
    >
      <span className={o.chip}>
        <Icon size={17} stroke={1.75} />
      </span>
      <div className={o.text}>
        {family !== "wait" && <div className={o.word}>{view.word()}</div>}
        <div className={o.name}>{title}</div>
        {summary && <div className={o.summary}>{summary}</div>}
      </div>
      <span className={o.side}>
        {problems > 0 ? (
          <span className={o.sideBad}>{plural(problems, { one: "# problem", other: "# problems" })}</span>
        ) : unset ? (
          <Trans>Not set up yet</Trans>
        ) : count ? (
          count.here > 0 ? (
            <Trans>
              <Count n={count.here} /> here
            </Trans>
          ) : (
            <Count n={family === "message" ? (count.messages?.delivered ?? 0) : count.passed} />
          )
        ) : null}
      </span>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon size="lg" tabIndex={-1} aria-label={t`More for ${title}`} onClick={(e) => e.stopPropagation()}>
            <IconDots size={17} stroke={1.75} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown onClick={(e) => e.stopPropagation()}>
          <StepCommands step={step} />
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}

/** Everything that can be done to a step; what cannot be done to this one is left out. */
function StepCommands({ step }: { step: Step }) {
  const store = useEditorStore();
  const single = useEditor((s) => s.catalogue.kind(step.kind).single);
  const rooted = useEditor((s) => s.catalogue.kind(step.kind).no_in);
  const ids = single ? menus.start : rooted ? menus.root : menus.line;
  return <CommandItems ids={ids} before={() => select(store, [step.id])} />;
}

function SlotRow({ item, level }: { item: Extract<OutlineItem, { kind: "slot" }>; level: number }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const blocked = useEditor((s) => s.proposal !== undefined);
  const lit = useEditor((s) => s.moving?.slots.some((x) => x.from === item.from && x.port === item.port) ?? false);
  const here = useEditor((s) => {
    const at = s.moving?.slots[s.moving.at];
    return at?.from === item.from && at.port === item.port;
  });
  const after = useEditor((s) => {
    const step = s.shown.graph.nodes.find((n) => n.id === item.from);
    return step ? titleOf(step, s.catalogue, s.shown) : "";
  });
  if (blocked) return <div className={o.gap} />;
  return (
    <div className={o.gap}>
      <button
        type="button"
        role="treeitem"
        tabIndex={-1}
        aria-level={level}
        className={o.plus}
        data-lit={lit}
        data-hot={here}
        aria-label={t`Add a step after “${after}”`}
        data-testid={`insert-${item.from}-${item.port}`}
        data-outline-slot={`${item.from}/${item.port}`}
        onClick={() => {
          const slot = { from: item.from, port: item.port };
          if (!store.getState().moving) set(store, { picker: { slot, x: -1, y: -1 } });
          else if (lit) dropThere(store, slot);
        }}
      >
        <i>
          <IconPlus size={12} stroke={1.75} />
        </i>
        {item.end && <Trans>ends here</Trans>}
      </button>
    </div>
  );
}

function GotoRow({ to, steps, level }: { to: string; steps: Map<string, Step>; level: number }) {
  const store = useEditorStore();
  const catalogue = useEditor((s) => s.catalogue);
  const doc = useEditor((s) => s.shown);
  const step = steps.get(to);
  const title = step ? titleOf(step, catalogue, doc) : to;
  return (
    <div className={o.gap}>
      <button
        type="button"
        role="treeitem"
        tabIndex={-1}
        aria-level={level}
        className={o.plus}
        onClick={() => {
          select(store, [to]);
          focusStep(to);
        }}
      >
        <IconCornerUpLeft size={15} stroke={1.75} />
        <Trans>Go to: {title}</Trans>
      </button>
    </div>
  );
}
