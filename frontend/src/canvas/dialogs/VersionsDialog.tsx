import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Modal } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useCan } from "@/api/session";
import { useFormat } from "@/ui/format";
import { api } from "../api";
import e from "../editor.module.css";
import { set, useEditor, useEditorStore } from "../store";
import d from "./dialogs.module.css";

/** What was published and when, who is still inside, and the way back. */
export function VersionsDialog() {
  const { t } = useLingui();
  const store = useEditorStore();
  const format = useFormat();
  const can = useCan()("funnels.publish");
  const funnel = useEditor((s) => s.funnel);
  const versions = useQuery({
    queryKey: ["funnel", funnel.id, "versions"],
    queryFn: () => api.versions(funnel.id),
    staleTime: 0,
  });
  return (
    <Modal opened onClose={() => set(store, { dialog: undefined })} title={t`Versions`} size="lg">
      <div className={d.stack} data-testid="versions-dialog">
        {versions.data?.items.length === 0 && (
          <p className={d.lead}>
            <Trans>Nothing is published yet.</Trans>
          </p>
        )}
        {(versions.data?.items.length ?? 0) > 0 && (
          <ul className={d.rows}>
            {versions.data?.items.map((v) => (
              <li key={v.number} className={d.planRow} data-testid={`version-${v.number}`}>
                <span className={d.planWho}>
                  <b className={d.what}>
                    {v.name ? `${t`Version ${v.number}`}: ${v.name}` : t`Version ${v.number}`}{" "}
                    {v.current && (
                      <span className={`${e.badge} ${e.badgeOk}`}>
                        <Trans>now</Trans>
                      </span>
                    )}
                  </b>
                  <small className={d.words}>
                    {[
                      format.moment(v.published_at),
                      v.published_by,
                      plural(v.runs_active, { one: "# person inside", other: "# people inside" }),
                    ]
                      .filter(Boolean)
                      .join(" · ")}
                  </small>
                  {v.note && <small className={d.words}>{v.note}</small>}
                </span>
                <Button
                  size="sm"
                  data-testid={`look-${v.number}`}
                  renderRoot={(props) => (
                    <Link
                      to="/funnels/$id/versions"
                      params={{ id: funnel.id }}
                      search={{ a: v.number > 1 ? String(v.number - 1) : "", b: String(v.number) }}
                      {...props}
                    />
                  )}
                >
                  {t`Look at it`}
                </Button>
                {can && !v.current && (
                  <Button
                    size="sm"
                    onClick={() => set(store, { dialog: { kind: "publish", version: v.number } })}
                    data-testid={`rollback-${v.number}`}
                  >
                    {t`Publish it again`}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
        <div className={d.foot}>
          <Button
            data-testid="compare"
            renderRoot={(props) => <Link to="/funnels/$id/versions" params={{ id: funnel.id }} {...props} />}
          >
            {t`Compare with the draft`}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
