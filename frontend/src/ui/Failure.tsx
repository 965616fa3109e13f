import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { IconCloudOff, IconFaceIdError, IconLock } from "@tabler/icons-react";
import { isProblem } from "@/api/problem";
import { Empty } from "./Empty";
import classes from "./ui.module.css";

interface FailureProps {
  error: unknown;
  reset?: () => void;
  compact?: boolean;
}

/** A part of the page that could not be had: why, and one way on. */
export function Failure({ error, reset, compact }: FailureProps) {
  const retry = (
    <Button variant={compact ? "default" : "filled"} onClick={() => (reset ? reset() : window.location.reload())}>
      <Trans>Try again</Trans>
    </Button>
  );
  if (isProblem(error) && error.status === 0)
    return (
      <Empty
        compact={compact}
        family="wait"
        icon={IconCloudOff}
        title={<Trans>The server does not answer</Trans>}
        text={<Trans>Nothing is lost. Check the connection, then try again.</Trans>}
        action={retry}
      />
    );
  if (isProblem(error, "forbidden"))
    return (
      <Empty
        compact={compact}
        family="wait"
        icon={IconLock}
        title={<Trans>This needs a role you do not have</Trans>}
        text={<Trans>Ask an administrator of the workspace.</Trans>}
      />
    );
  return (
    <Empty
      compact={compact}
      family="error"
      icon={IconFaceIdError}
      title={<Trans>This could not be loaded</Trans>}
      text={isProblem(error) && error.detail ? error.detail : <Trans>Something failed on our side. Try again.</Trans>}
      action={
        <>
          {retry}
          {isProblem(error) && error.requestId && (
            <p className={classes.failureCode}>
              <Trans>For support: {error.requestId}</Trans>
            </p>
          )}
        </>
      }
    />
  );
}
