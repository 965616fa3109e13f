import { Plural, useLingui } from "@lingui/react/macro";
import { Button, Checkbox, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { fieldsQuery, importPeople, listsQuery } from "@/api/people";
import { isProblem } from "@/api/problem";
import { useFormat } from "@/ui/format";
import { Row, Rows } from "@/ui/Rows";
import { guessTargets, mapCsv, parseCsv, type Sheet } from "./csv";
import { type Encoding, encodingOf, encodings, isBroken, textOf } from "./encoding";
import { useFieldName } from "./fieldNames";
import classes from "./people.module.css";

const skip = "-";
const builtIn = ["email", "first_name", "last_name", "name", "phone", "external_id", "tags", "zone", "language"];
const identities = ["email", "phone", "external_id"];

interface MapColumnsProps {
  bytes: Uint8Array;
  onBack: () => void;
  onStarted: (taskId: string) => void;
}

/** Says what each column of the file is. */
export function MapColumns({ bytes, onBack, onStarted }: MapColumnsProps) {
  const { t } = useLingui();
  const format = useFormat();
  const fieldName = useFieldName();
  const fields = useQuery(fieldsQuery);
  const lists = useQuery(listsQuery);
  const found = useMemo(() => encodingOf(bytes), [bytes]);
  const [encoding, setEncoding] = useState<Encoding>(found);
  const { sheet, broken } = useMemo(() => {
    const text = textOf(bytes, encoding);
    return { sheet: parseCsv(text), broken: isBroken(text) };
  }, [bytes, encoding]);
  const [chosen, setChosen] = useState<Record<number, string | null>>({});
  const [agreed, setAgreed] = useState(false);
  const [list, setList] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();

  const guessed = guessTargets(sheet.header, fields.data ?? []);
  const targets = sheet.header.map((_, column) =>
    column in chosen ? (chosen[column] ?? null) : (guessed[column] ?? null),
  );
  const encodingNames: Record<Encoding, string> = {
    "utf-8": "UTF-8",
    "windows-1250": t`Central European (Windows-1250)`,
    "windows-1251": t`Cyrillic (Windows-1251)`,
    "utf-16le": "UTF-16 LE",
    "utf-16be": "UTF-16 BE",
  };
  const choices = [
    { value: skip, label: t`Leave out` },
    ...builtIn.map((key) => ({ value: key, label: fieldName(key) })),
    ...(fields.data ?? [])
      .filter(({ key }) => !builtIn.includes(key))
      .map(({ key, label }) => ({ value: key, label: label || key })),
  ];
  const known = targets.some((target) => target !== null && identities.includes(target));
  const count = sheet.rows.length;

  const start = async () => {
    setBusy(true);
    setRefusal(undefined);
    try {
      const task = await importPeople(mapCsv(sheet, targets), {
        consent: agreed ? "granted" : "unknown",
        ...(list ? { list } : {}),
      });
      onStarted(task.id);
    } catch (error) {
      setRefusal(isProblem(error) && error.detail ? error.detail : t`The file could not be handed over. Try again.`);
      setBusy(false);
    }
  };

  return (
    <div className={classes.form}>
      <p className="meta">{t`What is in which column? What nobody needs can be left out.`}</p>
      {(found !== "utf-8" || broken) && (
        <Select
          label={t`How the file writes its letters`}
          description={t`It is not saved as UTF-8. Choose what makes the examples below readable.`}
          data={encodings.map((value) => ({ value, label: encodingNames[value] }))}
          comboboxProps={{ withinPortal: true, zIndex: 400 }}
          error={broken ? t`Some letters cannot be read this way. Choose another one.` : undefined}
          value={encoding}
          onChange={(value) => {
            const next = encodings.find((one) => one === value);
            if (next) setEncoding(next);
          }}
        />
      )}
      <div className={classes.columns}>
        <Rows heads={[{ label: t`Column in the file` }, { label: t`Example` }, { label: t`Becomes` }]}>
          {sheet.header.map((column, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name; their place is their identity
            <Row key={index}>
              <span className="cut">{column || t`Column ${index + 1}`}</span>
              <span className={`${classes.dim} cut`}>{example(sheet, index)}</span>
              <Select
                size="sm"
                aria-label={t`What “${column}” becomes`}
                data={choices.map((choice) => ({
                  ...choice,
                  disabled: choice.value !== skip && choice.value !== targets[index] && targets.includes(choice.value),
                }))}
                comboboxProps={{ withinPortal: true, shadow: "float", zIndex: 400 }}
                value={targets[index] ?? skip}
                onChange={(value) => setChosen((was) => ({ ...was, [index]: value === skip ? null : value }))}
              />
            </Row>
          ))}
        </Rows>
      </div>
      {lists.data && lists.data.length > 0 && (
        <Select
          label={t`All of them join a list`}
          placeholder={t`No list`}
          clearable
          clearButtonProps={{ "aria-label": t`Clear` }}
          data={lists.data.map(({ slug, name }) => ({ value: slug, label: name }))}
          comboboxProps={{ withinPortal: false }}
          value={list}
          onChange={setList}
        />
      )}
      <Checkbox
        label={t`All of them agreed to marketing e-mail, and I can show it`}
        description={t`Without it they get no marketing messages until they agree.`}
        checked={agreed}
        onChange={(event) => setAgreed(event.currentTarget.checked)}
      />
      {!known && <p className={classes.refusal}>{t`One column has to say who it is: e-mail, phone or your own id.`}</p>}
      {refusal && (
        <p className={classes.refusal} role="alert">
          {refusal}
        </p>
      )}
      <div className={classes.steps}>
        <Button variant="subtle" onClick={onBack}>
          {t`Choose another file`}
        </Button>
        <Button variant="filled" disabled={!known || broken} loading={busy} onClick={start}>
          <Plural
            value={count}
            one={`Import ${format.number(count)} row`}
            other={`Import ${format.number(count)} rows`}
          />
        </Button>
      </div>
    </div>
  );
}

/** The first two filled cells of a column. */
function example(sheet: Sheet, column: number): string {
  const cells: string[] = [];
  for (const row of sheet.rows) {
    const cell = row[column]?.trim();
    if (cell) cells.push(cell);
    if (cells.length === 2) break;
  }
  return cells.join(", ");
}
