import { Trans, useLingui } from "@lingui/react/macro";
import { Menu } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import type { Assumed, Assumption, Does } from "../answers";
import { titleOf } from "../kinds";
import { stepById } from "../ports";
import { useEditor } from "../store";
import s from "./trial.module.css";
import { portWord, useTrialWords } from "./words";

/** What nobody can know beforehand, each as a choice; another choice simulates again. */
export function Assumptions({
  list,
  change,
}: {
  list: readonly Assumed[];
  change: (node: string, assumption: Assumption) => void;
}) {
  const { t } = useLingui();
  const { doesWord } = useTrialWords();
  const catalogue = useEditor((x) => x.catalogue);
  const doc = useEditor((x) => x.doc);
  if (list.length === 0) return null;
  return (
    <section className={s.assumed} aria-label={t`Assumed`} data-testid="assumed">
      <h3>
        <Trans>Assumed, because nobody can know it beforehand</Trans>
      </h3>
      {list.map((a) => {
        const step = stepById(doc.graph, a.node);
        if (!step) return null;
        const choices: { value: string; label: string; gives: Assumption }[] = a.ports
          ? a.ports.map((port) => ({ value: port, label: portWord(catalogue, step, port), gives: { port } }))
          : doings.map((does) => ({ value: does, label: doesWord(does), gives: given(does) }));
        const now = a.port ?? a.does ?? "";
        const label = choices.find((c) => c.value === now)?.label ?? now;
        const title = titleOf(step, catalogue, doc);
        return (
          <div key={a.node} className={s.assumption}>
            <span title={title}>{title}</span>
            <Menu position="bottom-end">
              <Menu.Target>
                <button
                  type="button"
                  className={s.pill}
                  data-said={a.said}
                  aria-label={t`Assumed at “${title}”: ${label}`}
                >
                  {label}
                  <IconChevronDown size={13} stroke={1.75} aria-hidden />
                </button>
              </Menu.Target>
              <Menu.Dropdown>
                {choices.map((c) => (
                  <Menu.Item key={c.value} aria-current={c.value === now} onClick={() => change(a.node, c.gives)}>
                    {c.label}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          </div>
        );
      })}
    </section>
  );
}

/** What a person may do with a message, on whatever way it came. */
const doings: Does[] = ["nothing", "opens", "clicks", "replies", "bounces"];

function given(does: Does): Assumption {
  return does === "nothing" ? {} : { [does]: true };
}
