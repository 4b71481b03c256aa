/** The navigation: what the user may view, and the current page. */

import { isGranted } from "../../auth/mod.ts";
import type { Call } from "../call.ts";
import type { Html } from "../components/html.ts";
import { Icon, type IconName } from "../components/icon.tsx";

interface Entry {
  readonly label: string;
  readonly path: string;
  readonly icon: IconName;
  /** Seen by those who may view this type; by everybody where there is none. */
  readonly type?: string;
}

/** Everything, in the order in which it is shown. */
const GROUPS: readonly { readonly title: string; readonly entries: readonly Entry[] }[] = [
  {
    title: "",
    entries: [{ label: "Dashboard", path: "/", icon: "dashboard" }],
  },
  {
    title: "Inventory",
    entries: [
      { label: "Certificates", path: "/certificates/", icon: "certificate", type: "certmgr.certificate" },
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
      { label: "Calendar feeds", path: "/calendar-feeds/", icon: "calendar", type: "certmgr.calendarfeed" },
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
    title: "Organisation",
    entries: [
      { label: "Tenants", path: "/tenants/", icon: "tenant", type: "tenancy.tenant" },
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
    title: "Administration",
    entries: [
      { label: "Webhooks", path: "/webhooks/", icon: "webhook", type: "extras.webhook" },
      { label: "Deliveries", path: "/webhook-deliveries/", icon: "delivery", type: "extras.webhookdelivery" },
      { label: "Users", path: "/users/", icon: "user", type: "users.user" },
      { label: "Groups", path: "/groups/", icon: "group", type: "users.group" },
      { label: "Permissions", path: "/permissions/", icon: "key", type: "users.objectpermission" },
      { label: "Change log", path: "/changes/", icon: "log", type: "core.objectchange" },
    ],
  },
];

/** The navigation next to every page; on a phone behind a button, which needs no script. */
export function Navigation({ call }: { call: Call }): Html {
  const { pathname } = call.url;
  return (
    <nav id="menu" class="menu" popover="auto" aria-label="Main">
      {GROUPS.map(({ title, entries }) => {
        const seen = entries.filter(({ type }) => type === undefined || isGranted(call.ctx, "view", type));
        return seen.length === 0 ? null : (
          <section>
            {title === "" ? null : <h2>{title}</h2>}
            <ul>
              {seen.map((entry) => (
                <li>
                  <a href={entry.path} aria-current={currentOf(entry.path, pathname)}>
                    <Icon name={entry.icon} />
                    {entry.label}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </nav>
  );
}

function currentOf(path: string, pathname: string): "page" | "true" | undefined {
  if (path === pathname) return "page";
  return path !== "/" && pathname.startsWith(path) ? "true" : undefined;
}
