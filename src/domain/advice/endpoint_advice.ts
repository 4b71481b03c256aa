/** Conclusions from the state of an endpoint. */

import { type Context, isGranted, permittedIds } from "../../auth/mod.ts";
import { ALL_FIELDS, getObject, readRows } from "../../resource/mod.ts";
import { authorities } from "../authorities/mod.ts";
import { viewChain } from "../certificates/chain/view_chain.ts";
import { type Certificate, certificates } from "../certificates/mod.ts";
import { type Endpoint, endpoints } from "../endpoints/mod.ts";
import { doing, type EndpointAdvice } from "./schema.ts";
import { isNoticed } from "./serving.ts";

/** Fields of the served certificate that a page shows with the advice. */
const SERVED = [
  "id",
  "common_name",
  "valid_to",
  "days_remaining",
  "expiry_status",
  "chain_status",
  "status",
  "replaced_by",
] as const;
export type ServedCertificate = Pick<Certificate, (typeof SERVED)[number]>;

/** What is known about an endpoint. */
export interface EndpointFacts<Served = Pick<Certificate, "id" | "common_name" | "status" | "replaced_by">> {
  readonly endpoint:
    & Pick<Endpoint, "id" | "state" | "state_reason" | "expected_certificate">
    & Partial<Pick<Endpoint, "server_name" | "host">>;
  /** The served certificate; undefined if the caller may not view it, or the inventory does not have it. */
  readonly served: Served | undefined;
  /** Whether the served certificate is self-signed and may issue others. */
  readonly isAuthority: boolean;
  readonly may: EndpointRights;
}

interface EndpointRights {
  readonly change: boolean;
  readonly renew: boolean;
  readonly import: boolean;
  readonly addAuthority: boolean;
}

/** Returns what the caller may do about endpoints, of which it may `change` this one. */
export function endpointRights(ctx: Context, change: boolean): EndpointRights {
  return {
    change,
    renew: isGranted(ctx, "renew", certificates.objectType),
    import: isGranted(ctx, "import", certificates.objectType),
    addAuthority: isGranted(ctx, "add", authorities.objectType),
  };
}

/** Returns the advice about a stored endpoint. Errors: forbidden, not_found. */
export async function adviseOnEndpoint(ctx: Context, id: number): Promise<readonly EndpointAdvice[]> {
  const { object } = await getObject({ ctx, resource: endpoints, id, selection: ALL_FIELDS });
  const may = { action: "change", map: endpoints.map, ids: [id] };
  const change = isGranted(ctx, "change", endpoints.objectType) &&
    (await permittedIds({ ctx, reader: ctx.database }, may)).has(id);
  return endpointAdvice(await loadEndpointFacts(ctx, object, change));
}

/** Reads the facts about an endpoint that the caller may view, and may `change`. At most three statements. */
export async function loadEndpointFacts(
  ctx: Context,
  endpoint: Endpoint,
  change: boolean,
): Promise<EndpointFacts<ServedCertificate>> {
  const id = endpoint.certificate?.id;
  const isSeen = id !== undefined && isGranted(ctx, "view", certificates.objectType);
  const params = { id: id ?? 0, archived: "any", limit: 1 };
  const served = isSeen ? (await readRows(ctx, certificates, { params, fields: SERVED })).rows[0] : undefined;
  const isAuthority = served !== undefined && endpoint.state === "untrusted" &&
    endpoint.state_reason === "self_signed" &&
    (await viewChain({ ctx, id: served.id }))?.certificates[0]?.is_ca === true;
  return { endpoint, served, isAuthority, may: endpointRights(ctx, change) };
}

/** Returns what follows from the state of an endpoint: at most one conclusion. */
export function endpointAdvice(
  { endpoint, served, isAuthority, may }: EndpointFacts,
): readonly EndpointAdvice[] {
  const { id, state, state_reason: reason, expected_certificate: expected } = endpoint;
  const severity = isNoticed(endpoint) ? "critical" : "warning";
  const params = {};
  const successor = served?.replaced_by ?? null;
  const track = doing("add", authorities, { permitted: may.addAuthority });
  const renew = doing("renew", certificates, { id: served?.id, permitted: may.renew });
  const showSuccessor = successor === null ? null : doing("view", certificates, successor);
  const change = doing("change", endpoints, { id, permitted: may.change });
  switch (state) {
    case "unreachable":
    case "tls_error":
      return [{ code: state, severity, params, action: change }];
    case "name_mismatch": {
      const name = endpoint.server_name || endpoint.host || "";
      return [{ code: state, severity, params: { name }, action: change }];
    }
    case "revoked":
      return [{ code: state, severity, params, action: showSuccessor ?? renew }];
    case "not_yet_valid":
      return [{ code: state, severity, params, action: null }];
    case "untrusted":
      if (isAuthority) {
        const authority = { name: served?.common_name ?? "" };
        return [{ code: "self_signed_authority", severity, params: authority, action: track }];
      }
      return [{
        code: reason === "unknown_root" ? "unknown_root" : "untrusted",
        severity,
        params,
        action: showSuccessor ?? renew,
      }];
    case "incomplete_chain":
      return reason === "unknown_issuer"
        ? [{ code: "unknown_issuer", severity, params, action: track }]
        : [{ code: state, severity, params, action: doing("serve", certificates, { id: served?.id }) }];
    case "wrong_certificate": {
      if (expected !== null) {
        return [{ code: state, severity, params, action: doing("serve", certificates, expected) }];
      }
      const add = doing("import", certificates, { permitted: may.import });
      return served === undefined
        ? [{ code: "unknown_certificate", severity, params, action: add }]
        : [{ code: "unexpected_certificate", severity, params, action: change }];
    }
    case "superseded":
      return [{ code: state, severity, params, action: showSuccessor }];
    case "expired":
    case "expiring":
      return showSuccessor === null
        ? [{ code: "renewal_due", severity, params, action: renew }]
        : [{ code: "successor_not_served", severity, params, action: showSuccessor }];
    default:
      return [];
  }
}
