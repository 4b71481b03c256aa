/** The places of the menu, and the pages of each, which are tabs on these pages. */

import type { IconName } from "./kit/components/mod.ts";

/** A page of a place: by default the list of its type. Types without an icon have no page of their own. */
export interface Member {
  /** The type that users have to view. */
  readonly type: string;
  readonly icon?: IconName;
  /** Default: the title of the list. */
  readonly label?: string;
  readonly path?: string;
  /** The tab, if several pages share one. */
  readonly tab?: string;
}

const lists = (icon: IconName, ...types: readonly string[]): Member[] =>
  types.map((type) => ({ type, icon }));

/** In the order of the menu, and of choices of types. */
export const PLACES: readonly {
  readonly title: string;
  readonly icon: IconName;
  readonly members: readonly Member[];
}[] = [
  {
    title: "Work",
    icon: "renew",
    members: [
      {
        type: "certmgr.certificate",
        icon: "renew",
        label: "To renew",
        path: "/certificates/?expiry_status=expired&expiry_status=critical&expiry_status=warning",
      },
      ...lists("request", "certmgr.certificatesigningrequest"),
      {
        type: "certmgr.endpoint",
        icon: "endpoint",
        label: "Still served",
        path: "/endpoints/?certificate__status=replaced",
      },
      ...lists("warning", "certmgr.incident"),
      { type: "certmgr.certificate", icon: "calendar", label: "Forecast", path: "/forecast/" },
    ],
  },
  {
    title: "Certificates",
    icon: "certificate",
    members: [
      ...lists("certificate", "certmgr.certificate"),
      ...lists("link", "certmgr.certificateassignment"),
    ],
  },
  {
    title: "Endpoints",
    icon: "endpoint",
    members: [
      ...lists("endpoint", "certmgr.endpoint"),
      { type: "certmgr.endpoint", icon: "certificate", label: "By certificate", path: "/endpoints/map/" },
      ...lists("radar", "certmgr.scanjob", "certmgr.observation"),
    ],
  },
  {
    title: "Authorities",
    icon: "authority",
    members: [
      ...lists("authority", "certmgr.certificateauthority"),
      { type: "certmgr.revocationlist" },
      { type: "certmgr.revocationcheck" },
    ],
  },
  {
    title: "Compliance",
    icon: "report",
    members: [
      { type: "certmgr.compliancecheck", icon: "report", label: "Report", path: "/compliance/" },
      ...lists("policy", "certmgr.compliancepolicy"),
      ...lists("check", "certmgr.compliancecheck"),
    ],
  },
  {
    title: "Owners",
    icon: "tenant",
    members: [
      ...lists("tenant", "tenancy.tenant", "tenancy.tenantgroup"),
      ...lists("user", "tenancy.contact"),
      ...lists("group", "tenancy.contactgroup"),
      ...lists("key", "tenancy.contactrole"),
      ...lists("link", "tenancy.contactassignment"),
    ],
  },
  {
    title: "Systems",
    icon: "device",
    members: [
      ...lists("device", "dcim.device"),
      ...lists("machine", "virtualization.virtualmachine"),
      ...lists("service", "ipam.service"),
      ...lists("site", "dcim.site", "dcim.location", "dcim.region", "dcim.sitegroup"),
      ...lists("hardware", "dcim.manufacturer", "dcim.devicetype", "dcim.devicerole", "dcim.platform"),
      ...lists("machine", "virtualization.cluster", "virtualization.clustertype"),
    ],
  },
  {
    title: "Notifications",
    icon: "bell",
    members: [
      ...lists("bell", "certmgr.subscription"),
      { type: "certmgr.notificationchannel", icon: "channel", label: "Channels" },
      ...lists("calendar", "certmgr.calendarfeed"),
      ...lists("webhook", "extras.webhook"),
      { type: "certmgr.notificationdelivery", icon: "delivery", tab: "Delivery log" },
      { type: "extras.webhookdelivery", icon: "delivery", tab: "Delivery log" },
    ],
  },
  {
    title: "Settings",
    icon: "settings",
    members: [
      ...lists("user", "users.user"),
      ...lists("group", "users.group"),
      ...lists("key", "users.objectpermission"),
      ...lists("field", "extras.customfield"),
      { type: "extras.customfieldchoiceset", icon: "choices", label: "Choice sets" },
      ...lists("tag", "extras.tag"),
      ...lists("view", "certmgr.savedview"),
      ...lists("log", "core.objectchange", "core.auditevent"),
      { type: "users.token" },
    ],
  },
];
