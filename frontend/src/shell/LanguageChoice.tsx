import { useLingui } from "@lingui/react/macro";
import { SegmentedControl } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { api, ask } from "@/api/client";
import { sessionQuery } from "@/api/session";
import { chooseLanguage } from "@/i18n";
import { isLanguage, languages } from "@/i18n/languages";
import { useToast } from "@/ui/toast";

/** The three languages, each by its own name. With keep the choice follows the account to other devices. */
export function LanguageChoice({ keep }: { keep?: boolean }) {
  const { t, i18n } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  return (
    <SegmentedControl
      fullWidth
      aria-label={t`Language`}
      value={i18n.locale}
      data={languages.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={async (value) => {
        if (!isLanguage(value)) return;
        await chooseLanguage(value);
        if (!keep) return;
        try {
          client.setQueryData(sessionQuery.queryKey, await ask(api.PUT("/me", { body: { language: value } })));
        } catch (error) {
          toast.failed(error);
        }
      }}
    />
  );
}
