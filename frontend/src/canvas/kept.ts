import type { FunnelDocument } from "./types";

/** Changes that are not on the server yet, kept on this device: a crash, a closed tab or a dead line loses none. */
export interface Kept {
  key: string;
  funnel: string;
  tab: string;
  /** What the changes started from. */
  revision: number;
  base: FunnelDocument;
  doc: FunnelDocument;
  /** How many there are, for people. */
  changes: number;
  at: number;
}

const name = "lejek";
const table = "kept";

let opened: Promise<IDBDatabase> | undefined;

function database(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const asked = indexedDB.open(name, 1);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore(table, { keyPath: "key" }).createIndex("funnel", "funnel");
    };
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
  return opened;
}

async function act<T>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | undefined> {
  try {
    const db = await database();
    return await new Promise<T>((resolve, reject) => {
      const request = ask(db.transaction(table, mode).objectStore(table));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  } catch {
    // Storage is full, forbidden or gone: the page itself still holds the changes and says so when it is closed.
    return undefined;
  }
}

const tabKey = "lejek.tab";

/**
 * A name for this tab that survives a reload. Its lock is held as long as the page lives, so that another page can tell what
 * a tab that is gone left behind from what a living one is about to send. A duplicated tab gets a name of its own.
 */
const tab: Promise<string> = (async () => {
  const known = sessionStorage.getItem(tabKey) ?? crypto.randomUUID();
  const mine = (await hold(known)) ? known : crypto.randomUUID();
  if (mine !== known) await hold(mine);
  sessionStorage.setItem(tabKey, mine);
  return mine;
})();

function hold(id: string): Promise<boolean> {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    void navigator.locks.request(`${tabKey}.${id}`, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock ? new Promise<void>(() => undefined) : undefined;
    });
  });
}

/** The name of this page among those of one person. */
export const page = crypto.randomUUID();

export async function keep(funnel: string, what: Pick<Kept, "revision" | "base" | "doc" | "changes">): Promise<void> {
  const id = await tab;
  const kept: Kept = { key: `${funnel}/${id}`, funnel, tab: id, at: Date.now(), ...what };
  await act("readwrite", (store) => store.put(kept));
}

export async function forget(funnel: string): Promise<void> {
  const id = await tab;
  await act("readwrite", (store) => store.delete(`${funnel}/${id}`));
}

/** What this tab, or one that is gone, left unsent for a funnel; the newest. It belongs to this tab from now on. */
export async function leftBehind(funnel: string): Promise<Kept | undefined> {
  const id = await tab;
  const all = (await act("readonly", (store) => store.index("funnel").getAll(funnel) as IDBRequest<Kept[]>)) ?? [];
  const alive = new Set<string>();
  if (all.length > 0 && navigator.locks) {
    for (const lock of (await navigator.locks.query()).held ?? []) alive.add(lock.name ?? "");
  }
  const free = all.filter((k) => k.tab === id || !alive.has(`${tabKey}.${k.tab}`)).sort((a, b) => b.at - a.at);
  const found = free[0];
  if (!found || found.tab === id) return found;
  await act("readwrite", (store) => store.put({ ...found, key: `${funnel}/${id}`, tab: id }));
  await act("readwrite", (store) => store.delete(found.key));
  return found;
}
