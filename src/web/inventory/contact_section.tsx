/** The contacts of an object on its page: who is responsible for it, and in what role. */

import { isGranted } from "../../auth/mod.ts";
import { contactAssignments } from "../../domain/contact_assignments/mod.ts";
import { tenants } from "../../domain/inventory/mod.ts";
import type { Call } from "../call.ts";
import { EmptyState, type Html, Icon, Table } from "../components/mod.ts";
import { type ApiObject, may, ObjectLink, readRows, type View } from "../objects/mod.ts";
import { objectPath } from "../paths.ts";
import { nounOf } from "../type_label.ts";

/** Number of contacts on the page. */
const SHOWN = 50;
/** Priorities in the order of the table; assignments without a priority come before inactive ones. */
const ORDER: readonly (string | undefined)[] = ["primary", "secondary", "tertiary", undefined, "inactive"];

/** A choice as the API returns it; null if none is set. */
type Priority = { readonly value: string; readonly label: string } | null;

/** Reads and renders the contacts; nothing for a user who may view none. */
export async function contactSection(call: Call, view: View, { id }: ApiObject): Promise<Html | null> {
  if (!isGranted(call.ctx, "view", contactAssignments.objectType)) return null;
  const { objectType } = view.resource;
  const object = { object_type: objectType, object_id: id };
  const { rows } = await readRows(call, contactAssignments, {
    // With `start`, a list is not counted.
    params: { ...object, start: 0, limit: SHOWN },
    fields: ["id", "contact", "role", "priority"],
  });
  const rank = ({ priority }: ApiObject): number => ORDER.indexOf((priority as Priority)?.value);
  const search = new URLSearchParams({ object_type: objectType, object_id: String(id) });
  return (
    <section aria-labelledby="contacts">
      <h2 id="contacts">Contacts</h2>
      {rows.length === 0
        ? <EmptyState text={`No contact is responsible for this ${nounOf(view.resource)}.`} />
        : (
          <Table
            caption="Contacts"
            rows={rows.toSorted((a, b) => rank(a) - rank(b))}
            columns={[
              { label: "Contact", cell: ({ contact }) => ObjectLink({ brief: contact }) },
              { label: "Role", cell: ({ role }) => role === null ? "" : ObjectLink({ brief: role }) },
              { label: "Priority", cell: ({ priority }) => (priority as Priority)?.label ?? "" },
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
