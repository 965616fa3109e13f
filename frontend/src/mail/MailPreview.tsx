import { Trans, useLingui } from "@lingui/react/macro";
import { SegmentedControl, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconDeviceDesktop, IconDeviceMobile } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { isProblem } from "@/api/problem";
import type { Person, Preview } from "@/canvas/answers";
import { api } from "@/canvas/api";
import { useEditor } from "@/canvas/store";
import type { Creative, Step } from "@/canvas/types";
import { LetterPage, PushCard, pdfOf, TextBubble } from "./frames";
import m from "./mail.module.css";
import { useChoices } from "./peopleChoices";

export function personName(p: Person): string {
  return [p.first_name, p.last_name].filter(Boolean).join(" ") || p.email || "";
}

/** People to look at a message as: those found, one without a name first among equals, and nobody in particular. */
export function usePeople(search: string, keep = ""): { value: string; label: string }[] {
  const { t } = useLingui();
  const list = useChoices(
    search,
    (p) => {
      const name = p.first_name ? personName(p) : t`${personName(p)} (no first name)`;
      return p.email && p.email !== personName(p) ? `${name}, ${p.email}` : name;
    },
    keep,
  );
  return [{ value: "", label: t`Somebody without a name` }, ...list];
}

/** The message as a person would get it: rendered by the server exactly as it leaves. */
export function MailPreview({ step, creative, tall }: { step: Step; creative: Creative; tall?: boolean }) {
  const { t } = useLingui();
  const graph = useEditor((s) => s.shown.graph);
  const [person, setPerson] = useState<string | null>(null);
  const [search, setSearch] = useState("");
  const [screen, setScreen] = useState("desktop");
  const people = usePeople(search);
  const shown = person ?? people[1]?.value ?? "";
  const [settled] = useDebouncedValue(creative, 400);
  const kind = step.config.class;
  const preview = useQuery({
    queryKey: ["preview", step.id, settled, shown, kind],
    queryFn: ({ signal }) =>
      api.preview(
        {
          creative: settled,
          node: step.id,
          graph,
          ...(shown ? { contact_id: shown } : {}),
          ...(kind ? { class: kind } : {}),
        },
        signal,
      ),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 10_000,
  });
  return (
    <section aria-label={t`Preview`} data-testid="mail-preview">
      <div className={m.previewHead}>
        <span>
          <Trans>Preview as</Trans>
        </span>
        <Select
          size="sm"
          w={170}
          aria-label={t`Preview as`}
          searchable
          data={people}
          value={shown}
          onSearchChange={setSearch}
          onChange={(v) => setPerson(v ?? "")}
        />
        {creative.channel === "email" && (
          <SegmentedControl
            aria-label={t`Screen`}
            value={screen}
            onChange={setScreen}
            data={[
              { value: "desktop", label: <IconDeviceDesktop size={15} stroke={1.75} aria-label={t`Computer`} /> },
              { value: "phone", label: <IconDeviceMobile size={15} stroke={1.75} aria-label={t`Phone`} /> },
            ]}
          />
        )}
      </div>
      <div className={m.paper}>
        {preview.data ? (
          creative.channel === "email" ? (
            <>
              <div className={m.subjectLine}>
                <b data-testid="preview-subject">{preview.data.subject || t`No subject yet`}</b>
                <span>{preview.data.preheader}</span>
              </div>
              <Frame
                html={preview.data.html}
                width={screen === "phone" ? 375 : tall ? 680 : 600}
                tall={tall ?? false}
              />
            </>
          ) : (
            <Framed shown={preview.data} />
          )
        ) : (
          <p className={m.waiting}>
            {preview.error
              ? (isProblem(preview.error) && preview.error.detail) ||
                t`The preview could not be made. Try again in a moment.`
              : t`Rendering…`}
          </p>
        )}
      </div>
    </section>
  );
}

/** What a phone, a device or an envelope shows. */
export function Framed({ shown }: { shown: Preview }) {
  const { pdf } = shown;
  const page = useMemo(() => (pdf ? pdfOf(pdf) : undefined), [pdf]);
  if (page) return <LetterPage page={page} name="letter.pdf" />;
  if (shown.push) return <PushCard push={shown.push} />;
  return <TextBubble text={shown.text} parts={shown.sms} />;
}

/** A sandboxed frame, scaled so that the whole width of the message shows. No scripts, no links out. */
export function Frame({ html, width, tall }: { html: string; width: number; tall: boolean }) {
  const { t } = useLingui();
  const box = useRef<HTMLDivElement>(null);
  const [scale, setScale] = useState(1);
  const [height, setHeight] = useState(tall ? 700 : 520);
  useEffect(() => {
    const el = box.current;
    if (!el) return;
    const rescale = () => setScale(Math.min(1, el.clientWidth / width));
    rescale();
    const observer = new ResizeObserver(rescale);
    observer.observe(el);
    return () => observer.disconnect();
  }, [width]);
  return (
    <div ref={box} style={{ height: height * scale, overflow: "hidden", display: "flex", justifyContent: "center" }}>
      <iframe
        title={t`The message`}
        // Same origin lets the height be read; without scripts the message can do nothing with it.
        sandbox="allow-same-origin"
        srcDoc={html}
        style={{ width, height, flex: "none", transform: `scale(${scale})`, transformOrigin: "top center" }}
        onLoad={(e) => setHeight(Math.max(220, e.currentTarget.contentDocument?.documentElement.scrollHeight ?? 520))}
      />
    </div>
  );
}
