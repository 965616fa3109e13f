import { useMemo } from "react";
import { pathOf, type Route } from "../layout";
import { useEditor } from "../store";
import d from "./dialogs.module.css";

/** The funnel in small, with what goes crossed out: the preview of a removal. */
export function MiniPicture({ gone, label }: { gone: ReadonlySet<string>; label: string }) {
  const picture = useEditor((s) => s.picture);
  const nodes = useEditor((s) => s.doc.graph.nodes);
  const catalogue = useEditor((s) => s.catalogue);
  const { x, y, width, height } = picture.bounds;
  const kinds = useMemo(() => new Map(nodes.map((n) => [n.id, catalogue.kind(n.kind).family])), [nodes, catalogue]);
  const cut = (r: Route) => gone.has(r.from) || (r.to !== undefined && gone.has(r.to));
  return (
    <svg
      className={d.mini}
      role="img"
      aria-label={label}
      viewBox={`${x - 20} ${y - 20} ${width + 40} ${height + 40}`}
      preserveAspectRatio="xMidYMin meet"
    >
      {picture.routes.map((r) => (
        <path key={`${r.from}/${r.port}`} d={pathOf(r.points)} className={cut(r) ? d.miniCut : d.miniWire} />
      ))}
      {[...picture.steps].map(([id, box]) => (
        <g key={id} data-gone={gone.has(id)}>
          <rect
            {...box}
            rx={12}
            className={gone.has(id) ? d.miniGone : d.miniStays}
            style={gone.has(id) ? undefined : { fill: `var(--${kinds.get(id) ?? "action"})` }}
          />
          {gone.has(id) && (
            <path
              className={d.miniCross}
              d={`M${box.x + 12} ${box.y + 12}L${box.x + box.width - 12} ${box.y + box.height - 12}M${box.x + box.width - 12} ${box.y + 12}L${box.x + 12} ${box.y + box.height - 12}`}
            />
          )}
        </g>
      ))}
    </svg>
  );
}
