/** Compliance results: their list, and the page of one with what to do about it. */

import { isGranted } from "../../../auth/mod.ts";
import { type Certificate, certificates } from "../../../domain/certificates/mod.ts";
import { addReportFilters, type Check, checks, policies } from "../../../domain/compliance/mod.ts";
import type { Call } from "../../call.ts";
import { Owner } from "../certificates/mod.ts";
import { Badge, Expiry, type Html, Time } from "../../kit/components/mod.ts";
import { defineView, ObjectLink, PostButton } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { readCertificates } from "./scope.ts";
import { textOf } from "./rule_texts.ts";

type ListedCheck = Check & {
  readonly owner?: Pick<Certificate, "owner" | "tenant">;
  readonly expires?: Pick<Certificate, "valid_to" | "days_remaining" | "expiry_status"> | undefined;
};

/** Adds the certificates to results. One statement. */
async function withCertificates(call: Call, rows: readonly Check[]): Promise<readonly ListedCheck[]> {
  const known = await readCertificates(call, rows.flatMap(({ certificate }) => certificate?.id ?? []), {
    fields: ["owner", "tenant", "valid_to", "days_remaining", "expiry_status"],
  });
  return rows.map((row) => {
    const about = known.get(row.certificate.id);
    const hasOwner = about !== undefined && (about.owner !== null || about.tenant !== null);
    return {
      ...row,
      ...(hasOwner ? { owner: about } : {}),
      expires: about,
    };
  });
}

/** Parameters that name certificates, with which the list includes replaced certificates. */
const DECIDES = /^certificate/;

/** Results are written by runs, so they cannot be edited. */
export const checkView = defineView<ListedCheck>({
  resource: checks,
  name: {
    label: "Certificate",
    needs: ["certificate", "policy"],
    of: ({ certificate }) => String(certificate.common_name),
    // A user may view checks without the permission to view their certificates.
    path: ({ expires, certificate }) =>
      expires === undefined ? undefined : objectPath(certificates, certificate.id),
  },
  ordering: "severity_rank,certificate_valid_to",
  columns: [
    { name: "severity", needs: ["result"], sort: "severity_rank", cell: (check) => <Result check={check} /> },
    {
      name: "message",
      label: "What was found",
      needs: ["result", "policy", "checked_value"],
      cell: (row) => <a class="wraps" href={objectPath(checks, row.id)}>{row.message || row.result}</a>,
    },
    { name: "policy", layout: ["p3", "folds", "share"] },
    {
      name: "owner",
      cell: ({ owner }) => owner === undefined ? "" : <Owner row={owner} />,
      layout: ["p3", "folds", "share"],
    },
    {
      name: "checked_at",
      label: "Checked",
      cell: (row) => <Time at={row.checked_at} />,
    },
    {
      name: "expires",
      sort: "certificate_valid_to",
      cell: ({ expires }) => expires === undefined ? "" : <Expiry row={expires} />,
      layout: ["p3"],
    },
    "result",
  ],
  usual: ["severity", "message", "policy", "owner", "checked_at"],
  tabs: { parts: [["Failing", { result: "fail" }]], counted: true, first: true },
  scope: {
    label: "Include unused",
    // Unless the URL selects certificates itself.
    add: (params) => {
      if ([...params.keys()].some((name) => DECIDES.test(name))) return false;
      addReportFilters(params);
      return true;
    },
  },
  withMore: withCertificates,
  filters: ["result", "severity", "policy_id", "policy_type"],
  title: {
    needs: ["message", "result", "certificate"],
    of: ({ message, result, certificate }) =>
      `${certificate.common_name}: ${(message || result).replace(/\.$/, "")}`,
  },
  empty: "No compliance checks yet. Check certificates on their pages, or many at once in the list.",
  detail: (call, check) => ({
    actions: !isGranted(call.ctx, "manage_compliance", policies.objectType) ? null : (
      <PostButton
        call={call}
        action={`${objectPath(certificates, check.certificate.id)}check/`}
        label="Check again"
        icon="check"
        class="secondary"
      />
    ),
    related: [["All results of this certificate", `/checks/?certificate_id=${check.certificate.id}`]],
    lead: checkLead(call, check),
    without: ["message", "policy", "certificate", "result", "severity", "checked_value", "expected_value"],
  }),
});

/** Renders the result: how severe a failure is, or that the check passed. */
function Result({ check: { result, severity } }: { check: Pick<Check, "result" | "severity"> }): Html {
  return result === "fail" ? <Badge value={severity} /> : <Badge value="passed" />;
}

/** Renders the result, what was found and expected, and what to do about a failure. */
async function checkLead(call: Call, check: Check): Promise<Html> {
  const { certificate: { id }, policy, result, checked_value: found, expected_value: expected } = check;
  const path = objectPath(certificates, id);
  const failed = result === "fail";
  const fix = textOf(policy?.policy_type);
  // What these policies find is the code of a state.
  const isCode = ["chain_required", "not_revoked"].includes(String(policy?.policy_type));
  const certificate = (await readCertificates(call, [id], { fields: ["replaced_by"] })).get(id);
  const successor = certificate?.replaced_by ?? null;
  return (
    <div class="check-summary">
      <p>
        <Result check={check} /> <a href={path}>The certificate</a> {failed ? "fails" : "passes"}{" "}
        {policy === null ? "a policy that you may not view" : (
          <>
            the policy “<ObjectLink brief={policy} />”
          </>
        )}
      </p>
      <dl class="card">
        <div>
          <dt>Found</dt>
          <dd>{(isCode ? found.replaceAll("_", " ") : found) || check.message}</dd>
        </div>
        <div>
          <dt>Expected</dt>
          <dd>{expected}</dd>
        </div>
        {!failed ? null : successor !== null
          ? (
            <div>
              <dt>Replaced by</dt>
              <dd>
                <ObjectLink brief={successor} />
              </dd>
            </div>
          )
          : (
            <div>
              <dt>Next step</dt>
              <dd>
                <a href={`${path}${fix?.place ?? ""}`}>{fix?.fix ?? "See its certificate."}</a>
              </dd>
              <dd class="faint">Then check it again.</dd>
            </div>
          )}
      </dl>
    </div>
  );
}
