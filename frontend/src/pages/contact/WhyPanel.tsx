import { useLingui } from "@lingui/react/macro";
import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { funnelChoicesQuery } from "@/api/funnels";
import type { Contact } from "@/api/people";
import { callName } from "@/pages/people/name";
import { Panel } from "@/ui/Panel";
import { WhyAnswer } from "@/ui/WhyAnswer";

/** Asks of any funnel why this person is in it or is not. */
export function WhyPanel({ person }: { person: Contact }) {
  const { t } = useLingui();
  const [funnel, setFunnel] = useState<string | null>(null);
  const funnels = useQuery(funnelChoicesQuery);
  const published = funnels.data?.filter((f) => f.version > 0) ?? [];
  if (published.length === 0) return null;
  const name = callName(person);
  return (
    <Panel title={t`Why?`}>
      <Select
        aria-label={t`Funnel to ask about`}
        placeholder={t`Choose a funnel: why is ${name} in it, or not?`}
        data={published.map((f) => ({ value: f.id, label: f.name }))}
        value={funnel}
        onChange={setFunnel}
        searchable
        data-testid="why-funnel"
      />
      {funnel && (
        <div style={{ marginTop: 12 }}>
          <WhyAnswer funnel={funnel} contact={person.id} />
        </div>
      )}
    </Panel>
  );
}
