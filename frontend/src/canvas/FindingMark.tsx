import { plural } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { Button, Popover } from "@mantine/core";
import { IconHeartbeat } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useCan } from "@/api/session";
import { useFormat } from "@/ui/format";
import type { Finding } from "./answers";
import { api } from "./api";
import c from "./card.module.css";
import { useEditor } from "./store";

/** What the watch over the live version found at a step, with a mend where there is one. */
export function FindingMark({ found }: { found: Finding[] }) {
  const { t } = useLingui();
  const [open, setOpen] = useState(false);
  const bad = found.some((f) => f.severity === "error");
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" width={300} trapFocus withinPortal>
      <Popover.Target>
        <button
          type="button"
          className={`${c.tag} ${bad ? c.tagError : c.tagWarning}`}
          data-testid={`finding-${found[0]?.code}`}
          aria-expanded={open}
          onClick={(e) => {
            e.stopPropagation();
            setOpen(!open);
          }}
        >
          <IconHeartbeat size={12} stroke={1.75} />
          {plural(found.length, { one: "# finding", other: "# findings" })}
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t`Found while live`} onClick={(e) => e.stopPropagation()}>
        {found.map((f) => (
          <FoundRow key={f.code + (f.fix?.ref ?? "")} finding={f} />
        ))}
      </Popover.Dropdown>
    </Popover>
  );
}

function FoundRow({ finding }: { finding: Finding }) {
  const { t, i18n } = useLingui();
  const format = useFormat();
  const can = useCan();
  const client = useQueryClient();
  const funnel = useEditor((s) => s.funnel.id);
  const [done, setDone] = useState("");
  const text = finding.said.text[i18n.locale as keyof typeof finding.said.text] ?? finding.said.text.en;
  const mend = async () => {
    const [of, slug] = (finding.fix?.ref ?? "").split(":");
    if (finding.fix?.kind === "retry") {
      const n = await api.retryParked(funnel, finding.node);
      setDone(plural(n, { one: "# person tries again", other: "# people try again" }));
    } else if (of && slug) {
      await api.createNamed(of as "tag" | "list", slug);
      setDone(t`It is there again.`);
    }
    await client.invalidateQueries({ queryKey: ["funnel", funnel] });
  };
  const allowed = finding.fix?.kind === "retry" ? can("runs.operate") : can("contacts.write");
  return (
    <div className={c.found}>
      <p>{text}</p>
      <small>{t`Since ${format.moment(finding.since)}`}</small>
      {done ? (
        <small>{done}</small>
      ) : finding.fix?.kind === "open_settings" ? (
        <Button size="sm" renderRoot={(props) => <Link to="/settings/senders" {...props} />}>
          {t`Open the senders`}
        </Button>
      ) : finding.fix && allowed ? (
        <Button size="sm" onClick={() => void mend()} data-testid="mend">
          {finding.fix.kind === "retry" ? t`Let them try again` : t`Create it again`}
        </Button>
      ) : null}
    </div>
  );
}
