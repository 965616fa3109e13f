import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { DomainCheck, Provider } from "@/api/sending";
import { useFormat } from "@/ui/format";

const kinds = {
  smtp: msg`Mail server (SMTP)`,
  twilio: msg`Twilio SMS`,
  twilio_whatsapp: msg`Twilio WhatsApp`,
  webpush: msg`Web Push`,
  lob: msg`Lob, printed letters`,
  pdf: msg`PDF to a print shop`,
  http: msg`Own web service`,
} as const;

const brands: Record<string, string> = { resend: "Resend", sendgrid: "SendGrid", ses: "Amazon SES" };

const fields = {
  host: msg`Server`,
  port: msg`Port`,
  tls: msg`Encryption`,
  user: msg`User name`,
  password: msg`Password`,
  api_key: msg`API key`,
  base_url: msg`Address of the service, if it is not the usual one`,
  region: msg`Region`,
  access_key_id: msg`Access key`,
  secret_access_key: msg`Secret access key`,
  configuration_set: msg`Configuration set`,
  mail_from: msg`MAIL FROM domain`,
  account_sid: msg`Account SID`,
  auth_token: msg`Auth token`,
  from: msg`Sent from`,
  country: msg`Country`,
  url: msg`Address that takes the messages`,
  secret: msg`Secret that signs them`,
  subject: msg`Contact for browser makers`,
  private_key: msg`Private key`,
} as const;

const presets = {
  gmail: msg`Gmail`,
  google_workspace: msg`Google Workspace`,
  microsoft365: msg`Microsoft 365`,
  ses_sandbox: msg`Amazon SES, sandbox`,
} as const;

const records = {
  spf: {
    name: msg`SPF: who may send for this domain`,
    wrong: msg`It does not name who sends for you, lets everybody send, or there is more than one. Keep one record with what stands here; yours may have more.`,
  },
  dkim: {
    name: msg`DKIM: the signature under every mail`,
    wrong: msg`Another key stands there. Replace it with this one.`,
  },
  dmarc: {
    name: msg`DMARC: what to do with forged mail`,
    wrong: msg`There is more than one, or it does not say what to do. Keep one record with p=.`,
  },
} as const;

const states = {
  good: msg`Published`,
  missing: msg`Not published yet`,
  wrong: msg`Has to change`,
  unreachable: msg`Not known: the name servers did not answer`,
  unseen: msg`Cannot be checked from here`,
} as const;

/** What accounts, their fields and records are called. */
export function useSendingWords() {
  const { t } = useLingui();
  const format = useFormat();
  const n = format.number;
  return {
    kind: (name: string) => (name in kinds ? t(kinds[name as keyof typeof kinds]) : (brands[name] ?? name)),
    field: (name: string) => (name in fields ? t(fields[name as keyof typeof fields]) : name),
    preset: (name: string) => (name in presets ? t(presets[name as keyof typeof presets]) : name),
    record: (kind: DomainCheck["kind"]) => t(records[kind].name),
    state: (state: DomainCheck["state"]) => t(states[state]),
    wrong: (kind: DomainCheck["kind"]) => t(records[kind].wrong),
    limits: (p: Pick<Provider, "per_second" | "per_hour" | "per_day">) =>
      [t`${n(p.per_second)} a second`, p.per_hour && t`${n(p.per_hour)} an hour`, p.per_day && t`${n(p.per_day)} a day`]
        .filter(Boolean)
        .join(", "),
  };
}
