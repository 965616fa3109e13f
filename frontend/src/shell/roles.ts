import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { Role } from "@/api/session";

export const roles: readonly Role[] = ["viewer", "marketer", "approver", "operator", "admin"];

const names = {
  viewer: msg`Viewer`,
  marketer: msg`Marketer`,
  approver: msg`Approver`,
  operator: msg`Operator`,
  admin: msg`Administrator`,
};

const duties = {
  viewer: msg`sees everything, changes nothing`,
  marketer: msg`draws funnels, writes messages, looks after people`,
  approver: msg`also publishes funnels`,
  operator: msg`also pauses sending and mends what failed`,
  admin: msg`also invites people, connects senders and makes keys`,
};

/** What a role is called. */
export function useRoleName(): (role: Role) => string {
  const { t } = useLingui();
  return (role) => t(names[role]);
}

/** What a role may do, in half a sentence. */
export function useRoleDuty(): (role: Role) => string {
  const { t } = useLingui();
  return (role) => t(duties[role]);
}
