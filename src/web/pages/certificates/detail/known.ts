/** What the page about a certificate knows, and what follows from it. */

import type { Check } from "../../../../domain/compliance/mod.ts";
import type { Assignment } from "../../../../domain/assignments/mod.ts";
import { isGranted } from "../../../../auth/mod.ts";
import type { Millis } from "../../../../base/clock.ts";
import type { ChainView } from "../../../../domain/certificates/chain/mod.ts";
import { type Certificate, findRenewable, type Renewable } from "../../../../domain/certificates/mod.ts";
import { type SigningRequest, signingRequests } from "../../../../domain/signing_requests/mod.ts";
import { MAX_FILTER_VALUE_CHARS } from "../../../../filters/mod.ts";
import type { Call } from "../../../call.ts";
import { readRows } from "../../../kit/mod.ts";
import { isCurrent } from "../list_defaults.ts";
import { awaitsStart } from "./chain_faults.ts";
import type { ServingEndpoints } from "./served_by.tsx";

type OpenRequest = Pick<SigningRequest, "id" | "created">;

/** Data of the page about a certificate; undefined for those that the user may not view. */
export interface Known {
  readonly certificate: Certificate;
  readonly assignments: readonly Assignment[] | undefined;
  readonly checks: readonly Check[] | undefined;
  /** Whether a policy applies to it. */
  readonly hasPolicies: boolean;
  readonly chain: ChainView | undefined;
  readonly predecessors: readonly Pick<Certificate, "id" | "url" | "display" | "common_name">[];
  readonly served: ServingEndpoints | undefined;
  /** The open signing request for the same name. */
  readonly request: OpenRequest | undefined;
  /** The certificate with the same names that it probably renews. */
  readonly renewable: Renewable | undefined;
  readonly mayRenew: boolean;
  readonly mayChange: boolean;
  /** When it was revoked; undefined if it is not, or if this is unknown. */
  readonly revokedAt: string | undefined;
  readonly now: Millis;
}

/** Returns the open signing request for the name of a certificate that has to be renewed. At most one statement. */
export async function loadOpenRequest(
  call: Call,
  certificate: Certificate,
): Promise<OpenRequest | undefined> {
  if (!isCurrent(certificate) || certificate.replaced_by !== null || certificate.expiry_status === "ok") {
    return undefined;
  }
  const name = certificate.common_name;
  if (name.length > MAX_FILTER_VALUE_CHARS || !isGranted(call.ctx, "view", signingRequests.objectType)) {
    return undefined;
  }
  const params = {
    common_name__ie: name,
    status: ["pending", "approved"],
    // With `start`, a list is ordered by id and not counted.
    start: 0,
    limit: 1,
  };
  return (await readRows(call, signingRequests, { params, fields: ["id", "created"] })).rows[0];
}

/** Returns the certificate with the same names that a certificate probably renews. At most one statement. */
export async function loadRenewable({ ctx }: Call, certificate: Certificate): Promise<Renewable | undefined> {
  if (!isCurrent(certificate) || certificate.replaced_by !== null) return undefined;
  const { id, tenant } = certificate;
  const found = await findRenewable(ctx, [{
    key: id,
    id,
    common_name: certificate.common_name,
    sans: certificate.sans,
    valid_from: Date.parse(certificate.valid_from),
    valid_to: Date.parse(certificate.valid_to),
    tenant: tenant?.id ?? null,
  }]);
  return found.get(id);
}

/** Returns the failed checks, except one that passes by itself as soon as the certificate is valid. */
export function failedChecks({ chain, checks = [] }: Known): readonly Check[] {
  return checks.filter((check) =>
    check.result === "fail" && !(awaitsStart(chain) && failsBeforeStart(check))
  );
}

/** Returns whether a check of a chain fails because a certificate is not valid yet. */
export function failsBeforeStart({ checked_value: value }: Pick<Check, "checked_value">): boolean {
  return value === "not_yet_valid";
}

/** Returns whether the validity of a certificate has not begun. */
export function isBeforeStart({ certificate, now }: Pick<Known, "certificate" | "now">): boolean {
  return Date.parse(certificate.valid_from) > now;
}

/** Returns whether a certificate is revoked, has no successor, and is assigned or served. */
export function isRevokedInUse({ certificate, assignments = [], served }: Known): boolean {
  return certificate.status === "revoked" && certificate.replaced_by === null &&
    assignments.length + (served?.here.length ?? 0) > 0;
}

/** Returns whether a certificate is that of an authority. */
export function isAuthority({ kind }: Pick<Certificate, "kind">): boolean {
  return kind === "ca";
}
