/** Failing certificates of the report, worst first. */

import { certificates } from "../../domain/certificates/mod.ts";
import type { Report, ReportQuery } from "../../domain/compliance/mod.ts";
import { Badge, type Column, EmptyState, type Html, Pager, Table, truncate } from "../components/mod.ts";
import { objectPath } from "../paths.ts";

type Row = Report["failing_certificates"]["results"][number] & { readonly id: unknown };

const COLUMNS: readonly Column<Row>[] = [
  { label: "Certificate", cell: ({ certificate }) => <CertificateLink certificate={certificate} /> },
  { label: "Critical", cell: ({ critical }) => <Count count={critical} tone="bad" />, align: "end" },
  { label: "Warning", cell: ({ warning }) => <Count count={warning} tone="warn" />, align: "end" },
  { label: "Info", cell: ({ info }) => <Count count={info} tone="info" />, align: "end", priority: 3 },
  { label: "Score", cell: ({ compliance_score }) => `${compliance_score} %`, align: "end", priority: 2 },
  {
    label: "Failures",
    hidden: true,
    priority: 3,
    cell: ({ certificate }) =>
      certificate === null
        ? ""
        : <a href={`/checks/?certificate_id=${certificate.id}&result=fail`}>View failures</a>,
  },
];

export function FailingCertificates(
  { report, url, query }: { report: Report; url: URL; query: ReportQuery },
): Html {
  const { count, results } = report.failing_certificates;
  return (
    <section aria-labelledby="failing">
      <h2 id="failing">Failing certificates</h2>
      {count === 0 ? <EmptyState text="All certificates pass." /> : (
        <>
          <Table
            caption="Failing certificates"
            columns={COLUMNS}
            rows={results.map((row) => ({ ...row, id: row.certificate?.id }))}
          />
          <Pager url={url} count={count} limit={query.limit} offset={query.offset} />
        </>
      )}
    </section>
  );
}

function CertificateLink({ certificate }: { certificate: Row["certificate"] }): Html {
  if (certificate === null) return <span class="faint">not visible to you</span>;
  return (
    <a href={objectPath(certificates, certificate.id)} class="object">
      <bdi>{truncate(String(certificate.common_name ?? certificate.display))}</bdi>
    </a>
  );
}

function Count({ count, tone }: { count: number; tone: "bad" | "warn" | "info" }): Html {
  return count === 0 ? <span class="faint">0</span> : <Badge value={String(count)} tone={tone} />;
}
