/** The page of a check: what was found, what the policy expects, and what to do about it. */

import { isGranted } from "../../../auth/mod.ts";
import { memoize } from "../../../base/memoize.ts";
import { type Certificate, certificates, isCurrent } from "../../../domain/certificates/mod.ts";
import { ageOf, type Check, policies, type Policy } from "../../../domain/compliance/mod.ts";
import type { Call } from "../../call.ts";
import { type Assigned, EndpointCount, Owner, placesOf, withAssignedTo } from "../certificates/mod.ts";
import {
  Badge,
  type Content,
  Expiry,
  type Html,
  Icon,
  isolate,
  Time,
  truncate,
} from "../../kit/components/mod.ts";
import { type Fact, ObjectLink, ObjectLinks, readRows } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { readCertificates } from "./checked_certificates.ts";
import { foundText, requirementOf, textOf } from "./rule_texts.ts";

/** Fields of the certificate that the page reads. */
const CERTIFICATE_FIELDS = [
  "owner",
  "tenant",
  "valid_to",
  "days_remaining",
  "expiry_status",
  "last_updated",
  "status",
  "replaced_by",
  "is_expired",
  "endpoint_count",
] as const;
type Checked = Pick<Certificate, "id" | (typeof CERTIFICATE_FIELDS)[number]>;
type CheckedBy = Pick<Policy, "policy_type" | "parameters" | "last_updated">;
/** Maximum characters of the name of the certificate in the title. */
const NAME_CHARS = 80;

/** Returns the title: the certificate, and what was found. */
export function checkTitle(
  { certificate, message, result }: Pick<Check, "certificate" | "message" | "result">,
): string {
  const name = isolate(truncate(String(certificate.common_name), NAME_CHARS));
  const found = (message || result).replace(/\.$/, "");
  const [, status] = /^The chain is not valid: (.+)$/.exec(found) ?? [];
  if (status !== undefined) return `${name}: chain not valid (${status})`;
  return found.startsWith("The certificate ")
    ? found.replace("The certificate", () => name)
    : `${name}: ${found}`;
}

/** Reads and renders the finding, the requirement of the policy as it is now, and the next step. Two statements. */
export async function checkLead(call: Call, check: Check): Promise<Content> {
  const [policy, certificate] = await Promise.all([readPolicy(call, check), certificateOf(check)(call)]);
  const failed = check.result === "fail";
  const now = call.ctx.clock.now();
  const age = ageOf(check, { now, changed: [policy?.last_updated, certificate?.last_updated] });
  return (
    <div class="check-summary">
      <p>
        <Result check={check} /> <a href={objectPath(certificates, check.certificate.id)}>The certificate</a>
        {" "}
        {failed ? "fails" : "passes"} {check.policy === null ? "a policy that you may not view" : (
          <>
            the policy “<ObjectLink brief={check.policy} />”
          </>
        )}
        {age === undefined ? null : " · "}
        {age === undefined ? null : (
          <span class="faint">
            found <Time at={check.checked_at} />, {age === "outdated" ? "before its last change" : age}
          </span>
        )}
      </p>
      <dl class="card">
        <div>
          <dt>Found</dt>
          <dd>{foundText(policy?.policy_type, check, certificate)}</dd>
        </div>
        <div>
          <dt>Expected</dt>
          <Expected check={check} policy={policy} />
        </div>
        {failed ? <NextStep {...{ call, check, policy, certificate, age }} /> : null}
      </dl>
    </div>
  );
}

/** Returns the expiry of the certificate, its owner and its places. Two statements, of which the lead shares one. */
export async function checkFacts(call: Call, check: Check): Promise<readonly Fact[]> {
  const certificate = await certificateOf(check)(call);
  const [about] = await withAssignedTo(call, certificate === undefined ? [] : [certificate]);
  return [...about === undefined ? [] : factsOf(about), ["Checked", <Time at={check.checked_at} />]];
}

