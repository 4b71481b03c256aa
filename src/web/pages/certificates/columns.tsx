/** Columns of the list of certificates. */

import type { Call } from "../../call.ts";
import {
  Badge,
  type Column,
  Day,
  Expiry,
  type Html,
  Name,
  spokenName,
  truncate,
} from "../../kit/components/mod.ts";
import { objectPath } from "../../paths.ts";
import {
  type Chosen,
  customColumns,
  expiryIn,
  issuerName,
  MAX_COLUMNS,
  ObjectLink,
  type Params,
  readColumns,
  requestedColumns,
  valueOf,
  withoutExpiry,
} from "../../kit/mod.ts";
import { type Certificate, certificates, isCurrent } from "../../../domain/certificates/mod.ts";
import { type Brief, CUSTOM_COLUMN, shapeOf } from "../../../resource/mod.ts";
import { columnTitleOf } from "../../messages.ts";
import { Chain, ChainBrief } from "./chain_state.tsx";
import { type Assigned, AssignedTo, AssignedToBrief, StillServed } from "./assigned_to.tsx";
import { showsReplaced } from "./list_defaults.ts";

/** A column and the fields that it reads. */
interface Choice {
  readonly column: Column<ListedCertificate>;
  readonly needs: readonly string[];
}

/** A row of the list, with the fields that its columns need. */
export type ListedCertificate = Chosen<Certificate, (typeof LISTED)[number]> & Assigned;

/** Fields of every row. */
export const LISTED = ["id", "common_name"] as const;

/** Returns a column whose cells read only the fields that it needs. */
function choice<const Name extends keyof Certificate>(
  needs: readonly Name[],
  column: Column<Pick<Certificate, Name | (typeof LISTED)[number]> & Assigned>,
): Choice {
  return { needs, column };
}

/**
 * All columns by name, in their order: first the default ones. Cells call their components as functions: a node for each of them is a fifth of the
 * time of a list.
 */
const CHOICES: Readonly<Record<string, Choice>> = {
  common_name: choice(["common_name"], {
    label: "Common name",
    sort: "common_name",
    cell: (row) => NameLink({ row }),
  }),
  valid_to: choice(["valid_to", "days_remaining", "expiry_status", "status"], {
    label: "Expires",
    sort: "valid_to",
    cell: (row) => Expiry({ row, past: !isCurrent(row) }),
    layout: ["folds"],
    under: (row) => Expiry({ row, past: !isCurrent(row), phone: true }),
  }),
  assigned_to: choice(["endpoint_count"], {
    label: "Assigned to",
    cell: (row) => AssignedTo({ row }),
    layout: ["p2", "share"],
    under: AssignedToBrief,
  }),
  replaced_by: choice(["replaced_by", "endpoint_count"], {
    label: "Replaced by",
    cell: (row) =>
      row.replaced_by === null ? "" : (
        <>
          {ObjectLink({ brief: row.replaced_by, shown: successorText(row.common_name, row.replaced_by) })}
          {" "}
          {StillServed(row)}
        </>
      ),
    layout: ["p2", "wide-share"],
    under: (row) =>
      row.replaced_by === null
        ? ""
        : <>Successor: {successorText(row.common_name, row.replaced_by)} {StillServed(row)}</>,
  }),
  owner: choice(["owner", "tenant"], {
    label: "Owner",
    cell: (row) => Owner({ row }),
    layout: ["p2", "share"],
    under: ownerText,
  }),
  status: choice(["status"], {
    label: "Status",
    sort: "status",
    cell: (row) => Status({ value: row.status }),
    layout: ["p3"],
    under: ({ status }) => USUAL_STATUSES.has(status) ? "" : Status({ value: status }),
  }),
  chain_status: choice(["chain_status", "expiry_status", "status"], {
    label: "Chain",
    sort: "chain_status",
    cell: (row) => Chain({ row }),
    layout: ["p3"],
    under: ChainBrief,
  }),
  issuer: choice(["issuer"], {
    label: "Issuer",
    sort: "issuer",
    cell: (row) => <bdi title={truncate(row.issuer, 500)}>{issuerName(row.issuer)}</bdi>,
    layout: ["p3", "share"],
  }),
  tenant: choice(["tenant"], {
    label: "Tenant",
    cell: (row) => row.tenant === null ? "" : ObjectLink({ brief: row.tenant }),
    layout: ["p3", "share"],
  }),
  serial_number: plain("serial_number"),
  algorithm: choice(["algorithm", "key_size"], {
    label: "Key",
    sort: "algorithm",
    cell: keyText,
    layout: ["p3"],
  }),
  sans: plain("sans", { sorted: false }),
  issuing_ca: plain("issuing_ca", { sorted: false }),
  valid_from: choice(["valid_from"], {
    label: "Valid from",
    sort: "valid_from",
    cell: (row) => <Day at={row.valid_from} />,
    layout: ["p3"],
  }),
  assignment_count: choice(["assignment_count"], {
    label: "Assignments",
    cell: (row) => String(row.assignment_count),
    layout: ["number", "p3"],
  }),
  acme_provider: plain("acme_provider"),
  tags: plain("tags", { sorted: false }),
  created: plain("created"),
  last_updated: plain("last_updated"),
};

