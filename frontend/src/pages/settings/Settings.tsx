import { useLingui } from "@lingui/react/macro";
import { Link, Outlet } from "@tanstack/react-router";
import { useCan } from "@/api/session";
import { PageHeader } from "@/shell/PageHeader";
import classes from "./settings.module.css";

/** The frame of the settings: one row of tabs, each a page with an address. */
export function Settings() {
  const { t } = useLingui();
  const can = useCan();
  const tabs = [
    { to: "/settings/workspace", label: t`Workspace`, permission: "workspace.read" },
    { to: "/settings/team", label: t`Team`, permission: "members.read" },
    { to: "/settings/senders", label: t`Senders`, permission: "workspace.read" },
    { to: "/settings/sending", label: t`Sending`, permission: "providers.read" },
    { to: "/settings/consent", label: t`Consent`, permission: "contacts.read" },
    { to: "/settings/replies", label: t`Replies and reports`, permission: "providers.read" },
    { to: "/settings/connections", label: t`Connections`, permission: "connections.read" },
    { to: "/settings/webhooks", label: t`Webhooks`, permission: "connections.read" },
    { to: "/settings/ai", label: t`AI`, permission: "providers.read" },
    { to: "/settings/api", label: t`API`, permission: "events.read" },
    { to: "/settings/account", label: t`Account`, permission: "" },
  ] as const;
  return (
    <>
      <PageHeader title={t`Settings`} />
      <nav className={classes.tabs} aria-label={t`Settings`}>
        {tabs
          .filter(({ permission }) => !permission || can(permission))
          .map(({ to, label }) => (
            <Link key={to} to={to} className={classes.tab}>
              {label}
            </Link>
          ))}
      </nav>
      <div className={classes.page}>
        <Outlet />
      </div>
    </>
  );
}
