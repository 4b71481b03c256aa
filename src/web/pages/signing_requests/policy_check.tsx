/** What is wrong with the certificate that a request asks for: missing names, and policies that it would fail. */

import type { SigningRequest } from "../../../domain/signing_requests/mod.ts";
import { counted } from "../../../base/amounts.ts";
import {
  checkRequest,
  type RequestCheck,
  type RequestedCertificate,
} from "../../../domain/compliance/mod.ts";
import type { Call } from "../../call.ts";
import { FailedPolicies, MAX_NAMED_POLICIES, PolicyLink } from "../certificates/mod.ts";
import { type Html, Icon, Joined } from "../../kit/components/mod.ts";

/** Returns what a request or the fields of its PEM ask for, with the tenant and the tags of the certificate. */
export function requestedCertificate(
  fields: Readonly<Record<string, unknown>>,
  { tenantId, tagIds }: Pick<RequestedCertificate, "tenantId" | "tagIds">,
): RequestedCertificate {
  const { common_name: commonName, sans, algorithm, key_size: keySize, spki_sha256: key } = fields;
  const names = (sans ?? []) as readonly string[];
  const isRead = typeof key === "string";
  return {
    facts: {
      commonName: String(commonName ?? ""),
      sans: names,
      algorithm: String(algorithm ?? "unknown"),
      keyAlgorithm: "",
      keySize: typeof keySize === "number" ? keySize : null,
      signatureAlgorithm: "",
    },
    known: { key: isRead || algorithm !== "unknown", names: isRead || names.length > 0 },
    tenantId,
    tagIds,
  };
}

/** Returns what a stored request asks for. */
export function requestedBy(request: SigningRequest): RequestedCertificate {
  const { tenant, tags } = request;
  return requestedCertificate(request, { tenantId: tenant?.id ?? null, tagIds: tags.map(({ id }) => id) });
}

/** What pages show about the certificate that a request asks for. */
export interface RequestNotes {
  readonly warnings: Html;
  /** Which policies it passes, and which are checked later; null if no policy applies. */
  readonly policies: Html | null;
}

/** Renders what is wrong with the certificate, and the policies that it would pass or fail. One statement. */
export async function notesOf({ ctx }: Call, request: RequestedCertificate): Promise<RequestNotes> {
  const check = await checkRequest({ ctx, request });
  const isNameless = request.known.names && request.facts.sans.length === 0;
  return {
    warnings: (
      <>
        {isNameless ? <Nameless /> : null}
        <FailedPolicies subject="The certificate" failed={check.failed} />
      </>
    ),
    policies: <Others check={check} />,
  };
}

function Nameless(): Html {
  return (
    <p class="flash warn">
      <Icon name="warning" />
      <span>
        This request has no subject alternative names. Browsers refuse certificates without them. Ask for a
        new request that has them, unless the authority adds them.
      </span>
    </p>
  );
}

/** Renders the number of passed policies, and those that need the certificate. */
function Others({ check: { failed, passed, undecided } }: { check: RequestCheck }): Html | null {
  const isPassed = failed.length === 0 && passed.length > 0;
  if (!isPassed && undecided.length === 0) return null;
  return (
    <p class="small-print">
      {isPassed ? `The certificate would pass ${counted(passed.length, "policy", "policies")}. ` : ""}
      {undecided.length === 0 ? null : (
        <>
          Cannot be checked before it is issued:{" "}
          <Joined
            items={undecided.slice(0, MAX_NAMED_POLICIES).map((policy) => <PolicyLink policy={policy} />)}
            others={undecided.length - MAX_NAMED_POLICIES}
          />.
        </>
      )}
    </p>
  );
}
