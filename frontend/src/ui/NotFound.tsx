import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { IconMap2 } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { Empty } from "./Empty";

export function NotFound() {
  return (
    <Empty
      icon={IconMap2}
      title={<Trans>There is no page here</Trans>}
      text={<Trans>The link may be old, or what it led to was erased.</Trans>}
      action={
        <Button variant="filled" renderRoot={(props) => <Link to="/" {...props} />}>
          <Trans>Go to Home</Trans>
        </Button>
      }
    />
  );
}
