/** Reads endpoints from text: a CSV table, or one per line. Has no side effects. */

import { EXPECTED_ENDPOINT, readEndpoint, readEndpointCells } from "../../../base/endpoint_text.ts";
import { readHost } from "../../../base/host_name.ts";
import { addFinding, type Finding, finding } from "../../../base/findings.ts";
import { MAX_BULK_OBJECTS } from "../../../base/limits.ts";
import { headingReader, MAX_HEAD_ROWS, readLayout } from "../../../base/spellings/tables.ts";
import { LIST_SEPARATOR, readCsv, type RowFinding } from "../../../formats/mod.ts";
import { type NameOf, quote, unexpected, type Values } from "../../../resource/mod.ts";
import { type Endpoint, endpoints } from "../resource.ts";
import type { ImportRow } from "../../certificates/import/mod.ts";

/** Columns of a table; only `host` is required. */
export const ENDPOINT_COLUMNS = [
  "host",
  "port",
  "server_name",
  "protocol",
  "description",
  "tenant",
  "tags",
  "enabled",
  "interval_minutes",
  "expected_certificate",
  "assigned_object_type",
  "assigned_object_id",
] as const;

/** Other headings of a column. */
const SYNONYMS: Readonly<Record<string, string>> = {
  host:
    "hosts hostname hostnames hostnamen fqdn fqdns server servers serveur domain domains domaene dnsname dns name nom cn " +
    "address addresses ip ips ipaddress hostip machine node nodes target targets url urls endpoint endpoints website " +
    "websites system systems computer rechner vip",
  port: "ports portnumber tcpport tlsport sslport httpsport",
  server_name: "sni tlsname",
  protocol: "proto starttls",
  description: "desc comment comments note notes remark remarks",
  tenant: "tenantname customer",
  tags: "tag labels",
  enabled: "active",
  interval_minutes: "interval",
};
const columnBy = headingReader(ENDPOINT_COLUMNS, SYNONYMS);

const fieldBy = headingReader(Object.keys(endpoints.fields), { state: "statenextstep" });

/**
 * Returns the column for a heading; null if it is what an endpoint shows but nobody enters, and the heading itself if it is
 * unknown.
 */
export function endpointColumn(heading: string): string | null {
  return columnBy(heading) ?? (fieldBy(heading) === undefined ? heading : null);
}

/** Returns the column for a heading; without one for the host, "Server name" means the host. */
function columnReader(headings: readonly string[]): (heading: string) => string | null {
  const hasHost = headings.some((heading) => columnBy(heading) === "host");
  return (heading) => {
    const column = endpointColumn(heading);
    return column === "server_name" && !hasHost ? "host" : column;
  };
}

const NUMBERS: readonly string[] = ["port", "interval_minutes", "expected_certificate", "assigned_object_id"];
const FLAGS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  1: true,
  false: false,
  no: false,
  0: false,
};

/** An endpoint of a document. */
export type GivenEndpoint = ImportRow<Readonly<Partial<Record<NameOf<Endpoint>, unknown>>>>;

/** The content of a document. Errors in a row are stored with the row. */
interface EndpointDocument {
  readonly rows: readonly GivenEndpoint[];
  /** Row 0 is the document. */
  readonly errors: readonly RowFinding[];
}

/** Reads a table if the first line has a heading for the host, otherwise endpoints line by line. */
export function readEndpointDocument(text: string): EndpointDocument {
  const { table, separator } = readLayout(text);
  const [first = [], ...more] = table.replace(/^\ufeff/, "").trimStart().split(/[\r\n]+/, MAX_HEAD_ROWS)
    .map((line) => line.split(separator).map((name) => name.replaceAll('"', "").trim()));
  // Sheets have titles above the headings.
  const known = (some: readonly string[]): number =>
    some.filter((name) => columnBy(name) !== undefined).length;
  const names = known(first) > 0 ? first : more.find((some) => known(some) > 1) ?? first;
  const columnOf = columnReader(names);
  return names.some((name) => columnOf(name) === "host") ? readTable(text, columnOf) : readLines(text);
}

const PORT = /^\d+$/;
const DOTTED = /[.:]/;
/** A cell that can only be an address: a word alone may be a heading, a comment or a port. */
const ADDRESS = /[.:]|^localhost$/i;

