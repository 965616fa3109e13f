import { useLingui } from "@lingui/react/macro";
import type { Schemas } from "@/api/client";

/** What sent a message: the funnel, campaign or form by its name, or what else it was. */
export function useSource(): (message: { source?: Schemas["MessageSource"]; source_name?: string }) => string {
  const { t } = useLingui();
  return ({ source, source_name: name }) => {
    switch (source) {
      case "test":
        return t`Test message`;
      case "team":
        return t`Notice to the team`;
      case "api":
        return t`Sent over the API`;
      case "form":
        return name ? t`Form “${name}”` : t`A form`;
      case "campaign":
        return name ? t`Campaign “${name}”` : t`A campaign`;
      default:
        return name ?? "";
    }
  };
}
