/** Shows what the certificates of a list are assigned to: the objects, otherwise the number of endpoints. */

import type { Brief } from "../../../resource/mod.ts";
import { isGranted } from "../../../auth/mod.ts";
import { counted } from "../../../base/amounts.ts";
import { type Assignment, assignments } from "../../../domain/assignments/mod.ts";
import type { Call } from "../../call.ts";
import { Badge, type Html } from "../../kit/components/mod.ts";
import { ObjectLink, readRows } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { type Certificate, certificates, FROM_LIST } from "../../../domain/certificates/mod.ts";

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
export function EndpointCount({ id, endpoint_count: count }: Counted): Html | null {
  if (count === 0) return null;
  return <a href={`${objectPath(certificates, id)}#served`}>{counted(count, "endpoint")}</a>;
}

/** Renders at how many endpoints a replaced certificate is still served; nothing for none. */
export function StillServed({ endpoint_count: given }: Pick<Certificate, "endpoint_count">): Html | null {
  return given > 0 ? <Badge value={`still at ${counted(given, "endpoint")}`} tone="warn" /> : null;
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

type Validated = Pick<Certificate, "chain_status" | "expiry_status" | "status">;

/** Results that say nothing any more about a certificate that has expired itself. */
const OUTLIVED: ReadonlySet<unknown> = new Set(["valid", "self_signed", "expired"]);

/** The result of a chain that has expired before the certificate itself. */
const ISSUER_EXPIRED = "issuer expired";

/** The state of a chain. */
interface ChainState {
  readonly value: string;
  /** Why the chain needs no attention: the certificate has expired itself, or is revoked. */
  readonly reason?: "expired" | "revoked";
}

/**
 * Returns the state that a result of a certificate's chain means now. The result alone reassures: "valid" stays
 * stored when the certificate expires, and nobody trusts a revoked certificate.
 */
export function chainState(
  result: string,
  { expiry_status: expiry, status }: Partial<Pick<Certificate, "expiry_status" | "status">>,
): ChainState {
  if (status === "revoked") return { value: result, reason: "revoked" };
  if (expiry === "expired" && OUTLIVED.has(result)) return { value: "expired", reason: "expired" };
  if (expiry !== undefined && result === "expired") return { value: ISSUER_EXPIRED };
  return { value: result };
}

const REASONS = { expired: "The certificate has expired", revoked: "The certificate is revoked" } as const;

/** Renders the stored result in a list. Needs `chain_status`, `expiry_status` and `status`. */
export function Chain({ row }: { row: Validated }): Html {
  if (row.chain_status === null) return <span class="faint" title="Not validated">–</span>;
  const { value, reason } = chainState(row.chain_status, row);
  return reason === undefined
    ? <Badge value={value} />
    : <span class="faint" title={REASONS[reason]}>{reason}</span>;
}

/** Statuses that need no attention, or that the column "Expires" shows. */
const UNREMARKABLE: ReadonlySet<unknown> = new Set(["active", "expired"]);
const GOOD_CHAINS: ReadonlySet<unknown> = new Set(["valid", "self_signed"]);

/** Renders what is wrong with a certificate besides its expiry; nothing for nothing. */
export function State(
  { row }: { row: Validated & Pick<Certificate, "revocation_status" | "discovered_via"> },
): Html {
  const { status, revocation_status: revocation, chain_status: result } = row;
  const chain = result === null || GOOD_CHAINS.has(result) ? undefined : chainState(result, row);
  const wrong = [
    row.discovered_via === FROM_LIST ? "known from a list" : UNREMARKABLE.has(status) ? undefined : status,
    revocation === "revoked" && status !== "revoked" ? revocation : undefined,
    chain?.reason === undefined ? chain?.value : undefined,
  ];
  return <>{wrong.flatMap((value) => value === undefined ? [] : [<Badge value={value} />, " "])}</>;
}
