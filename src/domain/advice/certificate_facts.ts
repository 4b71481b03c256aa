/** What is known about a certificate, from which advice follows. */

import { sql } from "drizzle-orm";
import { type Context, isGranted, permittedIds, visible, visibleSql } from "../../auth/mod.ts";
import { DAY_MS, type Millis } from "../../base/clock.ts";
import { andAll } from "../../db/mod.ts";
import { matchesNothing, MAX_FILTER_VALUE_CHARS } from "../../filters/mod.ts";
import { readRows } from "../../resource/mod.ts";
import { type Assignment, assignments } from "../assignments/mod.ts";
import { authorities } from "../authorities/mod.ts";
import { type ChainView, viewChain } from "../certificates/chain/view_chain.ts";
import {
  type Certificate,
  certificates,
  findRenewable,
  isCurrent,
  type Renewable,
} from "../certificates/mod.ts";
import { type Check, checks, policies, type Policy } from "../compliance/mod.ts";
import { contactAssignments } from "../contact_assignments/mod.ts";
import { incidents, type OpenIncident, openIncidents } from "../incidents/mod.ts";
import { type SigningRequest, signingRequests } from "../signing_requests/mod.ts";
import { objectChanges } from "../system/object_changes/resource.ts";
import { loadServed, type ServingEndpoints } from "./serving.ts";

/** Maximum number of assignments, of results and of policies that are read. */
export const MAX_FACTS = 50;
/** Number of changes among which the revocation is searched. */
const READ_CHANGES = 20;

/** Number of certificates revoked within a day that suggest an incident. */
export const SEVERAL_REVOKED = 3;
/** Age from which revocations suggest nothing any more. */
const RECENT_MS = 7 * DAY_MS;

type Predecessor = Pick<Certificate, "id" | "url" | "display" | "common_name">;

/** A policy without a result for the certificate, and the reason. */
export interface Unchecked {
  readonly policy: Pick<Policy, "id" | "url" | "display">;
  readonly reason: string;
  /** Whether it applies to the certificate, and has only not been run yet. */
  readonly applies: boolean;
}

/** Facts about a certificate; undefined for those that the caller may not view. */
export interface CertificateFacts {
  readonly certificate: Certificate;
  readonly assignments: readonly Assignment[] | undefined;
  /** Results of policies, failures first, old ones with their day. */
  readonly checks: readonly Check[] | undefined;
  readonly unchecked: readonly Unchecked[];
  readonly chain: ChainView | undefined;
  /** The replaced certificates, the earliest expiry first. */
  readonly predecessors: readonly Predecessor[];
  readonly served: ServingEndpoints | undefined;
  /** The open signing request for the same name. */
  readonly request: Pick<SigningRequest, "id" | "created"> | undefined;
  /** The certificate with the same names that it probably renews. */
  readonly renewable: Renewable | undefined;
  /** When it was revoked; undefined if it is not, or if this is unknown. */
  readonly revokedAt: string | undefined;
  /** The open incidents that it is in. */
  readonly incidents: readonly OpenIncident[];
  /** How many certificates of its issuer were revoked within a day; 0 if it is in an incident already. */
  readonly revokedTogether: number;
  readonly may: {
    readonly renew: boolean;
    readonly change: boolean;
    readonly assign: boolean;
    readonly assignContact: boolean;
    readonly addAuthority: boolean;
    readonly check: boolean;
  };
  readonly now: Millis;
}

/** Reads the facts about a certificate that the caller may view. */
export async function loadCertificateFacts(
  ctx: Context,
  certificate: Certificate,
): Promise<CertificateFacts> {
  const { id } = certificate;
  const may = async (action: string): Promise<boolean> =>
    isGranted(ctx, action, certificates.objectType) &&
    (await permittedIds({ ctx, reader: ctx.database }, { action, map: certificates.map, ids: [id] })).has(id);
  const [
    chain,
    assigned,
    results,
    predecessors,
    change,
    renew,
    served,
    request,
    renewable,
    unchecked,
    at,
    open,
  ] = await Promise.all([
    viewChain({ ctx, id }),
    loadAssignments(ctx, id),
    loadChecks(ctx, certificate),
    loadPredecessors(ctx, id),
    may("change"),
    may("renew"),
    loadServed(ctx, id),
    loadOpenRequest(ctx, certificate),
    loadRenewable(ctx, certificate),
    loadUnchecked(ctx, certificate),
    loadRevokedAt(ctx, certificate),
    openIncidents(ctx, [id]),
  ]);
  const own = open.get(id) ?? [];
  const together = own.length > 0 ? 0 : await countRevokedTogether(ctx, { issuer: certificate.issuer });
  return {
    certificate,
    assignments: assigned,
    checks: results,
    unchecked,
    chain,
    predecessors,
    served,
    request,
    renewable,
    revokedAt: at,
    incidents: own,
    revokedTogether: together,
    may: {
      renew: renew && change,
      change,
      assign: isGranted(ctx, "add", assignments.objectType),
      assignContact: isGranted(ctx, "add", contactAssignments.objectType),
      addAuthority: isGranted(ctx, "add", authorities.objectType),
      check: isGranted(ctx, "manage_compliance", policies.objectType),
    },
    now: ctx.clock.now(),
  };
}

/** Reads the assignments of a certificate; undefined if the caller may view none. */
export async function loadAssignments(
  ctx: Context,
  id: number,
): Promise<readonly Assignment[] | undefined> {
  if (!isGranted(ctx, "view", assignments.objectType)) return undefined;
  return (await readRows(ctx, assignments, { params: { certificate_id: id, limit: MAX_FACTS } })).rows;
}

