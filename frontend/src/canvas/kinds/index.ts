import {
  IconBrowser,
  IconCake,
  IconCalendarCheck,
  IconCalendarRepeat,
  IconCash,
  IconClick,
  IconForms,
  IconHandClick,
  IconListCheck,
  IconMailOpened,
  IconPuzzle,
  IconTag,
  IconUserPlus,
  IconUsersGroup,
  IconWebhook,
} from "@tabler/icons-react";
import type { Catalogue } from "../catalogue";
import type { Naming } from "../sentences";
import type { FunnelDocument, Step } from "../types";
import { word } from "../words";
import type { Icon, KindView } from "./define";

const files = import.meta.glob<KindView>(["./*.tsx"], { eager: true, import: "default" });
const views = new Map(Object.values(files).map((v) => [v.kind, v]));

const triggerIcons: Record<string, Icon> = {
  api_event: IconWebhook,
  contact_created: IconUserPlus,
  list_join: IconListCheck,
  tag_added: IconTag,
  manual: IconHandClick,
  form_submit: IconForms,
  page_visit: IconBrowser,
  booking_made: IconCalendarCheck,
  payment_made: IconCash,
  message_opened: IconMailOpened,
  link_clicked: IconClick,
  segment_enter: IconUsersGroup,
  date_field: IconCake,
  schedule: IconCalendarRepeat,
};

/** The icon of a trigger, in the entry's rows and in the list of what can start a funnel. */
export function triggerIcon(kind: string): Icon {
  return triggerIcons[kind] ?? IconPuzzle;
}

/** The look of a kind; one this build has no file for is drawn from the catalogue alone. */
export function viewOfKind(catalogue: Catalogue, kind: string): KindView {
  const spec = catalogue.kind(kind);
  const title = () => word(`kind.${kind}.title`, spec.title);
  return views.get(kind) ?? { kind, icon: IconPuzzle, word: title, ask: title };
}

/** What a card is called: its own name, else what its config says, else the question it asks while not set up. */
export function titleOf(step: Step, catalogue: Catalogue, doc: FunnelDocument): string {
  if (step.name) return step.name;
  const view = viewOfKind(catalogue, step.kind);
  return view.title?.(step, naming(catalogue, doc)) || view.ask();
}

export function summaryOf(step: Step, catalogue: Catalogue, doc: FunnelDocument): string {
  const view = viewOfKind(catalogue, step.kind);
  return view.summary?.(step, naming(catalogue, doc)) ?? "";
}

export function naming(catalogue: Catalogue, doc: FunnelDocument): Naming {
  return {
    catalogue,
    doc,
    step: (id) => {
      const step = doc.graph.nodes.find((n) => n.id === id);
      // A rule that names the step it stands in must not name itself for ever.
      return step
        ? step.name || (catalogue.kind(step.kind).family === "message" ? titleOf(step, catalogue, doc) : id)
        : id;
    },
  };
}
