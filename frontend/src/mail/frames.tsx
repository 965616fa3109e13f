import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import f from "./frames.module.css";

export interface TextParts {
  encoding: "gsm7" | "ucs2";
  units: number;
  per_part: number;
  parts: number;
}

/** A text as a phone shows it, with what carriers will count. */
export function TextBubble({ text, parts }: { text: string; parts?: TextParts | undefined }) {
  return (
    <div className={f.phone}>
      <p className={f.bubble} data-testid="sms-bubble">
        {text}
      </p>
      {parts && (
        <p className={f.count} data-testid="sms-parts">
          <Plural
            value={parts.parts}
            one={`# part (${parts.units} of ${parts.per_part} characters)`}
            other={`# parts (${parts.units} characters, ${parts.per_part} fit into each)`}
          />
          {parts.encoding === "ucs2" && (
            <>
              {" "}
              <Trans>Accents, Cyrillic or emoji leave less room.</Trans>
            </>
          )}
        </p>
      )}
    </div>
  );
}

export interface PushFrame {
  title: string;
  text: string;
  url?: string | undefined;
  icon?: string | undefined;
}

/** A notification as a device shows it. */
export function PushCard({ push }: { push: PushFrame }) {
  return (
    <div className={f.push} data-testid="push-card">
      {push.icon ? <img src={push.icon} alt="" width={36} height={36} /> : <span className={f.icon} aria-hidden />}
      <div>
        <b>{push.title}</b>
        <p>{push.text}</p>
      </div>
    </div>
  );
}

/** The page of a letter, and a way to keep it. The address lives as long as it is shown. */
export function LetterPage({ page, name }: { page: Blob; name: string }) {
  const { t } = useLingui();
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(page);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [page]);
  if (!url) return null;
  return (
    <div className={f.letter}>
      <Button
        size="sm"
        component="a"
        href={url}
        download={name}
        leftSection={<IconDownload size={14} stroke={1.75} aria-hidden />}
      >
        <Trans>Download the page</Trans>
      </Button>
      <iframe className={f.page} src={url} title={t`The page`} data-testid="letter-page" />
    </div>
  );
}

/** Base64 as bytes of a PDF. */
export function pdfOf(base64: string): Blob {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return new Blob([bytes], { type: "application/pdf" });
}
