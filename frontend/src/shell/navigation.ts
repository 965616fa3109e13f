import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import {
  type Icon,
  IconCalendarTime,
  IconChartBar,
  IconForms,
  IconHome2,
  IconInbox,
  IconMail,
  IconMailbox,
  IconSettings,
  IconSitemap,
  IconSpeakerphone,
  IconUsers,
  IconUsersGroup,
} from "@tabler/icons-react";

export interface Place {
  to:
    | "/"
    | "/funnels"
    | "/campaigns"
    | "/people"
    | "/segments"
    | "/forms"
    | "/bookings"
    | "/inbox"
    | "/outbox"
    | "/messages"
    | "/reports"
    | "/settings";
  icon: Icon;
  label: MessageDescriptor;
  /** Where there is little room. */
  short?: MessageDescriptor;
  permission: string;
}

const home: Place = { to: "/", icon: IconHome2, label: msg`Home`, permission: "workspace.read" };
const funnels: Place = { to: "/funnels", icon: IconSitemap, label: msg`Funnels`, permission: "funnels.read" };
const campaigns: Place = {
  to: "/campaigns",
  icon: IconSpeakerphone,
  label: msg`Campaigns`,
  permission: "campaigns.read",
};
const people: Place = { to: "/people", icon: IconUsers, label: msg`People`, permission: "contacts.read" };
const segments: Place = { to: "/segments", icon: IconUsersGroup, label: msg`Segments`, permission: "contacts.read" };
const forms: Place = { to: "/forms", icon: IconForms, label: msg`Forms`, permission: "forms.read" };
const bookings: Place = {
  to: "/bookings",
  icon: IconCalendarTime,
  label: msg`Bookings`,
  permission: "bookings.read",
};
const inbox: Place = {
  to: "/inbox",
  icon: IconInbox,
  label: msg`Test inbox`,
  short: msg`Inbox`,
  permission: "messages.read",
};
const outbox: Place = { to: "/outbox", icon: IconMailbox, label: msg`Outbox`, permission: "messages.read" };
const messages: Place = { to: "/messages", icon: IconMail, label: msg`Messages`, permission: "messages.read" };
const reports: Place = { to: "/reports", icon: IconChartBar, label: msg`Reports`, permission: "messages.read" };
const settings: Place = { to: "/settings", icon: IconSettings, label: msg`Settings`, permission: "workspace.read" };

/** The places of the rail; what is not built is not here. */
export const places = [home, funnels, campaigns, people, segments, forms, bookings, inbox, outbox, messages, reports];
export const lowerPlaces = [settings];

/** A phone's bar has room for four and a way to the others. */
export const barPlaces = [home, funnels, people, inbox];
export const morePlaces = [campaigns, segments, forms, bookings, outbox, messages, reports, settings];
