import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Select } from "@mantine/core";
import { IconChevronLeft } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { useCan } from "@/api/session";
import { useFormat } from "@/ui/format";
import { useToast } from "@/ui/toast";
import type { KeptDraft, Loaded, Version } from "../answers";
import { api } from "../api";
import { Canvas } from "../Canvas";
import { makeCatalogue } from "../catalogue";
import { sayChange } from "../changes";
import d from "../dialogs/dialogs.module.css";
import { signs } from "../dialogs/signs";
import e from "../editor.module.css";
import { emptyHistory } from "../history";
import { naming } from "../kinds";
import { MarkWord } from "../MarkTag";
import { documentOf, EditorContext, makeStore, select, set } from "../store";
import type { CatalogueData, FunnelDocument } from "../types";
import { marksOf, together } from "./together";
import v from "./versions.module.css";

interface Props {
  loaded: Loaded;
  data: CatalogueData;
  versions: Version[];
  kept: KeptDraft[];
  a: string;
  b: string;
}

/** "draft", "3" for a version, or the id of a kept draft. */
async function documentNamed(loaded: Loaded, name: string): Promise<FunnelDocument> {
  if (name === "draft") return documentOf(loaded);
  if (name === "") return { ...documentOf(loaded), graph: { schema: 1, nodes: [], edges: [] }, creatives: {} };
  const number = Number(name);
  const found = Number.isInteger(number)
    ? await api.version(loaded.funnel.id, number)
    : await api.keptDraft(loaded.funnel.id, name);
  return documentOf({ ...loaded, ...found });
}

/** Two versions in one picture and as a list: read, compare, and bring one back as the draft. */
export function VersionsPage({ loaded, data, versions, kept, a, b }: Props) {
  const { t } = useLingui();
  const { id } = loaded.funnel;
  const both = useQuery({
    queryKey: ["funnel", id, "compared", a, b, loaded.revision],
    queryFn: async () => {
      const [before, after] = await Promise.all([documentNamed(loaded, a), documentNamed(loaded, b)]);
      const { changes } = await api.compare(before, after);
      return { before, after, changes };
    },
  });
  const [catalogue] = useState(() => makeCatalogue(data));
  const [store] = useState(() => {
    const made = makeStore({ ...loaded, problems: [] }, catalogue, emptyHistory);
    set(made, { readOnly: true });
    return made;
  });
  const found = both.data;
  const shown = useMemo(() => found && together(found.before, found.after), [found]);
  useEffect(() => {
    if (!found || !shown) return;
    set(store, { doc: shown, fresh: new Set(), marks: a ? marksOf(found.changes) : new Map() });
    requestAnimationFrame(() => store.getState().camera?.fit());
  }, [found, shown, store, a]);
  return (
    <EditorContext.Provider value={store}>
      <div className={e.editor}>
        <Head loaded={loaded} versions={versions} b={b} />
        <div className={`${e.work} ${v.work}`}>
          <Canvas />
          <aside className={v.panel}>
            <List loaded={loaded} versions={versions} kept={kept} a={a} b={b} />
            {found && shown && a && (
              <section className={d.section} data-testid="diff-text">
                <h2 className={v.head}>
                  {found.changes.length === 0
                    ? t`No difference`
                    : plural(found.changes.length, { one: "# difference", other: "# differences" })}
                </h2>
                <ul className={d.rows}>
                  {found.changes.map((c) => {
                    const said = sayChange(
                      c,
                      naming(catalogue, c.code === "step_removed" ? found.before : found.after),
                    );
                    const sign = signs[said.sort];
                    return (
                      <li key={`${c.code} ${c.node} ${c.field ?? ""} ${JSON.stringify(c.to)}`}>
                        <button
                          type="button"
                          className={v.change}
                          data-testid={`diff-${c.node}`}
                          onClick={() => {
                            select(store, [c.node]);
                            store.getState().camera?.centre(c.node);
                          }}
                        >
                          <sign.icon size={15} stroke={1.75} className={d[sign.look]} aria-hidden />
                          <span>
                            <b className={d.what}>
                              <MarkWord mark={said.sort} /> · {said.step}
                            </b>
                            <small className={d.words}>{said.text}</small>
                          </span>
                        </button>
                      </li>
                    );
                  })}
                </ul>
              </section>
            )}
          </aside>
        </div>
      </div>
    </EditorContext.Provider>
  );
}

