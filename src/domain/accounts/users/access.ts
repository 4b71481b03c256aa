/** Usual access of users: the permissions of each kind, in a group that is created when the first user gets it. */

import { sql } from "drizzle-orm";
import type { z } from "zod";
import { authorize, type Context, OBJECT_TYPES } from "../../../auth/mod.ts";
import { invalid } from "../../../base/errors.ts";
import { finding } from "../../../base/findings.ts";
import type { Reader, Transaction } from "../../../db/mod.ts";
import { tenants as tenantTable } from "../../../db/schema/mod.ts";
import {
  draftsOf,
  linksOf,
  refuse,
  type Resource,
  resourceOfType,
  storeOnly,
  validateDrafts,
  type Values,
  type WriteStep,
} from "../../../resource/mod.ts";
import { ACCESSES, groups } from "../groups/resource.ts";
import type { CONSTRAINTS } from "../permissions/prepare.ts";

/** A permission of an access. */
export interface AccessPermission {
  readonly name: string;
  readonly object_types: string[];
  readonly actions: string[];
  readonly constraints: Constraints;
}

type Constraints = z.infer<typeof CONSTRAINTS>;

export type Access = (typeof ACCESSES)[number];

interface AccessTenant {
  readonly id: number;
  readonly name: string;
}

/** Types of the inventory, without accounts, webhooks, notifications and logs. */
const INVENTORY = OBJECT_TYPES.filter((type) =>
  !/^(users|core)\.|webhook|notification|subscription|feed|savedview/.test(type)
);
/** Types whose objects belong to no tenant, and are referenced by those that do. */
const SHARED = [
  "certmgr.certificateauthority",
  "certmgr.revocationlist",
  "tenancy.contactrole",
  // Their counts and certificates are those that one may view.
  "certmgr.incident",
  "extras.tag",
  "extras.customfield",
  "extras.customfieldchoiceset",
  "dcim.region",
  "dcim.sitegroup",
  "dcim.manufacturer",
  "dcim.devicetype",
  "dcim.devicerole",
  "dcim.platform",
  "virtualization.clustertype",
];
/** Types of which only those of the tenant, and those of no tenant, are shown. */
const COMMON = ["certmgr.compliancepolicy", "dcim.site", "virtualization.cluster"];

/** What is shown of a tenant, and what its managers may do in addition. By its id, because another one can get its slug. */
function partsOf(id: number): readonly {
  readonly title: string;
  readonly types: string[];
  readonly constraints: Constraints;
  readonly managing?: readonly string[];
}[] {
  return [
    {
      title: "inventory",
      types: [
        "certmgr.certificate",
        "certmgr.certificatesigningrequest",
        "certmgr.endpoint",
        "certmgr.scanjob",
        "dcim.device",
        "virtualization.virtualmachine",
        "ipam.service",
      ],
      constraints: { tenant: id },
      managing: ["add", "change", "delete", "import", "renew", "acknowledge", "bulk_operations", "probe"],
    },
    {
      title: "certificate assignments",
      types: ["certmgr.certificateassignment"],
      constraints: { certificate__tenant: id },
      managing: ["add", "change", "delete"],
    },
    {
      title: "contact assignments",
      types: ["tenancy.contactassignment"],
      constraints: { for_tenant: id },
      managing: ["add", "change", "delete"],
    },
    // A contact may be that of another tenant as well, so that managers do not change it.
    { title: "contacts", types: ["tenancy.contact"], constraints: { for_tenant: id }, managing: ["add"] },
    { title: "tenant", types: ["tenancy.tenant"], constraints: { id } },
    { title: "own and common", types: COMMON, constraints: [{ tenant: null }, { tenant: id }] },
    {
      title: "locations",
      types: ["dcim.location"],
      constraints: [{ site__tenant: null }, { site__tenant: id }],
    },
    // Part of a certificate or an endpoint, and hidden with it.
    {
      title: "checks and observations",
      types: ["certmgr.compliancecheck", "certmgr.revocationcheck", "certmgr.observation"],
      constraints: null,
    },
    { title: "shared objects", types: SHARED, constraints: null },
  ];
}

/** Maximum characters of a tenant in the name of a permission. */
const MAX_TENANT_CHARS = 60;

