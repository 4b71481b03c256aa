/** Certificates that have expired or were revoked, but are still assigned or served. */

import { isGranted } from "../../../auth/mod.ts";
import { counted, numberText } from "../../../base/amounts.ts";
import { certificates, mayViewUses } from "../../../domain/certificates/mod.ts";
import { endpoints } from "../../../domain/endpoints/mod.ts";
import type { Call } from "../../call.ts";
import { type Content, EmptyState, type Html, Icon, Joined, Table } from "../../kit/components/mod.ts";
import { type Params, readRows } from "../../kit/mod.ts";
import { certificateColumns, type ListedCertificate, readListed } from "./columns.tsx";
import { withAssignedTo } from "./cells.tsx";
import { allCertificatesPath, REVOKED_USED, usedParams } from "./list_defaults.ts";

/** Number of certificates in the table. */
const SHOWN = 5;
const COLUMNS = ["common_name", "valid_to", "assigned_to", "owner", "state"];

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
): Promise<readonly Kind[]> {
  const { ctx } = call;
  const sees = isGranted(ctx, "view", certificates.objectType) && mayViewUses(ctx);
  if (filters === undefined || !sees) return [];
  const kinds = await Promise.all(
    // Filters of another status match no certificates of this kind, or nothing else.
    KINDS.filter(([, { status }]) => status === undefined || !("status" in filters)).map(
      async ([word, ofKind]): Promise<Kind> => {
        const params = { ...filters, ...ofKind };
        const listed = { params: { ...params, ordering: "valid_to", limit: SHOWN }, columns: COLUMNS };
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

/** Counts the endpoints that still serve a replaced certificate; 0 if the user may view none. At most two statements. */
export async function countServingReplaced(call: Call): Promise<number> {
  if (!isGranted(call.ctx, "view", endpoints.objectType)) return 0;
  const params = { certificate__status: "replaced", limit: 1 };
  return (await readRows(call.ctx, endpoints, { params, fields: ["id"] })).count;
}

/** Renders them; nothing if there are none. */
export function StillUsed(
  { call, kinds, replaced = 0 }: {
    call: Call;
    kinds: readonly Kind[];
    /** Number of endpoints that still serve a replaced certificate. */
    replaced?: number;
  },
): Html | null {
  const serving = replaced === 0 ? null : (
    <a href="/endpoints/?certificate__status=replaced">
      {counted(replaced, "endpoint still serves", "endpoints still serve")} a replaced certificate
    </a>
  );
  if (kinds.length === 0) {
    return serving === null ? null : (
      <p class="flash warn">
        <Icon name="warning" />
        {serving}
      </p>
    );
  }
  const count = kinds.reduce((sum, kind) => sum + kind.count, 0);
  // The first ones, but at least one of each kind.
  const [first, ...others] = kinds.map((kind) => kind.rows);
  const rows = [...first?.slice(0, SHOWN - others.length) ?? [], ...others.flat()].slice(0, SHOWN);
  // No filter matches both kinds.
  const cut = kinds.filter((kind) => kind.rows.filter((row) => rows.includes(row)).length < kind.count);
  return (
    <TitledCertificates
      call={call}
      id="still-used"
      caption="Expired and revoked certificates that are still assigned or served"
      rows={rows}
      columns={COLUMNS}
      urgent
    >
      <h2 id="still-used">
        {kinds.map(kindText).join(" and ")} {count === 1 ? "certificate is" : "certificates are"}{" "}
        still assigned or served
      </h2>
      {cut.length === 0 ? null : (
        <span>
          View all <Joined items={cut.map((kind) => <a href={kind.path}>{kindText(kind)}</a>)} />
        </span>
      )}
      {serving === null ? null : <span>{serving}</span>}
    </TitledCertificates>
  );
}

function kindText({ word, count }: Kind): string {
  return `${numberText(count)} ${word}`;
}

/** Renders certificates under a title with the heading `id`: in red those that need attention at once. */
export function TitledCertificates(
  { call, id, caption, rows, columns, urgent = false, children }: {
    call: Call;
    id: string;
    caption: string;
    rows: readonly ListedCertificate[];
    columns: readonly string[];
    urgent?: boolean;
    children: Content;
  },
): Html {
  return (
    <section aria-labelledby={id} class={urgent ? "titled overdue expiries" : "titled expiries"}>
      <div class="title">{children}</div>
      {rows.length === 0
        ? <EmptyState text="No active certificates." />
        : <Table caption={caption} dense rows={rows} columns={certificateColumns(call, columns)} />}
    </section>
  );
}

/**
 * Reads and renders the certificates in use that match a filter, next to expire first, and with `withRevoked` above them
 * those that were revoked but are still assigned or served.
 */
export async function certificateTable(
  call: Call,
  { params, columns, limit, withRevoked = false }: {
    params: Params;
    columns: readonly string[];
    limit: number;
    withRevoked?: boolean;
  },
): Promise<{ rows: readonly ListedCertificate[]; count: number; table: Html }> {
  const read = (selected: Params): ReturnType<typeof readListed> =>
    readListed(call, { params: { ...selected, ordering: "valid_to", limit }, columns });
  const [found, revoked] = await Promise.all([
    read({ ...usedParams(params), ...(withRevoked ? { status__n: "revoked" } : {}) }),
    withRevoked ? read({ ...params, ...REVOKED_USED }) : undefined,
  ]);
  const shown = [...revoked?.rows ?? [], ...found.rows].slice(0, limit);
  const rows = columns.includes("assigned_to") ? await withAssignedTo(call, shown) : shown;
  const table = (
    <Table
      caption="Certificates"
      rows={rows}
      columns={certificateColumns(call, columns)}
      dense
    />
  );
  return { rows, count: found.count + (revoked?.count ?? 0), table };
}
