/** The certificate that may have been issued for a request: what it is, and what its compliance checks have found. */

import { isGranted } from "../../../auth/mod.ts";
import { counted } from "../../../base/amounts.ts";
import { certificates } from "../../../domain/certificates/mod.ts";
import { checks } from "../../../domain/compliance/mod.ts";
import type { Call } from "../../call.ts";
import { MAX_NAMED_POLICIES } from "../certificates/mod.ts";
import {
  type Content,
  Day,
  Expiry,
  type Html,
  Joined,
  Property,
  PropertyList,
} from "../../kit/components/mod.ts";
import { labelOf } from "../../messages.ts";
import { issuerName, readRows, Text } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";

const FIELDS = ["id", "sans", "valid_from", "valid_to", "days_remaining", "expiry_status", "issuer"] as const;

/** Maximum number of results that are read. */
const MAX_RESULTS = 200;

/** Renders the certificate in brief; nothing if the user may not view it. At most two statements. */
export async function suggestedCertificate(
  call: Call,
  { id }: { readonly id: number },
): Promise<Html | null> {
  if (!isGranted(call.ctx, "view", certificates.objectType)) return null;
  const [{ rows: [row] }, results] = await Promise.all([
    readRows(call.ctx, certificates, { params: { id, start: 0, limit: 1 }, fields: FIELDS }),
    resultsOf(call, id),
  ]);
  if (row === undefined) return null;
  const names = row.sans;
  return (
    <PropertyList>
      <Property name={labelOf("sans")}>
        {names.length === 0 ? <span class="faint">none</span> : <Text text={names.join(", ")} />}
      </Property>
      <Property name={labelOf("issuer")}>
        <Text text={issuerName(row.issuer)} />
      </Property>
      <Property name={labelOf("valid_from")}>
        <Day at={row.valid_from} />
      </Property>
      <Property name="Expires">
        <Expiry row={row} />
      </Property>
      {results === null ? null : <Property name="Policies">{results}</Property>}
    </PropertyList>
  );
}

/** Renders which policies the certificate fails, or how many it passes; null for users who may not view checks. */
async function resultsOf(call: Call, id: number): Promise<Content | null> {
  if (!isGranted(call.ctx, "view", checks.objectType)) return null;
  const params = { certificate_id: id, start: 0, limit: MAX_RESULTS };
  const { rows } = await readRows(call.ctx, checks, { params, fields: ["id", "result", "policy"] });
  const failed = rows.filter(({ result }) => result === "fail");
  const passed = rows.filter(({ result }) => result === "pass").length;
  if (rows.length === 0) return <span class="faint">not checked yet</span>;
  if (failed.length === 0) return `${counted(passed, "policy", "policies")} passed`;
  return (
    <>
      fails{" "}
      <Joined
        items={failed.slice(0, MAX_NAMED_POLICIES).map(({ id: check, policy }) => (
          <a href={objectPath(checks, check)}>
            {policy === null ? "a deleted policy" : <bdi>{policy.display}</bdi>}
          </a>
        ))}
        others={failed.length - MAX_NAMED_POLICIES}
      />
      {passed === 0 ? "" : `; ${counted(passed, "policy", "policies")} passed`}
    </>
  );
}
