import { useLingui } from "@lingui/react/macro";
import { getViewportForBounds, ReactFlow, ReactFlowProvider, useReactFlow, useStore, useStoreApi } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { Carried } from "./Carried";
import c from "./canvas.module.css";
import { Dots } from "./Dots";
import { boxesOf, many } from "./flow";
import { around } from "./freeLayout";
import { Guides } from "./Guides";
import { Lasso, startLasso } from "./Lasso";
import { MapPanel } from "./MapPanel";
import { stopMoving } from "./moving";
import { NoteLayer } from "./NoteLayer";
import { useLinks } from "./near";
import { SelectionBar } from "./SelectionBar";
import { StepLayer } from "./StepLayer";
import { type EditorStore, select, set, useEditor, useEditorStore } from "./store";
import { Tools } from "./Tools";
import { firstViewport, keepViewport, keptViewport, type Viewport } from "./viewport";

const proOptions = { hideAttribution: false };

/** What fits leaves room for the bars that float over the ground. */
const room = { top: "64px", left: "72px", right: "48px", bottom: "140px" } as const;

export function Canvas({ children }: { children?: React.ReactNode }) {
  return (
    <ReactFlowProvider>
      <Ground>{children}</Ground>
    </ReactFlowProvider>
  );
}

function Ground({ children }: { children?: React.ReactNode }) {
  const { t } = useLingui();
  const store = useEditorStore();
  const ref = useRef<HTMLElement>(null);
  const steps = useEditor((s) => s.shown.graph.nodes.length);
  const name = useEditor((s) => s.doc.name);
  const id = useEditor((s) => s.funnel.id);
  const direction = useEditor((s) => s.picture.direction);
  const moving = useEditor((s) => s.moving !== undefined);
  const placing = useEditor((s) => s.placing !== undefined);
  const readOnly = useEditor((s) => s.readOnly === true);
  const far = useStore((s) => s.transform[2] < 0.45);
  const first = useFirstViewport(store, ref);
  const [ready, setReady] = useState(false);
  const links = useLinks(store);
  useCamera(store, ref);
  useSteadyCentre(ref);
  useKeptViewport(id, ready);

  return (
    <section
      ref={ref}
      className={`${c.canvas} ${ready && steps < many ? c.moving : ""}`}
      data-canvas
      data-far={far}
      data-direction={direction}
      data-choosing={moving}
      data-placing={placing}
      aria-label={t`Canvas: ${name}`}
      onPointerDownCapture={(e) => startLasso(store, e)}
    >
      {first && (
        <ReactFlow
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          selectionKeyCode={null}
          multiSelectionKeyCode={null}
          panActivationKeyCode={null}
          minZoom={0.05}
          maxZoom={2}
          zoomOnDoubleClick={false}
          panOnScroll
          proOptions={proOptions}
          defaultViewport={first}
          onInit={() => setReady(true)}
          onMoveStart={() => afloat(ref.current, true)}
          onMoveEnd={(_, viewport) => {
            afloat(ref.current, false);
            keepViewport(id, viewport);
          }}
          onPaneMouseMove={links.move}
          onPaneMouseLeave={links.leave}
          onPaneClick={(e) => {
            stopMoving(store);
            set(store, { picker: undefined, dialog: undefined });
            if (!links.click(e)) select(store, []);
          }}
          onPaneContextMenu={(e) => links.menu(e as React.MouseEvent)}
        >
          <Dots />
          <StepLayer />
          <NoteLayer />
          <Guides />
        </ReactFlow>
      )}
      {!readOnly && (
        <>
          <Lasso />
          <Tools />
          <SelectionBar />
        </>
      )}
      <MapPanel />
      <Carried />
      {children}
    </section>
  );
}

/**
 * While the sight moves, what is drawn is one picture that is pushed about; painted anew for each frame, five hundred cards
 * are late. At rest it is painted where it lies, so that letters are sharp at every zoom.
 */
function afloat(ground: HTMLElement | null, on: boolean): void {
  const sight = ground?.querySelector<HTMLElement>(".react-flow__viewport");
  if (sight) sight.style.willChange = on ? "transform" : "";
}

