/** The navigation: pages that the user may view, and the current one. */

import { type Context, isGranted } from "../../auth/mod.ts";
import { memoize } from "../../base/memoize.ts";
import { mayImport } from "../../domain/certificates/import/mod.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import type { Call } from "../call.ts";
import type { Html } from "../kit/components/html.ts";
import { Icon, type IconName } from "../kit/components/icon.tsx";

interface Entry {
  readonly label: string;
  readonly path: string;
  readonly icon: IconName;
  /** Shown only to users who may view this type; by default to all users. */
  readonly type?: string;
}

/** All entries in their order. */
const GROUPS: readonly {
  readonly title: string;
  readonly entries: readonly Entry[];
  /** The icon of entries that are rarely needed: they are collapsed unless one of them is the current page. */
  readonly foldedUnder?: IconName;
}[] = [
  {
    title: "",
    entries: [
      { label: "Dashboard", path: "/", icon: "dashboard" },
      { label: "Saved views", path: "/saved-views/", icon: "view", type: "certmgr.savedview" },
    ],
  },
  {
    title: "Inventory",
    entries: [
      { label: "Certificates", path: "/certificates/", icon: "certificate", type: "certmgr.certificate" },
      { label: "Endpoints", path: "/endpoints/", icon: "endpoint", type: "certmgr.endpoint" },
      {
        label: "Authorities",
        path: "/authorities/",
        icon: "authority",
        type: "certmgr.certificateauthority",
      },
      { label: "Assignments", path: "/assignments/", icon: "link", type: "certmgr.certificateassignment" },
      {
        label: "Signing requests",
        path: "/csrs/",
        icon: "request",
        type: "certmgr.certificatesigningrequest",
      },
      { label: "Scan jobs", path: "/scan-jobs/", icon: "radar", type: "certmgr.scanjob" },
    ],
  },
  {
    title: "Compliance",
    entries: [
      { label: "Report", path: "/compliance/", icon: "report", type: "certmgr.compliancecheck" },
      { label: "Policies", path: "/policies/", icon: "policy", type: "certmgr.compliancepolicy" },
      { label: "Checks", path: "/checks/", icon: "check", type: "certmgr.compliancecheck" },
    ],
  },
  {
    title: "Organization",
    entries: [
      { label: "Tenants", path: "/tenants/", icon: "tenant", type: "tenancy.tenant" },
      { label: "Contacts", path: "/contacts/", icon: "user", type: "tenancy.contact" },
      { label: "Tags", path: "/tags/", icon: "tag", type: "extras.tag" },
      { label: "Devices", path: "/devices/", icon: "device", type: "dcim.device" },
      {
        label: "Virtual machines",
        path: "/virtual-machines/",
        icon: "machine",
        type: "virtualization.virtualmachine",
      },
      { label: "Services", path: "/services/", icon: "service", type: "ipam.service" },
    ],
  },
  {
    title: "Notifications",
    entries: [
      { label: "Subscriptions", path: "/subscriptions/", icon: "bell", type: "certmgr.subscription" },
      {
        label: "Channels",
        path: "/notification-channels/",
        icon: "channel",
        type: "certmgr.notificationchannel",
      },
      { label: "Calendar feeds", path: "/calendar-feeds/", icon: "calendar", type: "certmgr.calendarfeed" },
    ],
  },
  {
    title: "Contact setup",
    foldedUnder: "group",
    entries: [
      { label: "Contact groups", path: "/contact-groups/", icon: "group", type: "tenancy.contactgroup" },
      { label: "Contact roles", path: "/contact-roles/", icon: "key", type: "tenancy.contactrole" },
      {
        label: "Contact assignments",
        path: "/contact-assignments/",
        icon: "link",
        type: "tenancy.contactassignment",
      },
    ],
  },
  {
    title: "Sites and hardware",
    foldedUnder: "hardware",
    entries: [
      { label: "Tenant groups", path: "/tenant-groups/", icon: "tenant", type: "tenancy.tenantgroup" },
      { label: "Sites", path: "/sites/", icon: "site", type: "dcim.site" },
      { label: "Locations", path: "/locations/", icon: "site", type: "dcim.location" },
      { label: "Regions", path: "/regions/", icon: "site", type: "dcim.region" },
      { label: "Site groups", path: "/site-groups/", icon: "site", type: "dcim.sitegroup" },
      { label: "Manufacturers", path: "/manufacturers/", icon: "hardware", type: "dcim.manufacturer" },
      { label: "Device types", path: "/device-types/", icon: "hardware", type: "dcim.devicetype" },
      { label: "Device roles", path: "/device-roles/", icon: "tag", type: "dcim.devicerole" },
      { label: "Platforms", path: "/platforms/", icon: "hardware", type: "dcim.platform" },
      { label: "Clusters", path: "/clusters/", icon: "machine", type: "virtualization.cluster" },
      {
        label: "Cluster types",
        path: "/cluster-types/",
        icon: "machine",
        type: "virtualization.clustertype",
      },
    ],
  },
  {
    title: "Administration",
    foldedUnder: "settings",
    entries: [
      { label: "Custom fields", path: "/custom-fields/", icon: "field", type: "extras.customfield" },
      {
        label: "Choice sets",
        path: "/custom-field-choice-sets/",
        icon: "choices",
        type: "extras.customfieldchoiceset",
      },
      { label: "Webhooks", path: "/webhooks/", icon: "webhook", type: "extras.webhook" },
      {
        label: "Webhook deliveries",
        path: "/webhook-deliveries/",
        icon: "delivery",
        type: "extras.webhookdelivery",
      },
      {
        label: "Notification deliveries",
        path: "/notification-deliveries/",
        icon: "delivery",
        type: "certmgr.notificationdelivery",
      },
      { label: "Users", path: "/users/", icon: "user", type: "users.user" },
      { label: "Groups", path: "/groups/", icon: "group", type: "users.group" },
      { label: "Permissions", path: "/permissions/", icon: "key", type: "users.objectpermission" },
      { label: "Change log", path: "/changes/", icon: "log", type: "core.objectchange" },
      { label: "Audit log", path: "/audit-events/", icon: "log", type: "core.auditevent" },
    ],
  },
];