async function loadPredecessors(ctx: Context, id: number): Promise<readonly Predecessor[]> {
  const params = { replaced_by_id: id, ordering: "valid_to", limit: 5 };
  return (await readRows(ctx, certificates, { params, fields: ["id", "url", "display", "common_name"] }))
    .rows;
}

async function loadChecks(
  ctx: Context,
  { id }: Certificate,
): Promise<readonly Check[] | undefined> {
  if (!isGranted(ctx, "view", checks.objectType)) return undefined;
  const params = { certificate_id: id, ordering: "result,severity_rank", limit: MAX_FACTS };
  return (await readRows(ctx, checks, { params })).rows;
}

/** Returns the enabled policies that do not apply to a certificate, or may not have been run. One statement. */
async function loadUnchecked(ctx: Context, { tenant, tags }: Certificate): Promise<readonly Unchecked[]> {
  if (!isGranted(ctx, "view", policies.objectType) || !isGranted(ctx, "view", checks.objectType)) return [];
  const params = { enabled: "true", start: 0, limit: MAX_FACTS };
  const fields = ["id", "url", "display", "name", "tenant", "tags"] as const;
  const tagIds = tags.map(({ id }) => id);
  return (await readRows(ctx, policies, { params, fields })).rows.map((policy) => {
    const { tenant: ownTenant, tags: ownTags } = policy;
    if (ownTenant !== null && ownTenant.id !== tenant?.id) {
      return { policy, reason: `Only for the tenant ${ownTenant.display}`, applies: false };
    }
    if (ownTags.length > 0 && !ownTags.some(({ id }) => tagIds.includes(id))) {
      const names = ownTags.map(({ display }) => display).join(", ");
      return { policy, reason: `Only for the tag ${names}`, applies: false };
    }
    return { policy, reason: "Not run for this certificate yet", applies: true };
  });
}

/** Returns the open signing request for the name of a certificate that has to be renewed. At most one statement. */
async function loadOpenRequest(ctx: Context, certificate: Certificate): Promise<CertificateFacts["request"]> {
  const { common_name: name, expiry_status: expiry, replaced_by: successor } = certificate;
  if (
    !isCurrent(certificate) || successor !== null || expiry === "ok" ||
    name.length > MAX_FILTER_VALUE_CHARS || !isGranted(ctx, "view", signingRequests.objectType)
  ) {
    return undefined;
  }
  // With `start`, a list is ordered by id and not counted.
  const params = { common_name__ie: name, status: ["pending", "approved"], start: 0, limit: 1 };
  return (await readRows(ctx, signingRequests, { params, fields: ["id", "created"] })).rows[0];
}

/** Returns the certificate with the same names that a certificate probably renews. At most one statement. */
async function loadRenewable(ctx: Context, certificate: Certificate): Promise<Renewable | undefined> {
  const { id, tenant, replaced_by: successor, common_name, sans, valid_from, valid_to } = certificate;
  if (!isCurrent(certificate) || successor !== null) return undefined;
  const found = await findRenewable(ctx, [{
    key: id,
    id,
    common_name,
    sans,
    valid_from: Date.parse(valid_from),
    valid_to: Date.parse(valid_to),
    tenant: tenant?.id ?? null,
  }]);
  return found.get(id);
}

/**
 * Returns when a certificate became revoked in the inventory; undefined if it is not revoked, was created so, or if the
 * caller may not view the change log. At most one statement.
 */
async function loadRevokedAt(
  ctx: Context,
  { id, status, revoked_at: at }: Certificate,
): Promise<string | undefined> {
  if (status === "revoked" && at !== null) return at;
  if (status !== "revoked" || !isGranted(ctx, "view", objectChanges.objectType)) return undefined;
  const params = {
    changed_object_type: certificates.objectType,
    changed_object_id: id,
    action: "update",
    ordering: "-id",
    limit: READ_CHANGES,
  };
  const { rows } = await readRows(ctx, objectChanges, { params });
  return rows.find(({ prechange_data: before, postchange_data: after }) =>
    after?.status === "revoked" && before?.status !== "revoked"
  )?.time;
}

/**
 * Returns how many certificates of an issuer or an authority that the caller may view were revoked within a day, at most a
 * week ago; 0 if they may open no incident. At most one statement.
 */
export async function countRevokedTogether(
  ctx: Context,
  of: { readonly issuer: string } | { readonly issuing_ca_id: number },
): Promise<number> {
  if (!isGranted(ctx, "add", incidents.objectType) || matchesNothing(visible(ctx, certificates.map))) {
    return 0;
  }
  const [[column, value] = []] = Object.entries(of);
  const condition = andAll(
    // The first term is that of the index.
    sql`revocation_status IN ('revoked', 'unknown', 'unavailable') AND revocation_status = 'revoked'
      AND revoked_at >= ${ctx.clock.now() - RECENT_MS} AND certificates.${
      sql.identifier(column ?? "")
    } = ${value}`,
    visibleSql(ctx, certificates.map, "certificates"),
  );
  const rows = await ctx.database.all<{ at: Millis }>(
    sql`SELECT revoked_at AS at FROM certificates INDEXED BY certificates_revocation_status WHERE ${condition}
      ORDER BY revoked_at DESC LIMIT ${MAX_FACTS}`,
  );
  return rows.filter(({ at }) => at > (rows[0]?.at ?? 0) - DAY_MS).length;
}
