import { Skeleton } from "@mantine/core";
import classes from "./ui.module.css";

const widths = ["34%", "46%", "28%", "40%", "31%", "43%", "37%", "26%"];

/** The place of rows that are on their way. */
export function RowSkeletons({ rows = 6 }: { rows?: number }) {
  return (
    <div aria-hidden>
      {widths.slice(0, rows).map((width) => (
        <div key={width} className={classes.rowSkeleton}>
          <Skeleton height={24} width={24} circle />
          <Skeleton height={12} width={width} />
        </div>
      ))}
    </div>
  );
}

/** The place of a page that is on its way. */
export function PageSkeleton() {
  return (
    <div className={classes.pageSkeleton} role="status" aria-busy>
      <Skeleton height={28} width={220} />
      <Skeleton height={120} radius="lg" />
      <Skeleton height={320} radius="lg" />
    </div>
  );
}
