/** Advice as the API offers it: codes with parameters, which interfaces put into words. */

import { z } from "zod";
import type { Resource } from "../../resource/mod.ts";
import { CHAIN_STATUSES } from "../certificates/mod.ts";

const days = z.int().describe("Calendar days (UTC) from today; negative in the past.");
const count = z.int();
const day = z.iso.datetime();
const none = z.object({});

/** What to do. */
export const Action = z.object({
  operation: z.enum(["add", "change", "check", "import", "renew", "serve", "validate_chain", "view"])
    .describe(
      "An operation of the API on the object; `serve` is done at the endpoints, and `view` leads to the objects at fault.",
    ),
  object_type: z.string(),
  id: z.int().nullable().describe("null for a new object, and for several ones."),
  permitted: z.boolean().describe("Whether the caller may do it. Otherwise someone else has to."),
});
export type Action = z.infer<typeof Action>;

export function doing(
  operation: Action["operation"],
  { objectType }: Pick<Resource, "objectType">,
  { id = null, permitted = true }: { id?: number | null | undefined; permitted?: boolean } = {},
): Action {
  return { operation, object_type: objectType, id, permitted };
}

const Severity = z.enum(["critical", "warning", "info", "ok"]);
export type Severity = z.infer<typeof Severity>;

type Codes = Readonly<Record<string, z.ZodType>>;

/** A conclusion from what is known about an object. */
type AdviceOf<Of extends Codes> = {
  [Code in keyof Of]: {
    readonly code: Code;
    readonly severity: Severity;
    readonly params: z.infer<Of[Code]>;
    readonly action: Action | null;
  };
}[keyof Of];

const ChainFault = z.object({
  certificate: z.string().nullable().describe("The certificate at fault; null for this one."),
  fault: z.string(),
  message: z.string().describe("What is wrong with it."),
  days: days.describe("Days until it expires."),
});
export type ChainFault = z.infer<typeof ChainFault>;

/** Conclusions about a certificate, with their parameters. */
const CERTIFICATE = {
  revoked_in_use: z.object({ days: days.nullable(), endpoints: count }),
  replaced_in_use: z.object({ days, is_expired: z.boolean(), is_revoked: z.boolean(), endpoints: count }),
  revoked: z.object({ days: days.nullable() }),
  replaced: none,
  chain_rejected: ChainFault,
  not_yet_valid: z.object({ days, valid_from: day, is_pending: z.boolean() }),
  expired: z.object({ days, valid_to: day, has_successor: z.boolean() }),
  renewal_requested: z.object({ created: day }),
  renews_another: z.object({ valid_to: day, is_pending: z.boolean() }),
  partly_deployed: z.object({ serving: count, expected: count, behind: count }),
  not_deployed: z.object({ objects: count, object: z.string().nullable() }),
  untrusted: z.object({ endpoints: count }),
  endpoint_problems: z.object({ endpoints: count, endpoint: z.string() }),
  in_incident: z.object({
    incident: z.int(),
    name: z.string(),
    deadline: day.nullable(),
    is_late: z.boolean(),
    others: z.array(z.object({ incident: z.int(), name: z.string() })).describe("By their deadlines."),
  }),
  issuer_revokes: z.object({ revoked: count, issuer: z.string() }),
  renewal_window_passed: z.object({ window_end: day, is_automatic: z.boolean() }),
  expires_soon: z.object({ days, valid_to: day, is_automatic: z.boolean() }),
  chain_fault: z.object({ status: z.enum(CHAIN_STATUSES) }),
  checks_failed: z.object({ failed: count, total: count }),
  untracked_authority: z.object({ name: z.string() }),
  not_accepted: none,
  known_from_list: none,
  no_owner: none,
  not_assigned: z.object({ is_served: z.boolean() }),
  chain_not_validated: none,
  not_checked: none,
  expires: z.object({ days, valid_to: day }),
  renews_automatically: z.object({ valid_to: day }),
} as const satisfies Codes;
export type CertificateAdvice = AdviceOf<typeof CERTIFICATE>;

/** Conclusions about an endpoint, with their parameters. */
const ENDPOINT = {
  unreachable: none,
  tls_error: none,
  revoked: none,
  not_yet_valid: none,
  name_mismatch: z.object({ name: z.string() }),
  self_signed_authority: z.object({ name: z.string() }),
  unknown_root: none,
  untrusted: none,
  unknown_issuer: none,
  incomplete_chain: none,
  unknown_certificate: none,
  unexpected_certificate: none,
  wrong_certificate: none,
  superseded: none,
  successor_not_served: none,
  renewal_due: none,
} as const satisfies Codes;
export type EndpointAdvice = AdviceOf<typeof ENDPOINT>;

/** Conclusions about a signing request. */
export type RequestAdvice = AdviceOf<
  Record<
    "confirm_certificate" | "decide" | "send" | "choose_certificate" | "issued" | "rejected",
    typeof none
  >
>;

function schemaOf(codes: Codes): z.ZodType {
  const kinds = Object.entries(codes).map(([code, params]) =>
    z.object({ code: z.literal(code), severity: Severity, params, action: Action.nullable() })
  );
  return z.union(kinds);
}

export const CertificateAdvice = schemaOf(CERTIFICATE);
export const EndpointAdvice = schemaOf(ENDPOINT);