/** Reads lines with endpoints, of which each can be in two or three cells: host, port, protocol. */
function readLines(text: string): EndpointDocument {
  const given = text.split(/\r\n|\r|\n/).flatMap((line, index) => {
    const cells = line.replace(/(^|\s)#.*$/, "").replaceAll('"', "").split(/[,;\t]|\s+(?=\d+(?:[\s,;]|$))/)
      .filter((cell) => cell !== "");
    const endpoints: string[][] = [];
    for (const cell of cells) {
      const last = endpoints.at(-1);
      if (last === undefined || beginsAfter(last, cell)) endpoints.push([cell]);
      else last.push(cell);
    }
    return endpoints.map((cells) => ({ cells, place: index + 1 }));
  });
  if (given.length > MAX_BULK_OBJECTS) return tooMany();
  const [first] = given;
  const headings = given.filter(({ place }) => place === first?.place).flatMap(({ cells }) => cells);
  const isAddress = (cells: readonly string[]): boolean => cells.some((cell) => ADDRESS.test(cell));
  const others = given.filter(({ place }) => place !== first?.place);
  if (
    !isAddress(headings) &&
    (headings.length > 1
      ? given.some(({ cells }) => cells.length > 1)
      : first !== undefined && others.length > 0 &&
        others.every(({ cells }) => isAddress(cells)))
  ) {
    return refused(finding("neither_endpoint_nor_headings", { value: quote(headings.join(",")) }));
  }
  const rows = given.map(({ cells, place }): GivenEndpoint => {
    const read = readEndpointCells(cells);
    const errors: Finding[] = [];
    if (read === undefined) addFinding(errors, "host", unexpected(EXPECTED_ENDPOINT, cells.join(",")));
    return { place, body: { ...read }, errors };
  });
  return { rows, errors: [] };
}

/**
 * Returns whether a cell begins another endpoint: an address does, and a name after a name. Anything else belongs to the
 * endpoint before it, also what that cannot have: then the line is refused. After a lone port, everything does.
 */
function beginsAfter([first = "", ...more]: readonly string[], cell: string): boolean {
  if (PORT.test(first)) return false;
  return ADDRESS.test(cell) || (more.length === 0 && !DOTTED.test(first) && !PORT.test(cell));
}

function readTable(text: string, columnOf: (heading: string) => string | null): EndpointDocument {
  const options = { columns: ENDPOINT_COLUMNS, columnOf, required: ["host"], maxRows: MAX_BULK_OBJECTS };
  const { rows, findings } = readCsv(text, options);
  if (findings.some(({ code }) => code === "too_many_rows")) return tooMany();
  return {
    rows: rows.map(({ row, cells }) => readRow(row, cells)),
    errors: findings.map((one) => one.code === "unknown_column" ? { ...one, row: 0 } : one),
  };
}

function tooMany(): EndpointDocument {
  return refused(finding("too_many_endpoints", { max: MAX_BULK_OBJECTS }));
}

function refused(one: Finding): EndpointDocument {
  return { rows: [], errors: [{ ...one, row: 0 }] };
}

/** Leaves out empty cells, so that their fields get the default. */
function readRow(place: number, cells: Readonly<Record<string, string>>): GivenEndpoint {
  const body: Values = {};
  const errors: Finding[] = [];
  const named: { tenant?: string[]; tags?: string[] } = {};
  for (const [column, cell] of Object.entries(cells)) {
    const value = cell.trim();
    if (value === "" && column !== "host") continue;
    if (column === "tenant") named.tenant = [value];
    else if (column === "tags") {
      named.tags = value.split(LIST_SEPARATOR).map((text) => text.trim()).filter((text) => text !== "");
    } else if (column === "enabled") {
      const flag = FLAGS[value.toLowerCase()];
      if (flag === undefined) {
        addFinding(errors, column, unexpected("true or false", value));
      } else body.enabled = flag;
    } else if (column === "host") Object.assign(body, readHostCell(value, cells));
    else body[column] = NUMBERS.includes(column) && /^\d{1,15}$/.test(value) ? Number(value) : value;
  }
  return { place, body, errors, named };
}

/** Returns the fields of a host, which can be written with its port, or as a URL, if the row has no other port. */
function readHostCell(text: string, { port = "", protocol = "" }: Readonly<Record<string, string>>): object {
  const read = readHost(text) === undefined ? readEndpoint(text) : undefined;
  const fits = read !== undefined && [String(read.port), ""].includes(port.trim()) &&
    [read.protocol, ""].includes(protocol.trim().toLowerCase());
  return fits ? read : { host: text };
}
