import { useLingui } from "@lingui/react/macro";
import { SegmentedControl, useMantineColorScheme } from "@mantine/core";
import { IconLogout, IconUserCircle } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { api, ask, enterWorkspace } from "@/api/client";
import { useSession } from "@/api/session";
import { useToast } from "@/ui/toast";
import { LanguageChoice } from "./LanguageChoice";
import classes from "./shell.module.css";

/** What is a person's own: language, theme, account, signing out. */
export function UserPanel({ onDone, wide }: { onDone: () => void; wide?: boolean }) {
  const { t } = useLingui();
  const { user } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();

  const signOut = async () => {
    try {
      await ask(api.DELETE("/session"));
    } catch (error) {
      toast.failed(error);
      return;
    }
    onDone();
    enterWorkspace(null);
    await navigate({ to: "/login" });
    client.clear();
  };

  return (
    <div className={classes.panel} style={wide ? { width: "100%" } : undefined}>
      <div>
        <p className={`${classes.who} cut`}>{user.name || user.email}</p>
        {user.name && <p className="meta cut">{user.email}</p>}
      </div>
      <div className={classes.panelRow}>
        <span>{t`Language`}</span>
        <LanguageChoice keep />
      </div>
      <div className={classes.panelRow}>
        <span>{t`Theme`}</span>
        <SegmentedControl
          fullWidth
          aria-label={t`Theme`}
          value={colorScheme}
          onChange={(value) => setColorScheme(value as typeof colorScheme)}
          data={[
            { value: "auto", label: t`System` },
            { value: "light", label: t`Light` },
            { value: "dark", label: t`Dark` },
          ]}
        />
      </div>
      <div className={classes.panelLinks}>
        <Link to="/settings/account" className={classes.panelLink} onClick={onDone}>
          <IconUserCircle size={16} stroke={1.75} aria-hidden />
          {t`Account`}
        </Link>
        <button type="button" className={classes.panelLink} onClick={signOut}>
          <IconLogout size={16} stroke={1.75} aria-hidden />
          {t`Sign out`}
        </button>
      </div>
    </div>
  );
}
