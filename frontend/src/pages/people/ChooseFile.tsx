import { useLingui } from "@lingui/react/macro";
import { IconFileSpreadsheet } from "@tabler/icons-react";
import { useState } from "react";
import { parseCsv } from "./csv";
import { encodingOf, textOf } from "./encoding";
import classes from "./people.module.css";

/** The server takes files up to 20 MB. */
const limit = 20 * 1024 * 1024;

export function ChooseFile({ onFile }: { onFile: (name: string, bytes: Uint8Array) => void }) {
  const { t } = useLingui();
  const [refusal, setRefusal] = useState<string>();
  const [over, setOver] = useState(false);

  const take = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > limit) {
      setRefusal(t`The file is over 20 MB. Split it in two.`);
      return;
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    const sheet = parseCsv(textOf(bytes, encodingOf(bytes)));
    if (sheet.rows.length === 0)
      setRefusal(t`The file has no rows below its first line. Save it as CSV, with the names of the columns on top.`);
    else onFile(file.name, bytes);
  };

  return (
    <div className={classes.form}>
      <label
        className={classes.drop}
        data-over={over || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer.files[0]);
        }}
      >
        <IconFileSpreadsheet size={28} stroke={1.5} aria-hidden />
        <b>{t`Choose a CSV file, or drop it here`}</b>
        <span className="meta">{t`The first line names the columns. Up to 20 MB.`}</span>
        <input
          className="visually-hidden"
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          onChange={(event) => take(event.currentTarget.files?.[0])}
        />
      </label>
      {refusal && (
        <p className={classes.refusal} role="alert">
          {refusal}
        </p>
      )}
    </div>
  );
}
