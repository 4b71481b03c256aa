/** Certificates that have expired or were revoked, but are still assigned or served. */

import { isGranted } from "../../../auth/mod.ts";
import { counted, numberText } from "../../../base/amounts.ts";
import { certificates, mayViewUses } from "../../../domain/certificates/mod.ts";
import { endpoints } from "../../../domain/endpoints/mod.ts";
import type { Call } from "../../call.ts";
import { type Content, type Html, Icon, Joined, Table } from "../../kit/components/mod.ts";
import { type Params, PrintedPart, readRows } from "../../kit/mod.ts";
import { certificateColumns, type ListedCertificate, readListed } from "./columns.tsx";
import { withAssignedTo } from "./assigned_to.tsx";
import { allCertificatesPath, REVOKED_USED } from "./list_defaults.ts";

/** Number of certificates in the table. */
const SHOWN = 5;
const COLUMNS = ["common_name", "valid_to", "assigned_to", "owner", "status"];

/** The two kinds: a word for the heading, and their filters. */
const KINDS: readonly (readonly [word: string, filters: Params])[] = [
  ["expired", { overdue: "true", assigned_or_served: "true" }],
  ["revoked", REVOKED_USED],
];

/** The certificates of a kind. */
interface Kind {
  readonly word: string;
  readonly count: number;
  readonly rows: readonly ListedCertificate[];
  readonly path: string;
}

/**
 * Reads both kinds of the certificates that match filters, the oldest expiry first; three statements. Returns none
 * without filters, or if the user may view neither assignments nor endpoints.
 */
export async function loadStillUsed(
  call: Call,
  filters: Params | undefined,
  shown = SHOWN,
): Promise<readonly Kind[]> {
  const { ctx } = call;
  const sees = isGranted(ctx, "view", certificates.objectType) && mayViewUses(ctx);
  if (filters === undefined || !sees) return [];
  const kinds = await Promise.all(
    // Filters of another status match no certificates of this kind, or nothing else.
    KINDS.filter(([, { status }]) => status === undefined || !("status" in filters)).map(
      async ([word, ofKind]): Promise<Kind> => {
        const params = { ...filters, ...ofKind };
        const listed = { params: { ...params, ordering: "valid_to", limit: shown }, columns: COLUMNS };
        const found = await readListed(call, listed);
        return { word, ...found, path: allCertificatesPath(params) };
      },
    ),
  );
  const rows = await withAssignedTo(call, kinds.flatMap((kind) => kind.rows));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return kinds.filter(({ count }) => count > 0)
    .map((kind) => ({ ...kind, rows: kind.rows.map((row) => byId.get(row.id) ?? row) }));
}

/** Returns the rows of the table: the first ones, but at least one of each kind. */
function firstRows(kinds: readonly Kind[], shown: number): readonly ListedCertificate[] {
  const reserved = kinds.length - 1;
  const first = kinds[0]?.rows.slice(0, shown - reserved) ?? [];
  return [...first, ...kinds.slice(1).flatMap((kind) => kind.rows)].slice(0, shown);
}

/** Counts the endpoints that still serve a replaced certificate; 0 if the user may view none. At most two statements. */
export async function countServingReplaced(call: Call): Promise<number> {
  if (!isGranted(call.ctx, "view", endpoints.objectType)) return 0;
  const params = { certificate__status: "replaced", limit: 1 };
  return (await readRows(call.ctx, endpoints, { params, fields: ["id"] })).count;
}

/** Renders the link to the endpoints that still serve a replaced certificate. */
function ServingReplaced({ count }: { count: number }): Html {
  return (
    <a href="/endpoints/?certificate__status=replaced">
      {counted(count, "endpoint still serves", "endpoints still serve")} a replaced certificate
    </a>
  );
}

/** Renders them; nothing if there are none. */
export function StillUsed(
  { call, kinds, shown = SHOWN, replaced = 0 }: {
    call: Call;
    kinds: readonly Kind[];
    /** Number of rows. */
    shown?: number;
    /** Number of endpoints that still serve a replaced certificate. */
    replaced?: number;
  },
): Html | null {
  if (kinds.length === 0) {
    return replaced === 0 ? null : (
      <p class="flash warn">
        <Icon name="warning" />
        <ServingReplaced count={replaced} />
      </p>
    );
  }
  const count = kinds.reduce((sum, kind) => sum + kind.count, 0);
  const rows = firstRows(kinds, shown);
  return (
    <UrgentCertificates
      call={call}
      id="still-used"
      caption="Expired and revoked certificates that are still assigned or served"
      rows={rows}
      count={count}
      columns={COLUMNS}
    >
      <h2 id="still-used">
        {kinds.map(kindText).join(" and ")} {count === 1 ? "certificate is" : "certificates are"}{" "}
        still assigned or served
      </h2>
      <MoreLinks kinds={kinds} rows={rows} />
      {replaced === 0 ? null : <span>{ServingReplaced({ count: replaced })}</span>}
    </UrgentCertificates>
  );
}

function kindText({ word, count }: Kind): string {
  return `${numberText(count)} ${word}`;
}

/** Renders a link for each kind of which the table does not have all certificates: no filter matches both kinds. */
function MoreLinks(
  { kinds, rows }: { kinds: readonly Kind[]; rows: readonly ListedCertificate[] },
): Html | null {
  const cut = kinds.filter((kind) => kind.rows.filter((row) => rows.includes(row)).length < kind.count);
  if (cut.length === 0) return null;
  return (
    <span>
      View all <Joined items={cut.map((kind) => <a href={kind.path}>{kindText(kind)}</a>)} />
    </span>
  );
}

/** Renders the first of the certificates that need attention at once, under a red title with the heading `id`. */
export function UrgentCertificates(
  { call, id, caption, rows, count, columns, children }: {
    call: Call;
    id: string;
    caption: string;
    rows: readonly ListedCertificate[];
    /** Number of all, also of those without a row. */
    count: number;
    columns: readonly string[];
    children: Content;
  },
): Html {
  return (
    <section aria-labelledby={id} class="titled overdue expiries">
      <div class="title">{children}</div>
      <PrintedPart shown={rows.length} count={count} />
      <Table caption={caption} dense rows={rows} columns={certificateColumns(call, columns)} />
    </section>
  );
}
