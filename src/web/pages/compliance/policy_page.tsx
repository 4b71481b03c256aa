/** The page of a policy: what it requires, how many certificates pass, and which ones fail. */

import { isGranted } from "../../../auth/mod.ts";
import { counted, numberText, percentText } from "../../../base/amounts.ts";
import {
  type Check,
  checks,
  type Policy,
  type PolicyResults,
  policyResults,
} from "../../../domain/compliance/mod.ts";
import type { Call } from "../../call.ts";
import { type ListedCertificate, NameLink, withAssignedTo } from "../certificates/mod.ts";
import {
  Badge,
  type Column,
  type Content,
  EmptyState,
  type Html,
  Table,
  Time,
} from "../../kit/components/mod.ts";
import { TrendChart } from "../dashboard/mod.ts";
import { PrintedPart, readRows } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { columnsOfCertificates, readCertificates } from "./checked_certificates.ts";
import { foundText, requirementOf } from "./rule_texts.ts";
import { PassBar } from "./score_bars.tsx";
import {
  checksOf,
  nextCheck,
  readUnchecked,
  uncheckedBy,
  type UncheckedCount,
  uncheckedText,
} from "./scope.ts";

/** Number of failing certificates on the page. */
const SHOWN = 20;
const FURTHER = ["assigned_to", "owner", "valid_to"];

const FAILURE_FIELDS = ["id", "certificate", "checked_value", "message"] as const;

/** A failed check, and its certificate as the user may view it. */
interface Failure {
  readonly id: unknown;
  readonly check: Pick<Check, (typeof FAILURE_FIELDS)[number]>;
  readonly certificate: ListedCertificate | undefined;
}

/** Reads and renders the requirement, the results, the trend and the failing certificates. Seven statements. */
export async function policyLead(call: Call, policy: Policy): Promise<Content> {
  const { ctx } = call;
  const requirement = <Requirement policy={policy} />;
  if (!isGranted(ctx, "view", checks.objectType)) return requirement;
  const [found, unchecked, failures] = await Promise.all([
    policyResults({ ctx, policyIds: [policy.id] }),
    readUnchecked(call, { unchecked: uncheckedBy(policy.id), policyIds: [policy.id] }),
    readFailures(call, policy.id),
  ]);
  const results = found.get(policy.id) as PolicyResults;
  return (
    <>
      {requirement}
      <div class="columns even">
        <Results call={call} policy={policy} results={results} unchecked={unchecked} />
        {results.trend.length < 2 ? null : (
          <section class="card" aria-labelledby="trend">
            <h2 id="trend">Trend</h2>
            <TrendChart days={results.trend} of={{ policy_id: String(policy.id) }} />
          </section>
        )}
      </div>
      {results.total_checks === 0 ? null : (
        <section aria-labelledby="failing">
          <h2 id="failing">
            Failing certificates <span class="count">{numberText(results.failed)}</span>
          </h2>
          {failures.length === 0 ? <EmptyState text="All checked certificates pass." /> : (
            <>
              <PrintedPart shown={failures.length} count={results.failed} />
              <Table
                caption="Failing certificates"
                columns={columnsOf(call, policy.policy_type)}
                rows={failures}
                dense
              />
              {results.failed <= failures.length ? null : (
                <p class="more">
                  <a href={checksOf(policy.id, "fail")}>View all {numberText(results.failed)}</a>
                </p>
              )}
            </>
          )}
        </section>
      )}
    </>
  );
}

function Requirement({ policy }: { policy: Policy }): Html {
  const { severity, enabled, description } = policy;
  return (
    <div class="requirement">
      <p>
        <Badge value={severity} />
        {enabled === true ? null : <Badge value="disabled" tone="plain" />}
        <span>{requirementOf(policy)}</span>
      </p>
      {description === "" ? null : <p class="faint">{description}</p>}
    </div>
  );
}

function Results(
  { call, policy: { id }, results, unchecked }: {
    call: Call;
    policy: Policy;
    results: PolicyResults;
    unchecked: UncheckedCount | undefined;
  },
): Html {
  const { total_checks: total, passed, failed, compliance_score: score, checked_at: at } = results;
  return (
    <section class="card results" aria-labelledby="results">
      <h2 id="results">Results</h2>
      {total === 0 ? <p>No certificate has been checked yet.</p> : (
        <>
          <p class="rate">
            <strong>{percentText(score)}</strong>{" "}
            <a href={checksOf(id)}>
              {numberText(passed)} of {counted(total, "certificate passes", "certificates pass")}
            </a>
          </p>
          <PassBar sum={results} />
          <p>
            {failed === 0
              ? "None fails."
              : <a href={checksOf(id, "fail")}>{counted(failed, "fails", "fail")}</a>}
            {at === null ? null : (
              <span class="faint">
                {" · last checked "}
                <Time at={at} />
              </span>
            )}
          </p>
        </>
      )}
      {unchecked === undefined || unchecked.count === 0 ? null : (
        <p>
          <a href={unchecked.path}>
            {counted(unchecked.count, "certificate is", "certificates are")} not checked
          </a>{" "}
          <span class="faint">({uncheckedText(unchecked)}{nextCheck(call)})</span>
        </p>
      )}
    </section>
  );
}

/** Reads the failed checks of a policy, next to expire first, and their certificates; three statements. */
async function readFailures(call: Call, policyId: number): Promise<readonly Failure[]> {
  const found = await readRows(call.ctx, checks, {
    params: {
      policy_id: policyId,
      result: "fail",
      certificate__in_use: "true",
      ordering: "certificate_valid_to",
      limit: SHOWN,
    },
    fields: FAILURE_FIELDS,
  });
  const ids = found.rows.map(({ certificate }) => certificate.id);
  const known = await readCertificates(call, ids, { columns: FURTHER });
  const rows = new Map((await withAssignedTo(call, [...known.values()])).map((row) => [row.id, row]));
  return found.rows.map((check) => ({ id: check.id, check, certificate: rows.get(check.certificate.id) }));
}

function columnsOf(call: Call, type: unknown): Column<Failure>[] {
  const found = ({ check, certificate }: Failure): Html => (
    <a class="wraps" href={objectPath(checks, check.id)}>
      {foundText(type, check, certificate)}
    </a>
  );
  return [
    {
      label: "Certificate",
      cell: ({ check, certificate }) =>
        certificate === undefined
          ? <bdi>{String(check.certificate.common_name)}</bdi>
          : <NameLink row={certificate} />,
    },
    { label: "Found", cell: found, layout: ["folds", "share"], under: found },
    ...columnsOfCertificates<Failure>(call, FURTHER),
  ];
}