function Head({ loaded, versions, b }: { loaded: Loaded; versions: Version[]; b: string }) {
  const { t } = useLingui();
  const { id, name } = loaded.funnel;
  const can = useCan()("funnels.write");
  const navigate = useNavigate();
  const toast = useToast();
  const version = versions.find((x) => String(x.number) === b);
  const restore = async () => {
    try {
      const wish = version ? { version: version.number } : { kept: b };
      await api.restore(id, { revision: loaded.revision, ...wish });
      toast.show({ title: t`It is the draft now. The draft before is kept below the versions.` });
      await navigate({ to: "/funnels/$id/edit", params: { id } });
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <header className={`${e.top} ${v.top}`}>
      <Link to="/funnels/$id/edit" params={{ id }} className={v.back}>
        <IconChevronLeft size={16} stroke={1.75} />
        <Trans>Back to the draft</Trans>
      </Link>
      <h1 className={v.title}>{t`Versions of ${name}`}</h1>
      <span className={`${e.badge} ${e.badgeLine}`}>
        <Trans>Only to read</Trans>
      </span>
      <span className={e.grow} />
      {can && b !== "draft" && loaded.funnel.state !== "archived" && (
        <Button variant="filled" onClick={() => void restore()} data-testid="restore">
          <Trans>Make it the draft again</Trans>
        </Button>
      )}
    </header>
  );
}

function List({ loaded, versions, kept, a, b }: Omit<Props, "data">) {
  const { t } = useLingui();
  const format = useFormat();
  const navigate = useNavigate();
  const { id } = loaded.funnel;
  const show = (next: { a: string; b: string }) =>
    void navigate({ to: "/funnels/$id/versions", params: { id }, search: next });
  const rows = [
    {
      name: "draft",
      title: t`Draft`,
      meta: [format.moment(loaded.funnel.updated_at)],
      note: "",
      before: String(versions[0]?.number ?? ""),
    },
    ...versions.map((x) => ({
      name: String(x.number),
      title: x.name ? `${t`Version ${x.number}`}: ${x.name}` : t`Version ${x.number}`,
      meta: [format.moment(x.published_at), x.published_by, x.current ? t`runs now` : ""],
      note: x.note ?? "",
      before: x.number > 1 ? String(x.number - 1) : "",
    })),
    ...kept.map((k) => ({
      name: k.id,
      title: t`Kept draft`,
      meta: [format.moment(k.kept_at), k.kept_by, plural(k.steps, { one: "# step", other: "# steps" })],
      note: "",
      before: "draft",
    })),
  ];
  return (
    <>
      <ul className={v.list} aria-label={t`Versions`}>
        {rows.map((row) => (
          <li key={row.name}>
            <button
              type="button"
              className={v.version}
              aria-current={row.name === b}
              data-testid={`look-${row.name}`}
              onClick={() => show({ a: row.before, b: row.name })}
            >
              <b className={d.what}>{row.title}</b>
              <small className={d.words}>{row.meta.filter(Boolean).join(" · ")}</small>
              {row.note && <small className={d.words}>{row.note}</small>}
            </button>
          </li>
        ))}
      </ul>
      <Select
        className={v.with}
        label={t`Compared with`}
        allowDeselect={false}
        value={a || "none"}
        onChange={(next) => next && show({ a: next === "none" ? "" : next, b })}
        data={[
          { value: "none", label: t`Nothing` },
          ...rows.filter((row) => row.name !== b).map((row) => ({ value: row.name, label: row.title })),
        ]}
      />
    </>
  );
}
