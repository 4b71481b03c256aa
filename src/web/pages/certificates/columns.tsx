/** Columns of the list of certificates. */

import { counted } from "../../../base/amounts.ts";
import type { Call } from "../../call.ts";
import { Badge, type Column, Day, Expiry, type Html, Name, truncate } from "../../kit/components/mod.ts";
import { objectPath } from "../../paths.ts";
import {
  allColumns,
  type Chosen,
  type ColumnOf,
  expiryIn,
  issuerName,
  nameColumn,
  ObjectLink,
  type Params,
  readColumns,
  valueOf,
  type View,
  withoutExpiry,
} from "../../kit/mod.ts";
import { type Certificate, certificates, FROM_LIST, isCurrent } from "../../../domain/certificates/mod.ts";
import { type Brief, CUSTOM_COLUMN, shapeOf } from "../../../resource/mod.ts";
import { columnTitleOf } from "../../messages.ts";
import { type Assigned, AssignedTo, Chain, State, StillServed } from "./cells.tsx";
import { showsReplaced } from "./list_defaults.ts";

/** A row of the list, with the fields that its columns need. */
export type ListedCertificate = Chosen<Certificate, (typeof LISTED)[number]> & Assigned;

/** Fields of every row. */
export const LISTED = ["id", "common_name"] as const;

/** Returns a column whose cells read only the fields that it needs. */
function column<const Name extends keyof Certificate>(
  name: string,
  needs: readonly Name[],
  rest: Omit<ColumnOf<Pick<Certificate, Name | (typeof LISTED)[number]> & Assigned>, "name" | "needs">,
): ColumnOf<ListedCertificate> {
  return { name, needs, ...rest };
}

/** Fields of a cell with the expiry. */
const EXPIRY = ["valid_to", "days_remaining", "expiry_status", "renewal_window_end", "replaced_by"] as const;

/**
 * The columns after the name, in their order. Cells call their components as functions: a node for each of them is a fifth of the time of
 * a list.
 */
const COLUMNS: readonly ColumnOf<ListedCertificate>[] = [
  column("valid_to", [...EXPIRY, "status"], {
    label: "Expires",
    cell: (row) => Expiry({ row, past: !isCurrent(row) }),
    layout: ["folds"],
  }),
  column("assigned_to", ["endpoint_count"], {
    cell: (row) => AssignedTo({ row }),
    layout: ["p2", "folds", "share"],
    stays: true,
  }),
  column("replaced_by", ["replaced_by", "endpoint_count"], {
    cell: (row) =>
      row.replaced_by === null ? "" : (
        <>
          {ObjectLink({ brief: row.replaced_by, shown: successorText(row.common_name, row.replaced_by) })}
          {" "}
          {StillServed(row)}
        </>
      ),
    layout: ["p2", "folds", "named", "wide-share"],
  }),
  column("owner", ["owner", "tenant"], {
    cell: (row) => Owner({ row }),
    layout: ["p2", "folds", "share"],
  }),
  column("state", ["status", "discovered_via", "revocation_status", "chain_status", "expiry_status"], {
    cell: (row) => State({ row }),
    layout: ["p3", "folds", "named", "problems"],
    stays: true,
  }),
  column("status", ["status"], {
    // An expired certificate has no warning here, because the column "Expires" has it.
    cell: ({ status }) => Badge({ value: status, tone: status === "expired" ? "plain" : undefined }),
    layout: ["p3", "folds", "problems"],
  }),
  column("chain_status", ["chain_status", "expiry_status", "status"], {
    label: "Chain",
    cell: (row) => Chain({ row }),
    layout: ["p3", "folds", "named", "problems"],
  }),
  column("revocation_status", ["revocation_status"], {
    label: "Revocation",
    cell: (row) => <Badge value={row.revocation_status} />,
    layout: ["p3"],
  }),
  column("issuer", ["issuer"], {
    cell: (row) => <bdi title={truncate(row.issuer, 500)}>{issuerName(row.issuer)}</bdi>,
    layout: ["p3", "share"],
  }),
  column("tenant", ["tenant"], {
    cell: (row) => row.tenant === null ? "" : ObjectLink({ brief: row.tenant }),
    layout: ["p3", "share"],
  }),
  plain("serial_number"),
  column("algorithm", ["algorithm", "key_size"], { label: "Key", cell: keyText, layout: ["p3"] }),
  plain("signature_algorithm"),
  plain("sans"),
  plain("issuing_ca"),
  column("valid_from", ["valid_from"], { cell: (row) => <Day at={row.valid_from} />, layout: ["p3"] }),
  column("assignment_count", ["assignment_count"], {
    label: "Assignments",
    cell: (row) => String(row.assignment_count),
    layout: ["number", "p3"],
  }),
  column("lifetime_days", ["lifetime_days", "discovered_via"], {
    label: "Lifetime",
    cell: (row) => row.discovered_via === FROM_LIST ? "" : counted(row.lifetime_days, "day"),
    layout: ["number", "p3"],
  }),
  plain("description"),
  plain("last_seen"),
  plain("automation"),
  plain("acme_provider"),
  plain("tags"),
  plain("created"),
  plain("last_updated"),
];

