import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { numbersQuery, type Segment } from "@/api/segments";
import type { Catalogue } from "@/canvas/catalogue";
import { ruleSentence, sentenceCase } from "@/canvas/sentences";
import type { Rule } from "@/canvas/types";
import { useFormat } from "@/ui/format";
import { Row } from "@/ui/Rows";
import { Building } from "./Building";
import { SegmentMenu } from "./SegmentMenu";
import classes from "./segments.module.css";

interface SegmentRowProps {
  segment: Segment;
  catalogue: Catalogue;
}

export function SegmentRow({ segment, catalogue }: SegmentRowProps) {
  const format = useFormat();
  const rule = segment.rule as Rule;
  const { data: numbers } = useQuery({ ...numbersQuery(rule), staleTime: 60_000 });
  const channel = (name: string) => numbers?.channels.find((entry) => entry.channel === name);
  const shown = (value: number | undefined) => (value === undefined ? "–" : format.number(value));
  return (
    <Row data-testid={`segment-${segment.slug}`}>
      <div>
        <Link to="/segments/$id" params={{ id: segment.id }} className={classes.name}>
          {segment.name}
        </Link>
        <span className="meta cut">
          {segment.description || sentenceCase(ruleSentence(rule, { catalogue, step: (id) => id }))}
        </span>
      </div>

      {segment.building ? <Building segment={segment} /> : format.number(segment.members)}
      {shown(channel("email")?.reachable)}
      {shown(channel("sms")?.reachable)}
      {shown(channel("email")?.sendable)}
      <SegmentMenu segment={segment} />
    </Row>
  );
}
