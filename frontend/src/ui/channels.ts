import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { type Icon, IconBell, IconBrandWhatsapp, IconMail, IconMailbox, IconMessage } from "@tabler/icons-react";

export const channelIcons: Record<string, Icon> = {
  email: IconMail,
  sms: IconMessage,
  whatsapp: IconBrandWhatsapp,
  push: IconBell,
  letter: IconMailbox,
};

const names = {
  email: msg`E-mail`,
  sms: msg`SMS`,
  whatsapp: msg`WhatsApp`,
  push: msg`Push`,
  letter: msg`Letter`,
} as const;

/** What a channel is called. */
export function useChannelName(): (channel: string) => string {
  const { t } = useLingui();
  return (channel) => (channel in names ? t(names[channel as keyof typeof names]) : channel);
}
