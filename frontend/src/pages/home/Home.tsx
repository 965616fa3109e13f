import { Trans } from "@lingui/react/macro";

export function Home() {
  return (
    <h1>
      <Trans>What should happen when someone…?</Trans>
    </h1>
  );
}
