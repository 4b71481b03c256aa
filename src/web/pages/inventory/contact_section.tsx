/** The contacts of an object on its page: who is responsible for it, and in what role. */

import type { AnyObject, Brief } from "../../../resource/mod.ts";
import { isGranted } from "../../../auth/mod.ts";
import { type ContactAssignment, contactAssignments } from "../../../domain/contact_assignments/mod.ts";
import { tenants } from "../../../domain/inventory/mod.ts";
import type { Call } from "../../call.ts";
import { EmptyState, type Html, Icon, Table } from "../../kit/components/mod.ts";
import { may, ObjectLink, ObjectLinks, readRows, type View } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { nounOf } from "../../type_label.ts";

/** Number of contacts on the page. */
const SHOWN = 50;
/** Number of contacts of its tenant that the section of an object names. */
const NAMED = 3;
/** Priorities in the order of the table; assignments without a priority come before inactive ones. */
const ORDER: readonly (string | undefined)[] = ["primary", "secondary", "tertiary", undefined, "inactive"];

type Contact = Pick<ContactAssignment, "id" | "contact" | "role" | "priority">;

/** Reads and renders the contacts; nothing for a user who may view none. */
export async function contactSection(call: Call, view: View, object: AnyObject): Promise<Html | null> {
  if (!isGranted(call.ctx, "view", contactAssignments.objectType)) return null;
  const { id } = object;
  const { objectType } = view.resource;
  const rows = await contactsOf(call, objectType, id);
  const search = new URLSearchParams({ object_type: objectType, object_id: String(id) });
  return (
    <section aria-labelledby="contacts">
      <h2 id="contacts">Contacts</h2>
      {rows.length === 0 ? await noContact(call, view, object) : (
        <Table
          caption="Contacts"
          rows={rows}
          columns={[
            { label: "Contact", cell: ({ contact }) => ObjectLink({ brief: contact }) },
            { label: "Role", cell: ({ role }) => role === null ? "" : ObjectLink({ brief: role }) },
            { label: "Priority", cell: ({ priority }) => priority?.label ?? "" },
            {
              label: "Assignment",
              cell: (row) => <a href={objectPath(contactAssignments, row.id)}>Open</a>,
            },
          ]}
        />
      )}
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
    </section>
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

/** Renders that an object has no contacts, with those that it has through its tenant. At most one statement. */
async function noContact(call: Call, { resource }: View, { tenant }: AnyObject): Promise<Html> {
  // Some objects have no tenant.
  const given = (tenant ?? null) as Brief | null;
  const rows = given === null ? [] : await contactsOf(call, tenants.objectType, given.id);
  const active = rows.filter(({ contact, priority }) => contact !== null && priority?.value !== "inactive");
  if (active.length === 0) {
    return <EmptyState text={`No contact is responsible for this ${nounOf(resource)}.`} />;
  }
  return (
    <p>
      No contact is assigned to this {nounOf(resource)}. Responsible through its tenant{" "}
      <ObjectLink brief={given} />:{" "}
      <ObjectLinks briefs={active.map(({ contact }) => contact)} most={NAMED} />.
    </p>
  );
}
