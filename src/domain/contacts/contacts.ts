/** Contacts: people and teams, the groups that contain them, and their roles. */

import { type SQL, sql } from "drizzle-orm";
import { concerns, finding } from "../../base/findings.ts";
import { andAll, type ObjectRow } from "../../db/mod.ts";
import { contact_groups, contact_roles, contacts as table } from "../../db/schema/mod.ts";
import type { ViewRestriction } from "../../filters/mod.ts";
import {
  aliasOf,
  type Brief,
  columnOf,
  customFieldsField,
  defineResource,
  type Draft,
  type Field,
  keepHiddenLinks,
  many,
  refuse,
  text,
  type Values,
} from "../../resource/mod.ts";
import {
  commentsField,
  emailField,
  namedResource,
  nestedResource,
  tagsField,
  webAddress,
} from "../inventory/mod.ts";

/** `tenancy.contactrole`. The role with the slug `owner` takes precedence when an owner is determined. */
export const contactRoles = namedResource({
  objectType: "tenancy.contactrole",
  path: "tenancy/contact-roles",
  label: "contact role",
  table: contact_roles,
  about: "What such a contact is responsible for.",
});

/** `tenancy.contactgroup`; names are unique among the groups of one parent. */
export const contactGroups = nestedResource({
  objectType: "tenancy.contactgroup",
  path: "tenancy/contact-groups",
  label: "contact group",
  table: contact_groups,
  about: "What it is for.",
  unique: [
    {
      columns: ["name", "parent_id"],
      nullsEqual: true,
      field: "__all__",
      finding: finding("not_unique", { object: "Contact group", fields: "Name and Parent" }),
    },
    "slug",
  ],
});

const OBJECT_TYPE = "tenancy.contact";

const KEYS = ["slug", "name"];
const MAX_GROUPS = 100;

const groupsField = many("groups", {
  description: "The groups it belongs to, by id, slug or name.",
  target: () => contactGroups,
  keys: KEYS,
  link: { table: "contact_group_members", own: "contact_id", other: "contact_group_id" },
  filterName: "group",
  max: MAX_GROUPS,
});

export const contacts = defineResource({
  objectType: OBJECT_TYPE,
  path: "tenancy/contacts",
  label: "contact",
  table,
  fields: [
    text("name", { description: "Name of the person or team.", required: true, max: 100 }),
    groupsField,
    firstGroup(),
    text("title", { description: "Position or job title.", max: 100 }),
    text("phone", { description: "Telephone number.", max: 50 }),
    emailField("email", "E-mail address."),
    text("address", { description: "Postal address." }),
    webAddress("link", "Web page, such as that of an on-call schedule."),
    text("description", { description: "What it is responsible for." }),
    commentsField(),
    tagsField(OBJECT_TYPE),
    customFieldsField(OBJECT_TYPE),
  ],
  brief: ["name", "email", "description"],
  search: { fields: ["name", "title", "phone", "email", "description"] },
  filters: {
    for_tenant: {
      kind: "predicate",
      type: "integer",
      description: "Assigned to the tenant with this id or to an object of it, or to nothing",
      condition: (id: number, { alias, shown }) => {
        const a = `${alias}_assignment`;
        const own = sql`SELECT 1 FROM contact_assignments AS ${sql.identifier(a)} WHERE ${
          andAll(
            sql`${columnOf(a, "contact_id")} = ${columnOf(alias, "id")}`,
            shown("tenancy.contactassignment", a),
          )
        }`;
        return sql`(NOT EXISTS (${own}) OR EXISTS (${own} AND ${isForTenant(a, id, shown)}))`;
      },
    },
  },
  hooks: {
    prepare: async ({ ctx, tx, drafts }) => {
      const taken = drafts.filter(takeGroup);
      await keepHiddenLinks({ ctx, reader: tx, drafts: taken }, { field: "groups", target: contactGroups });
    },
  },
});

/**
 * Returns the field `group`, which clients from before NetBox 4.3 still read and write, when a contact had
 * only one group.
 */
function firstGroup(): Field<"group", Brief | null> {
  return aliasOf("group", {
    description: "The first of its groups, as before NetBox 4.3; may be sent instead of `groups`.",
    target: contactGroups,
    keys: KEYS,
    needs: ["groups"],
    of: groupsField,
    read: (read) => (row, ctx) => [read(row, ctx)].flat()[0] ?? null,
  });
}

/** Sets the groups from `group` if a body has only that field. Returns whether it does. */
function takeGroup(draft: Draft<ObjectRow, Values & { group?: number | null; groups?: number[] }>): boolean {
  const { input, before } = draft;
  const { group, groups } = input;
  delete input.group;
  if (group === undefined || concerns(draft.errors, "group")) return false;
  // The input of a new object has the default of `groups`.
  if (groups === undefined || (before === undefined && groups.length === 0)) {
    input.groups = group === null ? [] : [group];
    return true;
  }
  // An object that is sent back unchanged has both fields, which then agree.
  if (group !== null && !groups.includes(group)) {
    refuse(draft, "group", finding("group_contradicts"));
  }
  return false;
}

/** Objects to which certificates are assigned, with their tables. */
export const TARGETS = [
  { type: "dcim.device", table: "devices" },
  { type: "virtualization.virtualmachine", table: "virtual_machines" },
  { type: "ipam.service", table: "services" },
] as const;

/**
 * Returns the condition that owners and constraints follow an assignment: someone made it, or the object belongs to the
 * certificate's tenant. Otherwise an endpoint could make the certificates of others one's own.
 */
export function isFollowed(used: string): SQL {
  const targets = TARGETS.map(({ type, table }) =>
    sql`WHEN ${type} THEN (SELECT tenant_id FROM ${sql.identifier(table)} WHERE id = ${
      columnOf(used, "assigned_object_id")
    })`
  );
  return sql`(${columnOf(used, "automatic")} = 0 OR (SELECT tenant_id FROM certificates WHERE id = ${
    columnOf(used, "certificate_id")
  }) IS CASE ${columnOf(used, "assigned_object_type")} ${sql.join(targets, sql` `)} END)`;
}

/**
 * Returns the condition that the object of a contact's assignment is the tenant or belongs to it, and that `shown` hides
 * neither.
 */
export function isForTenant(assignment: string, id: number, shown: ViewRestriction): SQL {
  const [object, tenant] = [`${assignment}_object`, `${assignment}_tenant`];
  const found = (type: string, table: string, own: SQL): SQL =>
    sql`WHEN ${type} THEN EXISTS (SELECT 1 FROM ${sql.identifier(table)} AS ${sql.identifier(object)} WHERE ${
      andAll(sql`${columnOf(object, "id")} = ${columnOf(assignment, "object_id")}`, own, shown(type, object))
    })`;
  const cases = [...TARGETS, { type: "certmgr.certificate", table: "certificates" }].map(({ type, table }) =>
    found(type, table, sql`${columnOf(object, "tenant_id")} = ${id}`)
  );
  const itself = found("tenancy.tenant", "tenants", sql`${columnOf(object, "id")} = ${id}`);
  const matched = sql`CASE ${columnOf(assignment, "object_type")} ${
    sql.join([itself, ...cases], sql` `)
  } ELSE 0 END`;
  // A hidden tenant has no contacts. Next to the cases, because SQLite limits how deeply a statement is nested.
  const seen = shown("tenancy.tenant", tenant);
  return seen === undefined
    ? matched
    : sql`(${matched} AND EXISTS (SELECT 1 FROM tenants AS ${sql.identifier(tenant)} WHERE ${
      columnOf(tenant, "id")
    } = ${id} AND ${seen}))`;
}
