import { useLingui } from "@lingui/react/macro";
import { Autocomplete } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import {
  addTag,
  type Contact,
  contactQuery,
  joinList,
  leaveList,
  listsQuery,
  removeTag,
  tagSlug,
  tagsQuery,
} from "@/api/people";
import { useCan } from "@/api/session";
import { Panel } from "@/ui/Panel";
import { useToast } from "@/ui/toast";
import classes from "./person.module.css";

interface Named {
  slug: string;
  name: string;
}

export function TagsPanel({ person }: { person: Contact }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const toast = useToast();
  const tags = useQuery(tagsQuery).data ?? [];
  const lists = useQuery(listsQuery).data ?? [];

  const attempt = async (change: () => Promise<Contact>, said?: { title: string; undo: () => void }) => {
    try {
      client.setQueryData(contactQuery(person.id).queryKey, await change());
      for (const key of ["people", "tags", "lists"]) client.invalidateQueries({ queryKey: [key] });
      client.invalidateQueries({ queryKey: ["contact", person.id] });
      if (said) toast.show(said);
    } catch (error) {
      toast.failed(error);
    }
  };
  const nameOf = (named: Named[], slug: string) => named.find((entry) => entry.slug === slug)?.name ?? slug;

  return (
    <Panel title={t`Tags and lists`}>
      <Group
        title={t`Tags`}
        addLabel={t`Add a tag`}
        here={person.tags}
        known={tags}
        free
        onAdd={(name) => attempt(async () => addTag(person.id, await tagSlug(name, tags)))}
        onRemove={(slug) =>
          attempt(() => removeTag(person.id, slug), {
            title: t`Tag “${nameOf(tags, slug)}” is off`,
            undo: () => attempt(() => addTag(person.id, slug)),
          })
        }
      />
      {(lists.length > 0 || person.lists.length > 0) && (
        <Group
          title={t`Lists`}
          addLabel={t`Add to a list`}
          here={person.lists}
          known={lists}
          onAdd={(slug) => attempt(() => joinList(person.id, slug))}
          onRemove={(slug) =>
            attempt(() => leaveList(person.id, slug), {
              title: t`Not on “${nameOf(lists, slug)}” any more`,
              undo: () => attempt(() => joinList(person.id, slug)),
            })
          }
        />
      )}
    </Panel>
  );
}

interface GroupProps {
  title: ReactNode;
  addLabel: string;
  here: string[];
  known: Named[];
  /** A word nobody used before makes a new one. */
  free?: boolean;
  /** A slug, or with free a name nobody used before. */
  onAdd: (word: string) => void;
  onRemove: (slug: string) => void;
}

function Group({ title, addLabel, here, known, free, onAdd, onRemove }: GroupProps) {
  const { t } = useLingui();
  const can = useCan();
  const write = can("contacts.write");
  const [word, setWord] = useState("");
  const choices = known.filter(({ slug }) => !here.includes(slug));

  const add = (typed: string) => {
    const text = typed.trim();
    if (!text) return;
    const found = known.find(({ name, slug }) => name.toLowerCase() === text.toLowerCase() || slug === text);
    if (!found && !free) return;
    onAdd(found?.slug ?? text);
    setWord("");
  };
  return (
    <div className={classes.group}>
      <h3 className={classes.groupName}>{title}</h3>
      <div className={classes.tags}>
        {here.map((slug) => {
          const name = known.find((entry) => entry.slug === slug)?.name ?? slug;
          return (
            <span key={slug} className={classes.tag}>
              {name}
              {write && (
                <button type="button" aria-label={t`Remove ${name}`} onClick={() => onRemove(slug)}>
                  <IconX size={12} stroke={2} aria-hidden />
                </button>
              )}
            </span>
          );
        })}
        {write && (
          <Autocomplete
            className={classes.addTag}
            size="sm"
            aria-label={addLabel}
            placeholder={addLabel}
            data={choices.map(({ name }) => name)}
            value={word}
            onChange={setWord}
            onOptionSubmit={(name) => {
              add(name);
              // The chosen word is written into the field after this; the field is to be empty again.
              queueMicrotask(() => setWord(""));
            }}
            onKeyDown={(event) => {
              if (event.key === "Enter" && !event.nativeEvent.isComposing) add(word);
            }}
          />
        )}
      </div>
    </div>
  );
}