/** Returns the group of an access and its permissions. */
function groupOf(
  access: Exclude<Access, "everything">,
  tenant: AccessTenant | undefined,
): { readonly name: string; readonly permissions: readonly AccessPermission[] } {
  if (tenant === undefined || access === "read_all") {
    const name = "Read the whole inventory";
    return { name, permissions: [{ name, object_types: INVENTORY, actions: ["view"], constraints: null }] };
  }
  const manages = access === "manage_tenant";
  // With the id, because another tenant can get this name, and would share the group.
  const name = `${tenant.name.slice(0, MAX_TENANT_CHARS)} (${tenant.id}): ${
    manages ? "manage" : "read only"
  }`;
  const permissions = partsOf(tenant.id).map(({ title, types, constraints, managing = [] }) => ({
    name: `${name} (${title})`,
    object_types: types,
    actions: ["view", ...(manages ? managing : [])],
    constraints,
  }));
  return { name, permissions };
}

/** Returns whether an access is that to one tenant. */
export function needsTenant(access: Access): boolean {
  return access === "read_tenant" || access === "manage_tenant";
}

/** The group of an access: an existing one has what administrators have made of it. */
interface PlannedAccess {
  readonly id: number | undefined;
  readonly name: string;
  /** Of a group that does not exist yet. */
  readonly permissions: readonly AccessPermission[];
}

/** Returns what an access gives; undefined if its tenant is missing. At most two statements. */
export async function plannedAccess(
  reader: Reader,
  { access, tenantId }: { access: Exclude<Access, "everything">; tenantId: number | undefined },
): Promise<PlannedAccess | undefined> {
  const [tenant] = tenantId === undefined || !needsTenant(access)
    ? []
    : await reader.all<AccessTenant>(sql`SELECT id, name FROM ${tenantTable} WHERE id = ${tenantId}`);
  if (needsTenant(access) && tenant === undefined) return undefined;
  const group = groupOf(access, tenant);
  const [existing] = await reader.all<{ id: number }>(
    sql`SELECT id FROM ${groups.table} WHERE name = ${group.name}`,
  );
  return { id: existing?.id, ...group };
}

/** Adds users to the groups of their access. Two statements and a new group for each access. Errors: forbidden, invalid. */
export async function giveAccess({ ctx, tx, drafts }: WriteStep): Promise<void> {
  const made = new Map<string, number>();
  for (const draft of drafts) {
    const { input } = draft;
    const { access, access_tenant: tenant } = input;
    delete input.access;
    delete input.access_tenant;
    if (!isAccess(access)) {
      if (typeof tenant === "number") refuse(draft, "access", finding("required"));
      continue;
    }
    if (access === "everything") input.is_superuser = true;
    else {
      const planned = await plannedAccess(tx, {
        access,
        tenantId: typeof tenant === "number" ? tenant : undefined,
      });
      if (planned === undefined) {
        refuse(draft, "access_tenant", finding("required"));
        continue;
      }
      const id = made.get(planned.name) ?? planned.id ?? await createGroup(ctx, tx, planned);
      made.set(planned.name, id);
      const given = Array.isArray(input.groups) ? input.groups : linksOf(draft, "groups");
      input.groups = [...new Set([...given, id])];
    }
  }
}

async function createGroup(
  ctx: Context,
  tx: Transaction,
  { name, permissions }: PlannedAccess,
): Promise<number> {
  const create = async (resource: Resource, inputs: readonly Values[]): Promise<number> => {
    const call = { ctx, tx, resource, allowed: authorize(ctx, "add", resource.map) };
    const drafts = await draftsOf(call, inputs.map((input) => ({ input, errors: [], reveal: {} })));
    await validateDrafts(call, drafts);
    const errors = drafts.flatMap((draft) => draft.errors);
    if (errors.length > 0) throw invalid(errors.map((one) => ({ ...one, field: "access" })));
    await storeOnly(call, drafts);
    return drafts[0]?.id ?? 0;
  };
  const id = await create(groups, [{ name }]);
  const permissionResource = resourceOfType("users.objectpermission");
  if (permissionResource === undefined) throw new Error("Permissions are not defined");
  await create(permissionResource, permissions.map((one) => ({ ...one, groups: [id] })));
  return id;
}

export function isAccess(value: unknown): value is Access {
  return ACCESSES.some((one) => one === value);
}
