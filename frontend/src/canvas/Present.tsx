import { useLingui } from "@lingui/react/macro";
import { Tooltip } from "@mantine/core";
import { Face } from "@/ui/Face";
import type { Present } from "./answers";
import c from "./present.module.css";
import { useEditor } from "./store";

const most = 4;

/** One face for each person, however many pages they have open. */
function persons(people: Present[]): Present[] {
  return people.filter((p, i) => people.findIndex((q) => q.user_id === p.user_id) === i);
}

/** Who else has this funnel open. */
export function PresentFaces() {
  const { t } = useLingui();
  const here = useEditor((s) => s.people);
  if (here.length === 0) return null;
  const shown = persons(here);
  return (
    <ul className={c.faces} aria-label={t`Also here`} data-testid="present">
      {shown.slice(0, most).map((p) => {
        const label = p.me ? t`You, in another tab` : t`${p.name} is here too`;
        return (
          <li key={p.user_id}>
            <Tooltip label={label}>
              <span className={c.face}>
                <Face name={p.name} seed={p.user_id} size={24} />
                <span className="visually-hidden">{label}</span>
              </span>
            </Tooltip>
          </li>
        );
      })}
      {shown.length > most && <li className={c.more}>+{shown.length - most}</li>}
    </ul>
  );
}

const nobody: Present[] = [];

/** Who has a step open, on its card. */
export function EditedBy({ step }: { step: string }) {
  const { t } = useLingui();
  const people = useEditor((s) => (s.people.length === 0 ? nobody : s.people));
  const here = persons(people.filter((p) => p.node === step));
  return (
    <>
      {here.slice(0, 3).map((p) => {
        const label = p.me ? t`Open in another tab of yours` : t`${p.name} has this step open`;
        return (
          <span key={p.user_id} className={c.onCard} title={label} data-testid={`edited-by-${step}`}>
            <Face name={p.name} seed={p.user_id} size={20} />
            <span className="visually-hidden">{label}</span>
          </span>
        );
      })}
    </>
  );
}