/** Columns shown by default. */
const USUAL = [
  "common_name",
  "valid_to",
  "assigned_to",
  "owner",
  "status",
  "chain_status",
];
/** Those of a list of replaced certificates, which all have this status. */
const USUAL_OF_REPLACED = ["common_name", "valid_to", "replaced_by", "owner", "chain_status"];

/** A column of the list, and its name. */
type Named = readonly [name: string, column: Column<ListedCertificate>];

/** Returns all columns: those of the definition, then one for each custom field. */
function allColumns(call: Call): Named[] {
  const own = Object.entries(CHOICES).map(([name, { column }]): Named => [name, column]);
  return [...own, ...customColumns(call, certificates)];
}

/** Returns the names and labels of all columns. */
export function columnLabels(call: Call): (readonly [name: string, label: string])[] {
  return allColumns(call).map(([name, { label }]) => [name, label]);
}

/** Returns the columns of the URL or of the user, always including the name. */
export function selectedColumns(call: Call): string[] {
  const requested = requestedColumns(call, certificates);
  const known = allColumns(call).map(([name]) => name).filter((name) =>
    requested.includes(name) || name === "common_name"
  );
  return known.length > 1 ? known.slice(0, MAX_COLUMNS) : [...usualColumns(call)];
}

/** Returns the default columns. Replaced certificates are assigned to nothing, but have a successor. */
function usualColumns({ url }: Call): readonly string[] {
  return showsReplaced(url.searchParams) ? USUAL_OF_REPLACED : USUAL;
}

/** Returns whether these are not the default columns. */
export function areColumnsChosen(names: readonly string[]): boolean {
  return [USUAL, USUAL_OF_REPLACED].every((usual) => names.some((name) => !usual.includes(name)));
}

/** Returns columns by name. */
export function certificateColumns(call: Call, names: readonly string[]): Column<ListedCertificate>[] {
  const columns = new Map(allColumns(call));
  return names.flatMap((name) => columns.get(name) ?? []);
}

/** Returns the fields that columns read. */
export function neededFields(names: readonly string[]): string[] {
  const needs = names.flatMap((name) => CHOICES[name]?.needs ?? [CUSTOM_COLUMN]);
  return [...new Set([...LISTED, ...needs])];
}

/** Reads rows with the fields of columns. */
export async function readListed(
  call: Call,
  { params, columns }: { params: Params; columns: readonly string[] },
): Promise<{ rows: readonly ListedCertificate[]; count: number }> {
  return await readColumns(call, certificates, { params, fields: LISTED, columns: neededFields(columns) });
}

function plain(name: keyof Certificate, { sorted = true }: { sorted?: boolean } = {}): Choice {
  const field = certificates.fields[name];
  if (field === undefined) throw new Error(`Certificates have no field "${name}"`);
  return {
    needs: [name],
    column: {
      label: columnTitleOf(name),
      ...(sorted ? { sort: name } : {}),
      cell: (row) => valueOf(field, row[name]),
      layout: ["datetime", "choice"].includes(shapeOf(field).kind) ? ["p3"] : ["p3", "share"],
    },
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
      aria-label={spokenName(name)}
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
  return date === undefined ? truncate(display, UNDER_CHARS) : `expires ${date}`;
}

/** Returns the tenant of a certificate as a text; empty without one. */
function tenantText({ tenant }: Pick<Certificate, "tenant">): string {
  return tenant === null ? "" : `Tenant: ${truncate(tenant.display, UNDER_CHARS)}`;
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
  // The curve of the name has only one size (RFC 8032 §5).
  return CURVES[String(algorithm)] ?? `${String(algorithm).toUpperCase()}${size === null ? "" : ` ${size}`}`;
}

/** Returns the owner, else the tenant, as a text; empty without both. */
function ownerText(row: Pick<Certificate, "owner" | "tenant">): string {
  return row.owner === null ? tenantText(row) : truncate(row.owner.contact.display, UNDER_CHARS);
}

/** Maximum characters of a name in the line under another. */
const UNDER_CHARS = 30;

/** Renders a status. It has no warning for an expired certificate, because the column "Expires" has it. */
function Status({ value }: { value: unknown }): Html {
  return <Badge value={String(value)} tone={value === "expired" ? "plain" : undefined} />;
}

/** Statuses that the line under a name leaves out: the expiry is above it. */
const USUAL_STATUSES: ReadonlySet<string> = new Set(["active", "expired"]);