/** Actions that the search offers by name, in addition to pages, and who may perform them. */
const ACTIONS: readonly (Entry & { readonly may: (ctx: Context) => boolean })[] = [
  { label: "Add or import certificates", path: "/certificates/add/", icon: "upload", may: mayImport },
  {
    label: "Enter a certificate manually",
    path: "/certificates/enter/",
    icon: "edit",
    may: (ctx) => isGranted(ctx, "add", certificates.objectType),
  },
  { label: "Profile, password and tokens", path: "/profile/", icon: "user", may: () => true },
];

/** Returns pages and actions that the user may open. */
export function entriesFor({ ctx }: Call): readonly (Entry & { readonly action?: boolean })[] {
  const pages = GROUPS.flatMap(({ entries }) => entries)
    .filter(({ type }) => type === undefined || isGranted(ctx, "view", type));
  return [...pages, ...ACTIONS.filter(({ may }) => may(ctx)).map((entry) => ({ ...entry, action: true }))];
}

/** Renders the navigation next to every page; on a phone, a button opens it without a script. */
export function Navigation({ call }: { call: Call }): Html {
  const { pathname } = call.url;
  return (
    <nav id="menu" class="menu" popover="auto" aria-label="Main">
      {GROUPS.map(({ title, entries, foldedUnder: icon }) => {
        const seen = entries.filter(({ type }) => type === undefined || isGranted(call.ctx, "view", type));
        if (seen.length === 0) return null;
        const list = Entries({ entries: seen, pathname });
        return icon === undefined
          ? (
            <section>
              {title === "" ? null : <h2>{title}</h2>}
              {list}
            </section>
          )
          : (
            <details open={seen.some(({ path }) => currentOf(path, pathname) !== undefined)}>
              <summary title={title}>
                <Icon name={icon} />
                <span>{title}</span>
              </summary>
              {list}
            </details>
          );
      })}
    </nav>
  );
}

function Entries({ entries, pathname }: { entries: readonly Entry[]; pathname: string }): Html {
  return (
    <ul>
      {entries.map((entry) => {
        const current = currentOf(entry.path, pathname);
        return current === undefined ? otherEntry(entry) : EntryLink({ entry, current });
      })}
    </ul>
  );
}

/** Renders the link to another page, once: most links of each page are of this kind. */
const otherEntry = memoize((entry: Entry): Html => EntryLink({ entry }));

function EntryLink({ entry: { label, path, icon }, current }: { entry: Entry; current?: string }): Html {
  return (
    <li>
      <a href={path} aria-current={current} title={label}>
        {Icon({ name: icon })}
        <span>{label}</span>
      </a>
    </li>
  );
}

function currentOf(path: string, pathname: string): "page" | "true" | undefined {
  if (path === pathname) return "page";
  return path !== "/" && pathname.startsWith(path) ? "true" : undefined;
}
