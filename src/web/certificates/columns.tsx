/** The columns that a list of certificates may have. */

import type { Call } from "../call.ts";
import { columnsCookie, readCookies } from "../cookies.ts";
import { Badge, type Column, Day, type Html, truncate } from "../components/mod.ts";
import { objectPath } from "../paths.ts";
import { type ApiObject, ObjectLink, valueOf } from "../objects/mod.ts";
import { certificates } from "../../domain/certificates/mod.ts";
import { labelOf } from "../messages.ts";

/** A column and the fields that it reads. */
interface Choice {
  readonly column: Column<ApiObject>;
  readonly needs: readonly string[];
}

/** Every column by its name, in the order in which they stand. */
const CHOICES: Readonly<Record<string, Choice>> = {
  common_name: {
    needs: ["common_name"],
    column: { label: "Common name", sort: "common_name", cell: (row) => <NameLink row={row} /> },
  },
  issuer: {
    needs: ["issuer"],
    column: {
      label: "Issuer",
      sort: "issuer",
      cell: (row) => <bdi title={truncate(String(row.issuer), 500)}>{issuerName(String(row.issuer))}</bdi>,
      wide: true,
    },
  },
  tenant: {
    needs: ["tenant"],
    column: {
      label: "Tenant",
      cell: (row) => row.tenant === null ? "" : <ObjectLink brief={row.tenant} />,
      wide: true,
    },
  },
  valid_to: {
    needs: ["valid_to", "days_remaining", "expiry_status"],
    column: { label: "Valid to", sort: "valid_to", cell: (row) => <Expiry row={row} /> },
  },
  status: {
    needs: ["status"],
    column: { label: "Status", sort: "status", cell: (row) => <Badge value={String(row.status)} /> },
  },
  chain_status: {
    needs: ["chain_status"],
    column: {
      label: "Chain",
      sort: "chain_status",
      cell: (row) =>
        row.chain_status === null ? <span class="faint">–</span> : <Badge value={String(row.chain_status)} />,
      wide: true,
    },
  },
  serial_number: plain("serial_number"),
  algorithm: {
    needs: ["algorithm", "key_size"],
    column: {
      label: "Key",
      sort: "algorithm",
      cell: (row) =>
        `${String(row.algorithm).toUpperCase()}${row.key_size === null ? "" : ` ${row.key_size}`}`,
      wide: true,
    },
  },
  sans: plain("sans", { sorted: false }),
  issuing_ca: plain("issuing_ca", { sorted: false }),
  valid_from: {
    needs: ["valid_from"],
    column: {
      label: "Valid from",
      sort: "valid_from",
      cell: (row) => <Day at={String(row.valid_from)} />,
      wide: true,
    },
  },
  assignment_count: {
    needs: ["assignment_count"],
    column: { label: "Assignments", cell: (row) => String(row.assignment_count), align: "end", wide: true },
  },
  acme_provider: plain("acme_provider"),
  tags: plain("tags", { sorted: false }),
  created: plain("created"),
  last_updated: plain("last_updated"),
};

/** Columns shown by default. */
const USUAL: readonly string[] = ["common_name", "issuer", "tenant", "valid_to", "status", "chain_status"];

/** Names and labels of all. */
export const COLUMN_LABELS: readonly (readonly [name: string, label: string])[] = Object.entries(CHOICES).map(
  ([name, { column }]) => [name, column.label] as const,
);

/** What the address chooses (`?columns=common_name&columns=status`), else what it chose before; the name is always there. */
export function selectedColumns(call: Call): string[] {
  const asked = call.query.getAll("columns").flatMap((list) => list.split(","));
  const requested = asked.length > 0 ? asked : readCookies(call).columns;
  const known = Object.keys(CHOICES).filter((name) => requested.includes(name) || name === "common_name");
  return known.length > 1 ? known : [...USUAL];
}

/** Keeps the columns that the address chooses for the next time. */
export function rememberColumns(call: Call, page: Response): Response {
  if (call.query.has("columns")) {
    page.headers.append("set-cookie", columnsCookie(call.client, selectedColumns(call)));
  }
  return page;
}

/** The columns by name. */
export function columnsOf(names: readonly string[]): Column<ApiObject>[] {
  return names.flatMap((name) => CHOICES[name]?.column ?? []);
}

/** Fields that the columns read. */
export function neededFields(names: readonly string[]): string[] {
  return ["id", "common_name", ...names.flatMap((name) => CHOICES[name]?.needs ?? [])];
}

function plain(name: string, { sorted = true }: { sorted?: boolean } = {}): Choice {
  const field = certificates.fields[name];
  if (field === undefined) throw new Error(`Certificates have no field "${name}"`);
  return {
    needs: [name],
    column: {
      label: labelOf(name),
      ...(sorted ? { sort: name } : {}),
      cell: (row) => valueOf(field, row[name]),
      wide: true,
    },
  };
}

function NameLink({ row }: { row: ApiObject }): Html {
  return (
    <a href={objectPath(certificates, row.id)} class="object">
      <bdi>{truncate(String(row.common_name))}</bdi>
    </a>
  );
}

const TONES = { expired: "bad", critical: "bad", warning: "warn", ok: "plain" } as const;

/** The last day, and how far away it is. */
export function Expiry({ row }: { row: Readonly<Record<string, unknown>> }): Html {
  const tone = TONES[row.expiry_status as keyof typeof TONES] ?? "plain";
  return (
    <span class="expiry">
      <Day at={String(row.valid_to)} /> <Badge value={daysText(Number(row.days_remaining))} tone={tone} />
    </span>
  );
}

/** "in 23 days", "today", "3 days ago". */
function daysText(days: number): string {
  if (days === 0) return "today";
  const count = Math.abs(days).toLocaleString("en");
  const unit = Math.abs(days) === 1 ? "day" : "days";
  return days > 0 ? `in ${count} ${unit}` : `${count} ${unit} ago`;
}

/** What people call an issuer: its common name, else its organisation, else the beginning of the whole. */
export function issuerName(issuer: string): string {
  const part = (type: string): string | undefined =>
    new RegExp(`(?:^|[,+])\\s*${type}=((?:\\\\.|[^,+\\\\])+)`, "i").exec(issuer)?.[1]?.replace(/\\(.)/g, "$1")
      .trim();
  return truncate(part("CN") ?? part("O") ?? issuer, 60);
}
