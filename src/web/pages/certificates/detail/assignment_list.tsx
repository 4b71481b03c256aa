/** The assignments of a certificate. */

import { MAX_FACTS } from "../../../../domain/advice/mod.ts";
import { type Assignment, assignments } from "../../../../domain/assignments/mod.ts";
import type { Call } from "../../../call.ts";
import { Badge, EmptyState, type Html, Icon, Table } from "../../../kit/components/mod.ts";
import { may, ObjectLink } from "../../../kit/mod.ts";
import { objectPath } from "../../../paths.ts";
import { typeLabel } from "../../../type_label.ts";

/** Renders the assignments, and the button for a new one. */
export function AssignmentList(
  { call, id, rows }: { call: Call; id: number; rows: readonly Assignment[] },
): Html {
  return (
    <section aria-labelledby="assignments">
      <h2 id="assignments">Assignments</h2>
      {rows.length === 0
        ? <EmptyState text="Not assigned to any device, virtual machine or service." />
        : (
          <Table
            caption="Assignments"
            rows={rows}
            columns={[
              {
                label: "Object",
                cell: (row) => (
                  <>
                    {row.assigned_object === null
                      ? "not visible to you"
                      : <ObjectLink brief={row.assigned_object} />}
                    {row.is_primary
                      ? (
                        <>
                          {" "}
                          <Badge value="main" tone="info" />
                        </>
                      )
                      : null}
                  </>
                ),
              },
              {
                label: "Type",
                cell: ({ assigned_object_type: type }) => typeLabel(type),
              },
              {
                label: "Assignment",
                cell: (row) => <a href={objectPath(assignments, row.id)}>Details</a>,
              },
            ]}
          />
        )}
      {rows.length < MAX_FACTS ? null : (
        <p>
          <a href={`/assignments/?certificate_id=${id}`}>View all assignments</a>
        </p>
      )}
      {may(call, assignments, "add")
        ? (
          <a role="button" class="secondary" href={`/assignments/new/?certificate=${id}`}>
            <Icon name="plus" />Assign
          </a>
        )
        : null}
    </section>
  );
}
