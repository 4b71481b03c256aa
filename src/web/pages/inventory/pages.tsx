/** Pages of objects made from definitions; those that certificates belong to list and count them. */

import { isGranted } from "../../../auth/mod.ts";
import { authorities } from "../../../domain/authorities/mod.ts";
import { certificates, countByObject } from "../../../domain/certificates/mod.ts";
import { type ContactAssignment, contactAssignments } from "../../../domain/contact_assignments/mod.ts";
import { tenants } from "../../../domain/inventory/mod.ts";
import { auditEvents } from "../../../domain/system/audit_events/resource.ts";
import { logExport, logList } from "../changes/log_export.tsx";
import type { Out } from "../../../resource/mod.ts";
import type { Call, Route } from "../../call.ts";
import { CountLink, type Html, Icon, ListSection } from "../../kit/components/mod.ts";
import {
  type ColumnOf,
  genericsOf,
  may,
  ObjectLink,
  type Params,
  readRows,
  type View,
  viewRoutes,
} from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { nounOf } from "../../type_label.ts";
import { REVOKED_USED } from "../certificates/mod.ts";
import { BELONGINGS, certificatesPath, listFilter, type ObjectKind } from "./belongings.ts";
import { authorityNumbers, certificateSection, ownState } from "./certificate_section.tsx";
import { resetRoute, views } from "./standard_views.ts";

/** Numbers of certificates: the column, the filter of the list to which a number links, and its color. */
const COUNTS = [
  { name: "certificates", label: "Certificates", params: {}, tone: undefined },
  { name: "revoked", label: "Revoked", params: REVOKED_USED, tone: "bad" },
  { name: "expired", label: "Expired", params: { expiry_status: "expired" }, tone: "bad" },
  { name: "expiring", label: "Expiring", params: { expiry_status: ["critical", "warning"] }, tone: "warn" },
] as const satisfies readonly Count[];

interface Count {
  readonly name: string;
  readonly label: string;
  readonly params: Params;
  readonly tone: "bad" | "warn" | undefined;
}

/** Returns columns with the numbers of certificates that the user may view, as links to their lists. */
function countColumns(
  { columns, usual }: View,
  { by, filter }: ObjectKind,
): Pick<View, "columns" | "usual" | "withMore"> {
  const added = COUNTS.map(({ name, label, tone, params }): ColumnOf => ({
    name,
    label,
    layout: ["number", name === "revoked" ? "p4" : "p2", "folds", "named"],
    cell: (row) => {
      const number = row[name];
      if (typeof number !== "number") return "";
      return <CountLink number={number} path={certificatesPath({ ...filter(row), ...params })} tone={tone} />;
    },
  }));
  return {
    columns: columns.toSpliced(usual?.length ?? columns.length, 0, ...added),
    ...(usual === undefined ? {} : { usual: [...usual, ...added.map(({ name }) => name)] }),
    withMore: async (call, rows, shown) => {
      if (!COUNTS.some(({ name }) => shown.includes(name))) return rows;
      const counts = await countsOf(call, rows, by);
      if (counts === undefined) return rows;
      return rows.map((row) => {
        const own = counts.get(row.id) ?? [];
        // Columns of states that no object has are left out, as other empty columns are.
        const values = COUNTS.map(({ name, tone }, index) =>
          [name, tone === undefined ? own[index] ?? 0 : own[index] || null] as const
        );
        return { ...row, ...Object.fromEntries(values) };
      });
    },
  };
}

/** Counts the certificates of each row; undefined if the user may view none. One statement for the page. */
async function countsOf(
  call: Call,
  rows: readonly Out[],
  by: ObjectKind["by"],
): Promise<ReadonlyMap<number, readonly number[]> | undefined> {
  const { ctx } = call;
  if (rows.length === 0 || !isGranted(ctx, "view", certificates.objectType)) return undefined;
  const filters = COUNTS.map(({ params }) => listFilter(call, params));
  return await countByObject({ ctx, by, ids: rows.map(({ id }) => id), filters });
}

