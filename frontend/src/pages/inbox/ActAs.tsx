import { useLingui } from "@lingui/react/macro";
import { Button, Menu, Popover, Textarea } from "@mantine/core";
import { IconClick, IconCornerUpLeft, IconEye, IconMailOff, IconMailX } from "@tabler/icons-react";
import { useState } from "react";
import type { MessageDetail } from "@/api/messages";
import { useCan } from "@/api/session";
import classes from "./inbox.module.css";
import { isOwnPage } from "./ownPages";
import { useAct } from "./useAct";

const icon = { size: 16, stroke: 1.75, "aria-hidden": true } as const;

/** Opens, clicks, replies, bounces and unsubscribes in a person's place; the funnel reacts as if they had. */
export function ActAs({ detail }: { detail: MessageDetail }) {
  const { t } = useLingui();
  const can = useCan();
  const { message } = detail;
  const act = useAct(message);
  const [replying, setReplying] = useState(false);
  const [text, setText] = useState("");
  const first = message.contact?.name?.split(" ")[0];
  const links = message.links.filter(({ url }) => !isOwnPage(url));
  const bounced = message.state === "bounced";
  const busy = act.isPending;
  const off = busy || !can("messages.act");

  const click = (
    <Button
      disabled={off || bounced || links.length === 0}
      leftSection={<IconClick {...icon} />}
      onClick={links.length === 1 ? () => act.mutate({ act: "click", url: links[0]?.url }) : undefined}
    >
      {t`Click a link`}
    </Button>
  );

  return (
    <section className={classes.block}>
      <h3>{first ? t`Act as ${first}` : t`Act as this person`}</h3>
      <p className={classes.hint}>
        {can("messages.act") ? t`The funnel reacts as if it had really happened.` : t`Ask a marketer to do it.`}
      </p>
      <div className={classes.acts}>
        <Button
          disabled={off || bounced}
          leftSection={<IconEye {...icon} />}
          onClick={() => act.mutate({ act: "open" })}
        >
          {t`Open`}
        </Button>
        {links.length > 1 ? (
          <Menu position="bottom-end" width={280}>
            <Menu.Target>{click}</Menu.Target>
            <Menu.Dropdown>
              {links.map(({ url, label }) => (
                <Menu.Item key={`${label} ${url}`} onClick={() => act.mutate({ act: "click", url })}>
                  <span className={classes.link}>
                    {label || url}
                    <small className="cut">{url}</small>
                  </span>
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        ) : (
          click
        )}
        <Popover opened={replying} onChange={setReplying} position="bottom-end" width={300} trapFocus>
          <Popover.Target>
            <Button
              disabled={off || bounced}
              leftSection={<IconCornerUpLeft {...icon} />}
              aria-expanded={replying}
              onClick={() => setReplying((was) => !was)}
            >
              {t`Reply`}
            </Button>
          </Popover.Target>
          <Popover.Dropdown>
            <Textarea
              label={t`What they write back`}
              autosize
              minRows={3}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              data-autofocus
            />
            <Button
              mt={12}
              fullWidth
              variant="filled"
              onClick={() => {
                act.mutate({ act: "reply", ...(text.trim() ? { text: text.trim() } : {}) });
                setReplying(false);
                setText("");
              }}
            >
              {t`Send the reply`}
            </Button>
          </Popover.Dropdown>
        </Popover>
        <Button
          disabled={off || bounced}
          leftSection={<IconMailX {...icon} />}
          onClick={() => act.mutate({ act: "bounce" })}
        >
          {t`Bounce`}
        </Button>
        <Button
          className={classes.wide}
          disabled={off || bounced}
          leftSection={<IconMailOff {...icon} />}
          onClick={() => act.mutate({ act: "unsubscribe" })}
        >
          {t({ context: "button", message: "Unsubscribe" })}
        </Button>
      </div>
    </section>
  );
}
