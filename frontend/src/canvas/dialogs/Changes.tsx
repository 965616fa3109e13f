import { Trans } from "@lingui/react/macro";
import { useMemo } from "react";
import type { Change } from "../answers";
import { alsoNamed, sayChange } from "../changes";
import { naming } from "../kinds";
import { useEditor } from "../store";
import type { FunnelDocument } from "../types";
import d from "./dialogs.module.css";
import { signs } from "./signs";

/** What separates the live version from the one to publish, step by step. */
export function Changes({ list, doc }: { list: Change[]; doc: FunnelDocument }) {
  const catalogue = useEditor((s) => s.catalogue);
  const draft = useEditor((s) => s.doc);
  const said = useMemo(() => {
    const words = naming(catalogue, alsoNamed(doc, draft));
    return list.map((c) => ({
      key: `${c.code} ${c.node} ${c.field ?? ""} ${JSON.stringify(c.to)}`,
      ...sayChange(c, words),
    }));
  }, [list, doc, draft, catalogue]);
  return (
    <section className={d.section} data-testid="publish-changes">
      <h3>
        <Trans>What changes</Trans>
      </h3>
      <ul className={d.rows}>
        {said.map((c) => {
          const sign = signs[c.sort];
          return (
            <li key={c.key} className={d.row}>
              <sign.icon size={15} stroke={1.75} className={d[sign.look]} aria-hidden />
              <span>
                <b className={d.what}>{c.step}</b>
                <small className={d.words}>{c.text}</small>
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
