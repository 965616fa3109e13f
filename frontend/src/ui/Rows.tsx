import { Table } from "@mantine/core";
import { Children, type ComponentPropsWithRef, createContext, type ReactNode, useContext } from "react";
import classes from "./rows.module.css";

/** What stands over a column, and before its value where each row is a card. */
export interface Head {
  label: string;
  /**
   * "number" and "moment" stand at the end of their column; "menu" is one button and "acts" are words to press, neither shows its label;
   * an "address" has a line of its own in a card.
   */
  kind?: "number" | "moment" | "address" | "menu" | "acts";
  /** Of the column where the table is wide. */
  width?: number | string;
  title?: string;
}

/** A head that is left out leaves its cell out in every row. */
type Heads = (Head | false | null | undefined)[];

const HeadsOf = createContext<Heads>([]);

interface RowsProps {
  heads: Heads;
  children: ReactNode;
  /** Each row leads somewhere. */
  lively?: boolean;
  /** Columns are as wide as their heads say and share the rest, whatever is in them. */
  fixed?: boolean;
  /** Two lines in a cell. */
  tall?: boolean;
  className?: string;
}

/**
 * A table whose rows become cards where there is no room for columns: the first cell is its title, each other stands under its label.
 * Roles are given by name, because a browser forgets them where a table is laid out as blocks.
 */
export function Rows({ heads, children, lively, fixed, tall, className }: RowsProps) {
  return (
    <div className={classes.frame}>
      <Table
        role="table"
        className={`${classes.table} ${className ?? ""}`}
        highlightOnHover={lively}
        data-fixed={fixed || undefined}
        data-tall={tall || undefined}
      >
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {heads.map(
              (head) =>
                head && (
                  <Table.Th
                    key={head.label}
                    role="columnheader"
                    data-kind={head.kind}
                    w={head.width}
                    {...(head.title ? { title: head.title } : {})}
                  >
                    {nameless(head) ? <span className="visually-hidden">{head.label}</span> : head.label}
                  </Table.Th>
                ),
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          <HeadsOf value={heads}>{children}</HeadsOf>
        </Table.Tbody>
      </Table>
    </div>
  );
}

const nameless = (head: Head) => head.kind === "menu" || head.kind === "acts";

/** Stands in a column where there is nothing to tell; a card leaves it out. */
const nothing = "–";

/** One row: each child is the content of one cell, in the order of the heads; a child that is nothing leaves its cell empty. */
export function Row({ children, ...rest }: ComponentPropsWithRef<"tr">) {
  const heads = useContext(HeadsOf);
  return (
    <Table.Tr role="row" {...rest}>
      {Children.map(children, (cell, place) => {
        const head = heads[place];
        if (!head) return null;
        const empty = cell === null || cell === undefined || cell === nothing || typeof cell === "boolean";
        return (
          <Table.Td
            role="cell"
            data-kind={place === 0 ? "main" : head.kind}
            data-label={place === 0 || nameless(head) ? undefined : head.label}
            data-empty={empty || undefined}
          >
            <div className={classes.value}>{cell}</div>
          </Table.Td>
        );
      })}
    </Table.Tr>
  );
}
