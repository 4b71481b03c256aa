/** The state of a chain, as all pages show it. */

import type { Certificate } from "../../../domain/certificates/mod.ts";
import { Badge, type Html, toneOf } from "../../kit/components/mod.ts";

type Validated = Pick<Certificate, "chain_status" | "expiry_status" | "status">;

/** Results that say nothing any more about a certificate that has expired itself. */
const OUTLIVED: ReadonlySet<unknown> = new Set(["valid", "self_signed", "expired"]);

/** The result of a chain that has expired before the certificate itself. */
const ISSUER_EXPIRED = "issuer expired";

/** The state of a chain. */
export interface ChainState {
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

/** Results that also name a status of the certificate, or of something else. */
const OF_CHAIN: ReadonlySet<string> = new Set(["expired", "not_yet_valid", "incomplete", "parse_error"]);

/** Renders the stored result for the line under a name: only if it needs attention. */
export function ChainBrief(row: Validated): Html | string {
  if (row.chain_status === null) return "";
  const { value, reason } = chainState(row.chain_status, row);
  if (value === "valid" || reason !== undefined) return "";
  return <Badge value={OF_CHAIN.has(value) ? `chain ${value}` : value} tone={toneOf(value)} />;
}