/** Where this person left the funnel, or else the first look at it, known before the first card is drawn: drawn elsewhere it would be drawn twice. */
function useFirstViewport(store: EditorStore, ref: React.RefObject<HTMLElement | null>): Viewport | undefined {
  const [first, setFirst] = useState(() => keptViewport(store.getState().funnel.id));
  useLayoutEffect(() => {
    const box = ref.current?.getBoundingClientRect();
    const { bounds, direction } = store.getState().picture;
    if (!first && box) setFirst(firstViewport(bounds, box, direction));
  }, [first, store, ref]);
  return first;
}

/** Keeps the viewport of whoever leaves in the midst of a move: its end is told only a moment later. */
function useKeptViewport(funnel: string, ready: boolean): void {
  const flow = useReactFlow();
  useEffect(() => {
    if (!ready) return;
    const keep = () => keepViewport(funnel, flow.getViewport());
    window.addEventListener("pagehide", keep);
    return () => {
      window.removeEventListener("pagehide", keep);
      keep();
    };
  }, [flow, funnel, ready]);
}

/** Hands the store what moves the viewport, so that commands need not know React Flow. */
function useCamera(store: EditorStore, ref: React.RefObject<HTMLElement | null>): void {
  const flow = useReactFlow();
  const sight = useStoreApi();
  useEffect(() => {
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const duration = still ? 0 : 200;
    set(store, {
      camera: {
        centre: (step, how) => {
          const at = store.getState().picture.steps.get(step);
          const box = ref.current?.getBoundingClientRect();
          if (!at || !box) return;
          const { x, y, zoom } = flow.getViewport();
          const left = at.x * zoom + x;
          const top = at.y * zoom + y;
          const margin = 24;
          const inside =
            left >= margin &&
            top >= margin &&
            left + at.width * zoom <= box.width - margin &&
            top + at.height * zoom <= box.height - 80;
          if (how === "if-hidden" && inside) return;
          void flow.setCenter(at.x + at.width / 2, at.y + at.height / 2, { zoom, duration });
        },
        fit: (ids) => {
          const boxes = boxesOf(store.getState().flow).filter((box) => !ids || ids.includes(box.id));
          const { width, height, minZoom } = sight.getState();
          if (boxes.length === 0) return;
          void flow.setViewport(getViewportForBounds(around(boxes), width, height, minZoom, 1, room), { duration });
        },
        middle: () => {
          const box = ref.current?.getBoundingClientRect();
          return flow.screenToFlowPosition({
            x: (box?.left ?? 0) + (box?.width ?? 0) / 2,
            y: (box?.top ?? 0) + (box?.height ?? 0) / 2,
          });
        },
        start: () => {
          const box = ref.current?.getBoundingClientRect();
          const { bounds, direction } = store.getState().picture;
          if (box) void flow.setViewport(firstViewport(bounds, box, direction), { duration });
        },
        scale: () => flow.getZoom(),
        zoom: (factor) =>
          void (factor === "100%" ? flow.zoomTo(1, { duration }) : flow.zoomTo(flow.getZoom() * factor, { duration })),
        pan: (dx, dy) => {
          const v = flow.getViewport();
          void flow.setViewport({ ...v, x: v.x + dx, y: v.y + dy });
        },
      },
    });
    return () => set(store, { camera: undefined });
  }, [flow, sight, store, ref]);
}

/** A panel that opens or closes beside the canvas does not shift what is in its middle out of sight. */
function useSteadyCentre(ref: React.RefObject<HTMLElement | null>): void {
  const flow = useReactFlow();
  useEffect(() => {
    const el = ref.current;
    if (!el) return;
    let width = el.clientWidth;
    const observer = new ResizeObserver(() => {
      const by = (el.clientWidth - width) / 2;
      width = el.clientWidth;
      if (by === 0) return;
      const v = flow.getViewport();
      void flow.setViewport({ ...v, x: v.x + by });
    });
    observer.observe(el);
    return () => observer.disconnect();
  }, [flow, ref]);
}
