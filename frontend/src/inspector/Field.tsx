import { IconAlertTriangle } from "@tabler/icons-react";
import { type ReactNode, useId } from "react";
import { useEditor } from "@/canvas/store";
import type { Problem } from "@/canvas/types";
import { problemText } from "@/canvas/words";
import c from "./inspector.module.css";

interface FieldProps {
  /** Path inside the config or creative: where a click on a problem leads. */
  path: string;
  label?: ReactNode;
  note?: ReactNode;
  help?: ReactNode;
  step: string;
  /** What is wrong with the parts inside is said there. */
  own?: boolean;
  children: (ids: { id: string; "aria-describedby"?: string; "aria-invalid"?: boolean }) => ReactNode;
}

/** A labelled field with what is wrong with it said below. */
export function Field({ path, label, note, help, step, own, children }: FieldProps) {
  const id = useId();
  const problems = useFieldProblems(step, path, own);
  const failing = problems.some((p) => p.severity === "error");
  const described = problems.length > 0 ? `${id}-problem` : help ? `${id}-help` : undefined;
  return (
    <div className={c.field} data-field={path}>
      {label && (
        <label className={c.label} htmlFor={id} id={`${id}-label`}>
          {label}
          {note && <span>{note}</span>}
        </label>
      )}
      {children({
        id,
        ...(described ? { "aria-describedby": described } : {}),
        ...(failing ? { "aria-invalid": true } : {}),
      })}
      {problems.length > 0 ? (
        <div id={`${id}-problem`}>
          {problems.map((p) => (
            <p
              key={p.code + p.message}
              className={`${c.error} ${p.severity === "warning" ? c.warning : ""}`}
              data-testid={`problem-${p.code}`}
            >
              <IconAlertTriangle size={14} stroke={1.75} />
              {problemText(p)}
            </p>
          ))}
        </div>
      ) : (
        help && (
          <p id={`${id}-help`} className={c.help}>
            {help}
          </p>
        )
      )}
    </div>
  );
}

const none: Problem[] = [];

/** The problems of one field, those inside it included ("for" has those of "for.amount"). */
export function useFieldProblems(step: string, path: string, own?: boolean): Problem[] {
  const all = useEditor((s) => s.problemsBy.get(step) ?? none);
  return all.filter((p) => p.field === path || (!own && p.field?.startsWith(`${path}.`)));
}
