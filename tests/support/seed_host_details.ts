/** Seeded sites, types, roles and other details of hosts, as bodies of create requests by a name for each row. */

/** A body of a create request. */
type Body = Readonly<Record<string, unknown>>;

export const TENANT_GROUPS = {
  seen: { name: "Customers", slug: "customers" },
  hidden: { name: "Suppliers", slug: "suppliers" },
  idle: { name: "Closed", slug: "closed" },
} satisfies Record<string, Body>;

export const REGIONS = {
  seen: { name: "Europe", slug: "europe" },
  hidden: { name: "Asia", slug: "asia" },
  idle: { name: "Antarctica", slug: "antarctica" },
} satisfies Record<string, Body>;

export const SITE_GROUPS = {
  seen: { name: "Data centres", slug: "data-centres" },
  hidden: { name: "Offices", slug: "offices" },
  idle: { name: "Depots", slug: "depots" },
} satisfies Record<string, Body>;

export const SITES = {
  seen: { name: "Zurich 1", slug: "zurich-1", region: { slug: "europe" }, group: { slug: "data-centres" } },
  hidden: { name: "Oslo 2", slug: "oslo-2" },
  idle: { name: "Rome 3", slug: "rome-3" },
} satisfies Record<string, Body>;

export const LOCATIONS = {
  seen: { name: "Room A", slug: "room-a", site: { slug: "zurich-1" } },
  hidden: { name: "Room B", slug: "room-b", site: { slug: "zurich-1" } },
  idle: { name: "Cellar", slug: "cellar", site: { slug: "zurich-1" } },
} satisfies Record<string, Body>;

export const MANUFACTURERS = {
  seen: { name: "Acme Metal", slug: "acme-metal" },
  hidden: { name: "Globex Devices", slug: "globex-devices" },
  idle: { name: "Initech", slug: "initech" },
} satisfies Record<string, Body>;

export const DEVICE_TYPES = {
  seen: { manufacturer: { slug: "acme-metal" }, model: "AM 1000", slug: "am-1000" },
  hidden: { manufacturer: 1, model: "AM 2000", slug: "am-2000" },
  idle: { manufacturer: 1, model: "AM 1", slug: "am-1" },
} satisfies Record<string, Body>;

export const DEVICE_ROLES = {
  seen: { name: "Load balancer", slug: "load-balancer" },
  hidden: { name: "Web server", slug: "web-server" },
  idle: { name: "Printer", slug: "printer" },
} satisfies Record<string, Body>;

export const PLATFORMS = {
  seen: { name: "Debian 13", slug: "debian-13" },
  hidden: { name: "Windows", slug: "windows" },
  idle: { name: "BeOS", slug: "beos" },
} satisfies Record<string, Body>;

export const CLUSTER_TYPES = {
  seen: { name: "KVM", slug: "kvm" },
  hidden: { name: "VMware", slug: "vmware" },
  idle: { name: "Xen", slug: "xen" },
} satisfies Record<string, Body>;

export const CLUSTERS = {
  seen: { name: "zrh-kvm-1", type: { slug: "kvm" }, status: "active" },
  hidden: { name: "osl-kvm-1", type: { slug: "kvm" } },
  idle: { name: "old-kvm", type: 1, status: "decommissioning" },
} satisfies Record<string, Body>;

/** Rows and their resources, in the order of their creation. */
export const HOST_DETAILS = [
  ["tenancy.tenantgroup", TENANT_GROUPS],
  ["dcim.region", REGIONS],
  ["dcim.sitegroup", SITE_GROUPS],
  ["dcim.site", SITES],
  ["dcim.location", LOCATIONS],
  ["dcim.manufacturer", MANUFACTURERS],
  ["dcim.devicetype", DEVICE_TYPES],
  ["dcim.devicerole", DEVICE_ROLES],
  ["dcim.platform", PLATFORMS],
  ["virtualization.clustertype", CLUSTER_TYPES],
  ["virtualization.cluster", CLUSTERS],
] as const;
