import { useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { ReactNode } from "react";
import { isProblem } from "@/api/problem";
import classes from "./toast.module.css";

interface Toast {
  title: ReactNode;
  text?: ReactNode;
  /** Takes back what was done; the toast offers it for ten seconds. */
  undo?: () => void;
  action?: { label: ReactNode; onClick: () => void };
}

/** Says what has happened; reversible things are done at once and offer Undo here. */
export function useToast() {
  const { t } = useLingui();

  const show = ({ title, text, undo, action }: Toast) => {
    const offer = undo ? { label: t`Undo`, onClick: undo } : action;
    const id = notifications.show({
      title,
      withCloseButton: true,
      closeButtonProps: { "aria-label": t`Close` },
      message: (
        <>
          {text}
          {offer && (
            <Button
              size="sm"
              className={classes.action}
              onClick={() => {
                notifications.hide(id);
                offer.onClick();
              }}
            >
              {offer.label}
            </Button>
          )}
        </>
      ),
    });
  };

  /** Says why something was refused. */
  const failed = (error: unknown, title?: ReactNode) => {
    const text =
      isProblem(error) && error.status === 0
        ? t`The server does not answer. Check the connection, then try again.`
        : isProblem(error) && error.detail
          ? error.detail
          : t`Something failed on our side. Try again.`;
    notifications.show({
      title: title ?? t`That did not work`,
      message: text,
      color: "red",
      role: "alert",
      closeButtonProps: { "aria-label": t`Close` },
    });
  };

  return { show, failed };
}
