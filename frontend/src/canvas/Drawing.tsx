import { useMemo } from "react";
import { type Catalogue, makeCatalogue } from "./catalogue";
import d from "./drawing.module.css";
import { titleOf, viewOfKind } from "./kinds";
import { layout, pathOf } from "./layout";
import { sizes } from "./sizes";
import type { CatalogueData, Creative, FunnelDocument, Graph, Step } from "./types";

/** In a picture to recognise all steps are of one size, so that a long funnel is not too small to see. */
const small = { width: 248, height: 44 };

interface DrawingProps {
  graph: Graph;
  creatives: Record<string, Creative>;
  data: CatalogueData;
  /** With the names of the steps; without them it is a picture to recognise, not to read. */
  named?: boolean;
  label: string;
}

/** A funnel drawn small: the same picture as on the canvas, without anything to act on. */
export function Drawing({ graph, creatives, data, named, label }: DrawingProps) {
  const catalogue = useMemo(() => makeCatalogue(data), [data]);
  const picture = useMemo(
    () => layout(graph, catalogue, named ? sizes(catalogue, () => false) : () => small),
    [graph, catalogue, named],
  );
  const { x, y, width, height } = picture.bounds;
  const doc: FunnelDocument = { name: "", graph, creatives, layout: {} };
  return (
    <svg
      className={d.drawing}
      viewBox={`${x - 12} ${y - 12} ${width + 24} ${height + 24}`}
      preserveAspectRatio={named ? "xMidYMin meet" : "xMidYMid meet"}
    >
      <title>{label}</title>
      {picture.routes
        .filter((route) => route.kind === "link")
        .map((route) => (
          <path key={`${route.from}/${route.port}`} className={d.wire} d={pathOf(route.points)} />
        ))}
      {graph.nodes.map((step) => {
        const box = picture.steps.get(step.id);
        if (!box) return null;
        return named ? (
          <foreignObject key={step.id} {...box}>
            <Card step={step} catalogue={catalogue} doc={doc} height={box.height} />
          </foreignObject>
        ) : (
          <Shape key={step.id} step={step} box={box} catalogue={catalogue} />
        );
      })}
    </svg>
  );
}

interface Drawn {
  step: Step;
  catalogue: Catalogue;
}

function Shape({ step, box, catalogue }: Drawn & { box: { x: number; y: number; width: number; height: number } }) {
  const family = catalogue.kind(step.kind).family;
  return (
    <g data-family={family}>
      <rect className={d.shape} {...box} rx={family === "wait" || step.kind === "join" ? box.height / 2 : 14} />
      <rect className={d.sign} x={box.x + 14} y={box.y + 10} width={34} height={box.height - 20} rx={9} />
      <rect
        className={d.line}
        x={box.x + 62}
        y={box.y + box.height / 2 - 6}
        width={box.width - 100}
        height={12}
        rx={6}
      />
    </g>
  );
}

function Card({ step, catalogue, doc, height }: Drawn & { doc: FunnelDocument; height: number }) {
  const view = viewOfKind(catalogue, step.kind);
  const family = catalogue.kind(step.kind).family;
  const title = titleOf(step, catalogue, doc);
  return (
    <div className={d.card} data-family={family} data-flat={height < 50 || undefined} style={{ height }} title={title}>
      <span className={d.chip}>
        <view.icon size={17} stroke={1.75} />
      </span>
      <span className={d.text}>
        {height >= 50 && <span className={d.word}>{view.word()}</span>}
        <b>{title}</b>
      </span>
    </div>
  );
}
