import { useEffect, useEffectEvent, useState } from "react";
import { currentWorkspace } from "./client";

/**
 * Listens to a server-sent stream of the workspace while the component is there. The browser reconnects by itself;
 * onOpen also runs then, so that what was missed can be asked for.
 */
export function useStream<Item>(
  path: string,
  name: string,
  onItem: (item: Item) => void,
  onOpen?: () => void,
): boolean {
  const [live, setLive] = useState(false);
  const receive = useEffectEvent((event: MessageEvent<string>) => onItem(JSON.parse(event.data) as Item));
  const opened = useEffectEvent(() => onOpen?.());
  useEffect(() => {
    if (typeof EventSource === "undefined") return;
    const source = new EventSource(`/api/v1${path}?workspace=${encodeURIComponent(currentWorkspace() ?? "")}`, {
      withCredentials: true,
    });
    source.addEventListener(name, (event) => receive(event));
    source.onopen = () => {
      setLive(true);
      opened();
    };
    source.onerror = () => setLive(false);
    return () => source.close();
  }, [path, name]);
  return live;
}
