import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Failure } from "./Failure";
import { Panel } from "./Panel";
import { RowSkeletons } from "./Skeletons";

interface RowsPanelProps<Row> {
  title: string;
  actions?: ReactNode;
  rows: UseQueryResult<Row[]>;
  /** What stands there while there is none. */
  empty: ReactNode;
  children: (row: Row) => ReactNode;
}

/** A panel of rows that the server has: on their way, refused, none, or there. */
export function RowsPanel<Row>({ title, actions, rows, empty, children }: RowsPanelProps<Row>) {
  return (
    <Panel title={title} flush actions={actions}>
      {rows.error ? (
        <Failure error={rows.error} reset={() => rows.refetch()} compact />
      ) : rows.isPending ? (
        <RowSkeletons rows={2} />
      ) : rows.data.length === 0 ? (
        empty
      ) : (
        rows.data.map(children)
      )}
    </Panel>
  );
}