export const inventoryRoutes: readonly Route[] = [
  ...views.flatMap((view) =>
    viewRoutes(completed(view), view.resource === auditEvents ? { list: logList } : {})
  ),
  resetRoute,
  logExport(auditEvents),
];

/**
 * Returns the view with what other objects know about its own: their certificates, in the list their numbers, their
 * contacts, and of authorities the state of their own certificates, above all else.
 */
function completed(view: View): View {
  const { resource, detail } = view;
  const kind = BELONGINGS.get(resource.objectType);
  const hasContacts = genericsOf(contactAssignments).some(({ targets }) => targets.includes(resource));
  return {
    ...view,
    ...(kind === undefined ? {} : countColumns(view, kind)),
    detail: (call, object, permitted) => ({
      ...detail?.(call, object, permitted),
      ...(kind === undefined ? {} : {
        lead: Promise.all([
          resource === authorities ? ownState(call, { authority: object, belonging: kind }) : null,
          certificateSection(call, { view, object, belonging: kind }),
          resource === authorities ? authorityNumbers(call, { authority: object, belonging: kind }) : null,
        ]),
      }),
      ...(hasContacts ? { sections: contactSection(call, view, object) } : {}),
    }),
  };
}

/** Number of contacts on the page. */
const SHOWN = 50;
/** Priorities in the order of the table; assignments without a priority come before inactive ones. */
const ORDER: readonly (string | undefined)[] = ["primary", "secondary", "tertiary", undefined, "inactive"];

type Contact = Pick<ContactAssignment, "id" | "contact" | "role" | "priority">;

/** Reads and renders the contacts; nothing for a user who may view none. */
async function contactSection(call: Call, view: View, object: Out): Promise<Html | null> {
  if (!isGranted(call.ctx, "view", contactAssignments.objectType)) return null;
  const { id } = object;
  const { objectType } = view.resource;
  const rows = await contactsOf(call, objectType, id);
  const search = new URLSearchParams({ object_type: objectType, object_id: String(id) });
  return (
    <ListSection
      id="contacts"
      title="Contacts"
      rows={rows}
      empty={`No contact is assigned to this ${nounOf(view.resource)}.`}
      columns={[
        { label: "Contact", cell: ({ contact }) => ObjectLink({ brief: contact }) },
        { label: "Role", cell: ({ role }) => role === null ? "" : ObjectLink({ brief: role }) },
        { label: "Priority", cell: ({ priority }) => priority?.label ?? "" },
        {
          label: "Assignment",
          cell: (row) => <a href={objectPath(contactAssignments, row.id)}>Open</a>,
        },
      ]}
    >
      {objectType !== tenants.objectType ? null : (
        <p class="faint">
          The contact with the role Owner, else the one with the highest priority, owns the certificates of
          the tenant that have no closer owner.
        </p>
      )}
      <p class="actions">
        {rows.length < SHOWN ? null : <a href={`/contact-assignments/?${search}`}>View all contacts</a>}
        {may(call, contactAssignments, "add")
          ? (
            <a role="button" class="secondary small" href={`/contact-assignments/new/?${search}`}>
              <Icon name="plus" />Assign contact
            </a>
          )
          : null}
      </p>
    </ListSection>
  );
}

/** Reads the contacts of an object, those with the highest priority first. One statement. */
async function contactsOf(call: Call, objectType: string, id: number): Promise<readonly Contact[]> {
  const { rows } = await readRows(call.ctx, contactAssignments, {
    // With `start`, a list is not counted.
    params: { object_type: objectType, object_id: id, start: 0, limit: SHOWN },
    fields: ["id", "contact", "role", "priority"],
  });
  return rows.toSorted((a, b) => rankOf(a) - rankOf(b));
}

function rankOf({ priority }: Contact): number {
  return ORDER.indexOf(priority?.value);
}
