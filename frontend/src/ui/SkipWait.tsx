import { useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { IconPlayerSkipForward } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { skipWait } from "@/api/people";
import { useCan } from "@/api/session";
import { useToast } from "./toast";

/** Ends the wait somebody is in, for whoever tries a funnel in the sandbox. The caller knows that the run is in one. */
export function SkipWait({ run, name }: { run: string; name: string }) {
  const { t } = useLingui();
  const can = useCan();
  const client = useQueryClient();
  const toast = useToast();
  const [busy, setBusy] = useState(false);
  if (!can("runs.try")) return null;

  const skip = async () => {
    setBusy(true);
    try {
      await skipWait(run);
      toast.show({
        title: t`The wait is over for ${name}`,
        text: t`Sandbox only. What comes next is decided as always.`,
      });
    } catch (error) {
      toast.failed(error);
    } finally {
      setBusy(false);
      for (const key of ["contact", "behind", "counts", "people", "runs"])
        client.invalidateQueries({ queryKey: [key] });
    }
  };
  return (
    <Button
      size="sm"
      variant="subtle"
      loading={busy}
      onClick={skip}
      leftSection={<IconPlayerSkipForward size={14} stroke={1.75} aria-hidden />}
      aria-label={t`Skip the wait of ${name}`}
      data-testid="skip-wait"
    >
      {t`Skip the wait`}
    </Button>
  );
}