/** Columns shown by default. */
const USUAL = ["valid_to", "assigned_to", "owner", "state"];
/** Those of a list of replaced certificates, which all have this status. */
const USUAL_OF_REPLACED = ["valid_to", "replaced_by", "owner", "chain_status"];

/** Returns the default columns. Replaced certificates are assigned to nothing, but have a successor. */
export function usualColumns({ url }: Call): readonly string[] {
  return showsReplaced(url.searchParams) ? USUAL_OF_REPLACED : USUAL;
}

/** The columns of the view of certificates. */
export const CERTIFICATE_COLUMNS: Pick<View<Certificate & Assigned>, "resource" | "name"> & {
  readonly columns: readonly ColumnOf<Certificate & Assigned>[];
} = {
  resource: certificates,
  name: { label: "Common name", needs: ["common_name"], of: ({ common_name: name }) => name },
  columns: COLUMNS,
};

/** Returns all columns by name, with that of the name and those of custom fields. */
function columnsByName(call: Call): ReadonlyMap<string, Column<Certificate & Assigned>> {
  return new Map<string, Column<Certificate & Assigned>>([
    ["common_name", nameColumn(CERTIFICATE_COLUMNS)],
    ...allColumns(call, CERTIFICATE_COLUMNS),
  ]);
}

/** Returns columns by name. */
export function certificateColumns(call: Call, names: readonly string[]): Column<ListedCertificate>[] {
  const columns = columnsByName(call);
  return names.flatMap((name) => columns.get(name) ?? []);
}

/** Returns the labels of all columns by name. */
export function columnLabels(call: Call): ReadonlyMap<string, string> {
  return new Map([...columnsByName(call)].map(([name, { label }]) => [name, label]));
}

const NEEDS = new Map<string, readonly string[]>([
  ["common_name", []],
  ...COLUMNS.map(({ name, needs = [] }) => [name, needs] as const),
]);

/** Returns the fields that columns read. */
export function neededFields(names: readonly string[]): string[] {
  return [...new Set([...LISTED, ...names.flatMap((name) => NEEDS.get(name) ?? [CUSTOM_COLUMN])])];
}

/** Reads rows with the fields of columns. */
export async function readListed(
  call: Call,
  { params, columns }: { params: Params; columns: readonly string[] },
): Promise<{ rows: readonly ListedCertificate[]; count: number }> {
  return await readColumns(call, certificates, { params, fields: LISTED, columns: neededFields(columns) });
}

/** Returns the column of a field with its value. */
function plain(name: string & keyof Certificate): ColumnOf<ListedCertificate> {
  const field = certificates.fields[name];
  if (field === undefined) throw new Error(`Certificates have no field "${name}"`);
  return {
    name,
    needs: [name],
    label: columnTitleOf(name),
    cell: (row) => valueOf(field, row[name]),
    layout: ["datetime", "choice"].includes(shapeOf(field).kind) ? ["p3"] : ["p3", "share"],
  };
}

/** Renders the certificate's name as a link; the title has the full name. */
export function NameLink({ row }: { row: Pick<Certificate, "id" | "common_name"> }): Html {
  const name = row.common_name;
  return (
    <a
      href={objectPath(certificates, row.id)}
      class="object"
      title={truncate(name, 500)}
    >
      {Name({ text: name })}
    </a>
  );
}

/** Renders the certificate of another object by its name only, because its expiry is next to it or of no interest. */
export function CertificateName({ brief }: { brief: Brief | null }): Html {
  return ObjectLink({ brief: { ...brief, display: String(brief?.common_name ?? brief?.display) } });
}

/** Returns the name of a row's successor, or only its expiry if its name is the same: "expires 2027-02-23". */
function successorText(name: string, { display }: Brief): string {
  const date = withoutExpiry(display) === name ? expiryIn(display) : undefined;
  return date === undefined ? truncate(display, 30) : `expires ${date}`;
}

/** Returns the tenant of a certificate as a text; empty without one. */
function tenantText({ tenant }: Pick<Certificate, "tenant">): string {
  return tenant === null ? "" : `Tenant: ${truncate(tenant.display, 30)}`;
}

/** Renders the owner. Without one, the tenant is a hint at whom to ask. */
export function Owner({ row }: { row: Pick<Certificate, "owner" | "tenant"> }): Html | string {
  if (row.owner !== null) return ObjectLink({ brief: row.owner.contact });
  const tenant = tenantText(row);
  return tenant === "" ? "" : <bdi class="faint">{tenant}</bdi>;
}

const CURVES: Readonly<Record<string, string>> = { ed25519: "Ed25519" };

/** Returns the algorithm and size of the key: "RSA 2048". */
export function keyText(
  { algorithm, key_size: size }: Partial<Pick<Certificate, "algorithm" | "key_size">>,
): string {
  if (algorithm === "unknown" && size === null) return algorithm;
  // The curve of the name has only one size (RFC 8032 §5).
  return CURVES[String(algorithm)] ?? `${String(algorithm).toUpperCase()}${size === null ? "" : ` ${size}`}`;
}
