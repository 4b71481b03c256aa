/** The users of the demo and their permissions. */

import { actorOf, type Context, OBJECT_TYPES } from "../src/auth/mod.ts";
import { resourceOf } from "../src/domain/registry.ts";
import { createObject, createObjects, type Resource } from "../src/resource/mod.ts";
import { contextOf, type SetClock } from "./state.ts";

/** Users by role. */
export type PersonName = "ines" | "marek" | "renewals" | "auditor" | "harbor";

/** Contexts in which they act. */
export type People = Readonly<Record<PersonName, Context>>;

interface Person {
  readonly key: PersonName;
  readonly first_name: string;
  readonly last_name: string;
  readonly group: string;
}

const PEOPLE: readonly Person[] = [
  { key: "ines", first_name: "Ines", last_name: "Okafor", group: "PKI team" },
  { key: "marek", first_name: "Marek", last_name: "Dvorak", group: "PKI team" },
  { key: "renewals", first_name: "Renewal", last_name: "Robot", group: "PKI team" },
  { key: "auditor", first_name: "Ada", last_name: "Lindqvist", group: "Auditors" },
  { key: "harbor", first_name: "Joris", last_name: "van Dam", group: "Harbor Bank operators" },
];

const ALL = ["view", "add", "change", "delete"];
const ACCOUNTS = ["users.user", "users.group", "users.token", "users.objectpermission"];
const INVENTORY = OBJECT_TYPES.filter((type) => !ACCOUNTS.includes(type));
const BANK = { tenant__slug: "harbor-bank" };

/** Permissions of the groups, by name. */
const PERMISSIONS: readonly Readonly<Record<string, unknown>>[] = [
  {
    name: "Inventory: everything",
    description: "Certificates, and all that they refer to",
    object_types: INVENTORY,
    actions: ALL,
    groups: [{ name: "PKI team" }],
  },
  {
    name: "Certificates: import, renew, bulk",
    object_types: ["certmgr.certificate"],
    actions: ["import", "renew", "bulk_operations"],
    groups: [{ name: "PKI team" }],
  },
  {
    name: "Compliance: run policies",
    object_types: ["certmgr.compliancepolicy"],
    actions: ["manage_compliance"],
    groups: [{ name: "PKI team" }],
  },
  {
    name: "Inventory: read",
    description: "Views everything, changes nothing",
    object_types: OBJECT_TYPES,
    actions: ["view"],
    groups: [{ name: "Auditors" }],
  },
  {
    name: "Harbor Bank: certificates",
    description: "The bank manages its own objects",
    object_types: ["certmgr.certificate"],
    actions: [...ALL, "import", "renew", "bulk_operations"],
    constraints: BANK,
    groups: [{ name: "Harbor Bank operators" }],
  },
  {
    name: "Harbor Bank: assignments",
    object_types: ["certmgr.certificateassignment"],
    actions: ALL,
    constraints: { certificate__tenant__slug: "harbor-bank" },
    groups: [{ name: "Harbor Bank operators" }],
  },
  {
    name: "Harbor Bank: requests, devices, machines, services",
    object_types: [
      "certmgr.certificatesigningrequest",
      "dcim.device",
      "virtualization.virtualmachine",
      "ipam.service",
    ],
    actions: ALL,
    constraints: BANK,
    groups: [{ name: "Harbor Bank operators" }],
  },
  {
    name: "Harbor Bank: itself",
    object_types: ["tenancy.tenant"],
    actions: ["view"],
    constraints: { slug: "harbor-bank" },
    groups: [{ name: "Harbor Bank operators" }],
  },
  {
    name: "Authorities, tags and incidents: read",
    object_types: ["certmgr.certificateauthority", "extras.tag", "certmgr.incident"],
    actions: ["view"],
    groups: [{ name: "Harbor Bank operators" }],
  },
];

/** Calendar feeds of the users. */
const FEEDS: Readonly<Partial<Record<PersonName, Readonly<Record<string, unknown>>>>> = {
  ines: { name: "Internet-facing", filter: "tag=internet&status=active", alarm_days: 14 },
  harbor: { name: "Harbor Bank", filter: "status=active", alarm_days: 21 },
};

/** Returns the resource of an existing type. */
export function resource(objectType: string): Resource {
  const found = resourceOf(objectType);
  if (found === undefined) throw new Error(`Object type "${objectType}" has no resource`);
  return found;
}

/** Makes the people with one password for all of them, their groups and their permissions. */
export async function makePeople(
  { ctx, clock, password }: { ctx: Context; clock: SetClock; password: string },
): Promise<People> {
  const groups = [...new Set(PEOPLE.map(({ group }) => group))];
  await createObjects({ ctx, resource: resource("users.group"), input: groups.map((name) => ({ name })) });
  await createObjects({ ctx, resource: resource("users.objectpermission"), input: PERMISSIONS });
  const contexts: [PersonName, Context][] = [];
  for (const { key, group, ...names } of PEOPLE) {
    const user = await createObject({
      ctx,
      resource: resource("users.user"),
      input: {
        username: key,
        password,
        email: `${key}@aldgate.example`,
        ...names,
        groups: [{ name: group }],
      },
    });
    const actor = await actorOf(ctx, user.id as number);
    if (actor === undefined) throw new Error(`User "${key}" was made, but is not active`);
    const own = contextOf(ctx, { actor, clock });
    contexts.push([key, own]);
    const feed = FEEDS[key];
    if (feed !== undefined) {
      await createObject({ ctx: own, resource: resource("certmgr.calendarfeed"), input: feed });
    }
  }
  return Object.fromEntries(contexts) as unknown as People;
}
