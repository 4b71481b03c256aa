/** Shows what the certificates of a list are assigned to: the objects, otherwise the number of endpoints. */

import type { Brief } from "../../../resource/mod.ts";
import { isGranted } from "../../../auth/mod.ts";
import { counted } from "../../../base/amounts.ts";
import { type Assignment, assignments } from "../../../domain/assignments/mod.ts";
import type { Call } from "../../call.ts";
import { Badge, BreakableName, type Html } from "../../kit/components/mod.ts";
import { ObjectLink, readRows, shortName } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { type Certificate, certificates } from "../../../domain/certificates/mod.ts";

type Counted = Pick<Certificate, "id" | "endpoint_count">;

/** Maximum number of assignments that are read for a page of certificates. */
const MAX_READ = 500;

/** The assignments of a certificate that the user may view. */
export type Assigned = {
  readonly assigned_to?: readonly Pick<Assignment, "assigned_object">[];
};

/** Adds `assigned_to` to each row; one statement for the page. */
export async function withAssignedTo<Row extends Pick<Certificate, "id">>(
  call: Call,
  rows: readonly Row[],
): Promise<readonly (Row & Assigned)[]> {
  if (rows.length === 0 || !isGranted(call.ctx, "view", assignments.objectType)) return rows;
  const found = await readRows(call.ctx, assignments, {
    params: {
      certificate_id: rows.map(({ id }) => id),
      limit: Math.min(MAX_READ, call.ctx.settings.maxPageSize),
      // With `start`, a list is ordered by id and not counted.
      start: 0,
    },
    fields: ["id", "certificate", "assigned_object", "is_primary"],
  });
  const primaryFirst = found.rows.toSorted((a, b) => Number(b.is_primary) - Number(a.is_primary));
  const byCertificate = Map.groupBy(primaryFirst, (row) => row.certificate);
  return rows.map((row) => ({ ...row, assigned_to: byCertificate.get(row.id) ?? [] }));
}

/** Returns the assignments of a row whose objects the user may view. */
export function placesOf(
  { assigned_to: assigned = [] }: Pick<Certificate, "id"> & Assigned,
): readonly Brief[] {
  return assigned.flatMap(({ assigned_object: object }) => object ?? []);
}

/** Renders a link to the endpoints that serve the certificate of a row, with their number; nothing for none. */
export function EndpointCount(row: Counted): Html | null {
  const text = endpointText(row);
  return text === "" ? null : <a href={`${objectPath(certificates, row.id)}#served`}>{text}</a>;
}

/** Returns the number of endpoints that serve the certificate of a row, as text; empty for none. */
function endpointText({ endpoint_count: count }: Pick<Certificate, "endpoint_count">): string {
  return count === 0 ? "" : counted(count, "endpoint");
}

/** Renders at how many endpoints a replaced certificate is still served; nothing for none. */
export function StillServed({ endpoint_count: given }: Pick<Certificate, "endpoint_count">): Html | null {
  return given > 0 ? <Badge value={`still at ${counted(given, "endpoint")}`} tone="warn" /> : null;
}

/** Renders the first object of a row without a link, or the number of its endpoints; empty without either. */
export function AssignedToBrief(row: Counted & Assigned): Html | string {
  const [first, ...others] = placesOf(row);
  if (first === undefined) return endpointText(row);
  return (
    <>
      <bdi>{BreakableName({ text: shortName(first.display) })}</bdi>
      {others.length === 0 ? "" : ` +${others.length}`}
    </>
  );
}

/**
 * Renders the first object of a row of {@link withAssignedTo}, preferably a primary one, and the number of others;
 * for a row without objects, the number of endpoints that serve its certificate.
 */
export function AssignedTo({ row }: { row: Counted & Assigned }): Html | string {
  const [first, ...others] = placesOf(row);
  if (first === undefined) {
    const served = EndpointCount(row);
    if (served !== null) return served;
    // The user may not view the objects of an assignment, or any assignments.
    const isAssigned = row.assigned_to?.length !== 0;
    return isAssigned ? "" : <span class="faint">not assigned</span>;
  }
  const link = ObjectLink({ brief: first });
  if (others.length === 0) return link;
  return (
    <span class="assigned">
      {link}
      <a href={`${objectPath(certificates, row.id)}#assignments`}>{` +${others.length}`}</a>
    </span>
  );
}