function factsOf(certificate: Checked & Assigned): readonly Fact[] {
  const places = placesOf(certificate);
  return [
    ["Expires", <Expiry row={certificate} />],
    ["Owner", <Owner row={certificate} />],
    ["Assigned to", places.length === 0 ? EndpointCount(certificate) : <ObjectLinks briefs={places} />],
  ];
}

/** Renders the result: how severe a failure is, or that the check passed. */
export function Result({ check: { result, severity } }: { check: Pick<Check, "result" | "severity"> }): Html {
  return result === "fail" ? <Badge value={severity} /> : <Badge value="passed" />;
}

/** Renders the expected value, and what the policy requires as it is now. */
function Expected({ check, policy }: { check: Check; policy: CheckedBy | undefined }): Html {
  const expected = check.expected_value;
  if (policy === undefined) return <dd>{expected}</dd>;
  if (textOf(policy.policy_type)?.isSelfContained) return <dd>{requirementOf(policy)}</dd>;
  return (
    <>
      <dd>{expected}</dd>
      <dd class="faint">{requirementOf(policy)}</dd>
    </>
  );
}

function NextStep(
  { call, check, policy, certificate, age }: {
    call: Call;
    check: Check;
    policy: CheckedBy | undefined;
    certificate: Checked | undefined;
    age: string | undefined;
  },
): Html {
  const text = textOf(policy?.policy_type ?? check.policy?.policy_type);
  const path = objectPath(certificates, check.certificate.id);
  // A renewal or an edit of a certificate that is no longer used would change nothing.
  if (certificate?.status === "replaced" || (certificate?.replaced_by ?? null) !== null) {
    return <Replacement successor={certificate?.replaced_by} />;
  }
  const mayRenew = isGranted(call.ctx, "renew", certificates.objectType);
  // Only a renewal helps an expired certificate, whatever the policy requires.
  const isExpired = certificate?.is_expired === true && isCurrent(certificate);
  if (mayRenew && isExpired) {
    return (
      <div>
        <dt>Next step</dt>
        <dd>
          <a role="button" href={`${path}renew/`}>
            <Icon name="renew" />Renew
          </a>
        </dd>
      </div>
    );
  }
  const isRenewal = text?.place === undefined;
  const href = isRenewal ? mayRenew ? `${path}renew/` : path : `${path}${text?.place}`;
  return (
    <div>
      <dt>Next step</dt>
      <dd>
        <a href={href}>{text?.fix ?? "See its certificate."}</a>
      </dd>
      <dd class="faint">
        {age === undefined ? "Then check it again." : "The result is old: check it again first."}
      </dd>
    </div>
  );
}

/** Renders the successor of a replaced certificate; null if none is recorded or the user may not view it. */
function Replacement({ successor }: { successor: unknown }): Html {
  return successor === null
    ? (
      <div>
        <dt>Next step</dt>
        <dd>None: the certificate has been replaced.</dd>
      </div>
    )
    : (
      <div>
        <dt>Replaced by</dt>
        <dd>
          <ObjectLink brief={successor} />
        </dd>
      </div>
    );
}

/** Reads the certificate of a check, once for the lead and the facts. One statement. */
const certificateOf = memoize((check: Check) =>
  memoize(async (call: Call): Promise<Checked | undefined> => {
    const { id } = check.certificate;
    return (await readCertificates(call, [id], { fields: CERTIFICATE_FIELDS })).get(id);
  })
);

async function readPolicy(call: Call, { policy }: Pick<Check, "policy">): Promise<CheckedBy | undefined> {
  if (policy === null || !isGranted(call.ctx, "view", policies.objectType)) return undefined;
  const params = { id: policy.id, start: 0, limit: 1 };
  const fields = ["id", "policy_type", "parameters", "last_updated"] as const;
  return (await readRows(call.ctx, policies, { params, fields })).rows[0];
}
