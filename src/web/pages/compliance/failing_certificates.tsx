/** Failing certificates of the report, worst first, with the names of the policies that they fail. */

import { type Check, checks, type Report, type ReportQuery } from "../../../domain/compliance/mod.ts";
import type { Call } from "../../call.ts";
import { type ListedCertificate, NameLink } from "../certificates/mod.ts";
import {
  type Column,
  type Content,
  EmptyState,
  type Html,
  Pager,
  Section,
  Table,
  type Tone,
  truncate,
} from "../../kit/components/mod.ts";
import { readRows } from "../../kit/mod.ts";
import { objectPath } from "../../paths.ts";
import { columnsOfCertificates, readCertificates } from "./scope.ts";

/** Maximum number of failed checks that are read for a page of certificates. */
const MAX_READ = 1_000;
/** Number of failures that a row names, in one line; others are counted. */
const NAMED = 2;

/** Tones of failures, most severe first. */
export const SEVERITY_TONES: Readonly<Record<string, Tone>> = {
  critical: "bad",
  warning: "warn",
  info: "info",
};
const SEVERITIES = Object.keys(SEVERITY_TONES);

/** Columns of certificates after the failures. The owner is a contact, or the tenant. */
const FURTHER = ["owner", "valid_to"];

type Failing = Report["failing_certificates"]["results"][number];

const FAILURE_FIELDS = ["id", "certificate", "policy", "severity", "message"] as const;
type Failure = Pick<Check, (typeof FAILURE_FIELDS)[number]>;

/** A failing certificate as the user may view it, and its failed checks. */
interface Row {
  readonly id: unknown;
  readonly failed: number;
  readonly certificate: ListedCertificate | undefined;
  readonly failures: readonly Failure[];
}

/** Reads the rows of the table for the certificates of a report; two statements. */
export async function failingRows(
  call: Call,
  { report, query }: { report: Report; query: ReportQuery },
): Promise<readonly Row[]> {
  const { results } = report.failing_certificates;
  const ids = results.flatMap(({ certificate }) => certificate === null ? [] : [certificate.id]);
  const [known, failures] = await Promise.all([
    readCertificates(call, ids, { columns: FURTHER }),
    readFailures(call, ids, query),
  ]);
  return results.map(({ certificate, failed }: Failing) => ({
    id: certificate?.id,
    failed,
    certificate: known.get(Number(certificate?.id)),
    failures: failures.get(Number(certificate?.id)) ?? [],
  }));
}

/** Reads the failed checks that the report counts, most severe first, by certificate. */
async function readFailures(
  call: Call,
  ids: readonly number[],
  { listed }: ReportQuery,
): Promise<ReadonlyMap<number, readonly Failure[]>> {
  if (ids.length === 0) return new Map();
  // Other filters of certificates already apply to the certificates of a page.
  const filters = [...new Set(listed.keys())].filter((name) => !/^certificate/.test(name))
    .map((name) => [name, listed.getAll(name)] as const);
  const { rows } = await readRows(call.ctx, checks, {
    params: {
      ...Object.fromEntries(filters),
      certificate_id: ids,
      result: "fail",
      start: 0,
      limit: Math.min(MAX_READ, call.ctx.settings.maxPageSize),
    },
    fields: FAILURE_FIELDS,
  });
  const rank = ({ severity }: Pick<Check, "severity">): number => SEVERITIES.indexOf(severity);
  return Map.groupBy(
    rows.toSorted((a, b) => rank(a) - rank(b)),
    ({ certificate }) => certificate.id,
  );
}

export function FailingCertificates(
  { call, report, rows, url, query }: {
    call: Call;
    report: Report;
    rows: readonly Row[];
    url: URL;
    query: ReportQuery;
  },
): Html {
  const { count } = report.failing_certificates;
  return (
    <Section id="failing" title="Failing certificates">
      {count === 0 ? <EmptyState text="All certificates pass." /> : (
        <>
          <Table caption="Failing certificates" columns={columnsOf(call)} rows={rows} dense />
          <Pager url={url} count={count} limit={query.limit} offset={query.offset} />
        </>
      )}
    </Section>
  );
}

function columnsOf(call: Call): Column<Row>[] {
  return [
    {
      label: "Certificate",
      cell: ({ certificate }) =>
        certificate === undefined
          ? <span class="faint">not visible to you</span>
          : <NameLink row={certificate} />,
    },
    { label: "Fails", cell: (row) => <Failures row={row} />, layout: ["folds", "wide-share"] },
    ...columnsOfCertificates<Row>(call, FURTHER),
  ];
}

/** Renders the failed policies, each with a link to its result, and the number of further ones. */
function Failures({ row: { id, failed, failures } }: { row: Row }): Content {
  const named = failures.slice(0, NAMED);
  const others = failed - named.length;
  return (
    <span class="failures">
      {named.map((check) => (
        <a
          class={`badge ${SEVERITY_TONES[check.severity] ?? "plain"}`}
          href={objectPath(checks, check.id)}
          title={truncate(check.message, 300)}
        >
          <bdi>{policyName(check)}</bdi>
        </a>
      ))}
      {others === 0
        ? null
        : id === undefined
        ? String(others)
        : <a href={`/checks/?certificate_id=${id}&result=fail`}>{`+ ${others} more`}</a>}
    </span>
  );
}

/** Characters of the name of a policy in a row. */
const NAME_CHARS = 40;

function policyName({ policy }: Pick<Check, "policy">): string {
  return policy === null ? "Hidden policy" : truncate(policy.display, NAME_CHARS);
}
