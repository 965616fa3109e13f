import { useLingui } from "@lingui/react/macro";
import { useSession } from "@/api/session";
import { PageHeader } from "@/shell/PageHeader";
import { useFormat } from "@/ui/format";
import { FirstSteps } from "./FirstSteps";
import classes from "./home.module.css";
import { LiveFunnels } from "./LiveFunnels";
import { NeedsYou } from "./NeedsYou";
import { Planned } from "./Planned";
import { Sentence } from "./Sentence";
import { Today } from "./Today";

/** The sentence box first, then what is running and what to do next. */
export function Home() {
  const { t } = useLingui();
  const format = useFormat();
  const { workspace } = useSession();
  const city = workspace?.zone.split("/").at(-1)?.replaceAll("_", " ");
  return (
    <>
      <PageHeader
        plain
        title={
          <span className={classes.now}>
            {city ? t`${format.moment(new Date())} (${city} time)` : format.moment(new Date())}
          </span>
        }
      />
      <div className={classes.home}>
        <Sentence />
        <div className={classes.column}>
          <NeedsYou />
          <LiveFunnels />
        </div>
        <div className={classes.column}>
          <Today />
          <Planned />
          <FirstSteps />
        </div>
      </div>
    </>
  );
}
