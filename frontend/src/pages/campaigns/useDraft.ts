import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { type CampaignDetail, type CampaignDocument, campaignQuery, saveCampaign } from "@/api/campaigns";
import { isProblem } from "@/api/problem";

export type Saving = "saved" | "pending" | "failed" | "conflict";

export interface Draft {
  name: string;
  document: CampaignDocument;
  revision: number;
  saving: Saving;
  change: (edit: (document: CampaignDocument) => CampaignDocument) => void;
  rename: (name: string) => void;
  /** Saves what is pending; tells the revision that is saved, or nothing when it could not be. */
  flush: () => Promise<number | undefined>;
}

const pause = 600;

/** A draft that saves itself a moment after the last change. */
export function useDraft(detail: CampaignDetail): Draft {
  const client = useQueryClient();
  const { id } = detail.campaign;
  const [name, setName] = useState(detail.campaign.name);
  const [document, setDocument] = useState(detail.document);
  const [saving, setSaving] = useState<Saving>("saved");
  const kept = useRef({ name, document, revision: detail.campaign.revision, dirty: false });
  const running = useRef<Promise<number | undefined>>(undefined);

  const save = useCallback(async (): Promise<number | undefined> => {
    const now = kept.current;
    if (!now.dirty) return now.revision;
    now.dirty = false;
    try {
      const trimmed = now.name.trim();
      const saved = await saveCampaign(id, {
        revision: now.revision,
        document: now.document,
        ...(trimmed ? { name: trimmed } : {}),
      });
      now.revision = saved.campaign.revision;
      client.setQueryData(campaignQuery(id).queryKey, saved);
      setSaving(now.dirty ? "pending" : "saved");
      return now.dirty ? save() : now.revision;
    } catch (error) {
      now.dirty = true;
      setSaving(isProblem(error) && error.status === 409 ? "conflict" : "failed");
      return undefined;
    }
  }, [client, id]);

  const flush = useCallback(async () => {
    await running.current;
    running.current = save();
    return running.current;
  }, [save]);

  useEffect(() => {
    if (saving !== "pending") return;
    const timer = setTimeout(() => void flush(), pause);
    return () => clearTimeout(timer);
  });

  useEffect(
    () => () => {
      if (kept.current.dirty) void save();
    },
    [save],
  );

  return {
    name,
    document,
    revision: kept.current.revision,
    saving,
    change: (edit) => {
      kept.current.document = edit(kept.current.document);
      kept.current.dirty = true;
      setDocument(kept.current.document);
      setSaving("pending");
    },
    rename: (next) => {
      kept.current.name = next;
      kept.current.dirty = true;
      setName(next);
      setSaving("pending");
    },
    flush,
  };
}
