/** Shows which objects the certificates of a list are installed on. */

import { isGranted } from "../../auth/mod.ts";
import { assignments } from "../../domain/assignments/mod.ts";
import type { Call } from "../call.ts";
import { type Html, truncateMiddle } from "../components/mod.ts";
import { type ApiObject, ObjectLink, readRows } from "../objects/mod.ts";
import { objectPath } from "../paths.ts";
import { certificates } from "../../domain/certificates/mod.ts";

/** Assignments that are read for a page of certificates. */
const MAX_READ = 500;
/** Objects that a cell names; it counts the others. */
const NAMED = 2;

/** Adds `installed_on`, the assignments that the user may view, to each row; one statement for the page. */
export async function withInstalledOn(call: Call, rows: readonly ApiObject[]): Promise<readonly ApiObject[]> {
  if (rows.length === 0 || !isGranted(call.ctx, "view", assignments.objectType)) return rows;
  const found = await readRows(call, assignments, {
    params: {
      certificate_id: rows.map(({ id }) => id),
      limit: Math.min(MAX_READ, call.ctx.settings.maxPageSize),
      // From a start, a list is by id and is not counted.
      start: 0,
    },
    fields: ["id", "certificate", "assigned_object", "is_primary"],
  });
  const primaryFirst = found.rows.toSorted((a, b) => Number(b.is_primary) - Number(a.is_primary));
  const byCertificate = Map.groupBy(primaryFirst, (row) => Number(row.certificate));
  return rows.map((row) => ({ ...row, installed_on: byCertificate.get(row.id) ?? [] }));
}

/** Characters of the name of an object: a part of a column is enough to tell hosts apart by both ends. */
const NAME_CHARS = 26;

/** A port in the name of a service. */
const SERVICE_PORT = /^https? (.*) \(TCP\/([\d, -]+)\)$/;

/** Returns the name of an object in short: `https www.example.org (TCP/443)` is `www.example.org :443`. */
function shortName(name: string): string {
  const [, host, port] = SERVICE_PORT.exec(name) ?? [];
  return host === undefined
    ? truncateMiddle(name, NAME_CHARS)
    : `${truncateMiddle(host, NAME_CHARS - 5)} :${port}`;
}

/** Returns the assignments of a row whose objects the user may view. */
function placesOf(row: ApiObject): readonly { readonly display: string; readonly url?: string }[] {
  return (row.installed_on as readonly ApiObject[] | undefined ?? [])
    .flatMap(({ assigned_object: object }) => object === null ? [] : object as { display: string });
}

/** Names the first object of a row as a text; empty without one. */
export function installedOnText(row: ApiObject): string {
  const [first, ...others] = placesOf(row);
  if (first === undefined) return "";
  return `${shortName(first.display)}${others.length === 0 ? "" : ` +${others.length}`}`;
}

/** Names the first objects of a row of {@link withInstalledOn}, the primary one first. */
export function InstalledOn({ row }: { row: ApiObject }): Html | string {
  const objects = placesOf(row);
  if (objects.length === 0) return "";
  return (
    <span class="installed">
      {objects.slice(0, NAMED).map((object, index) => (
        <>
          {index === 0 ? "" : ", "}
          <ObjectLink brief={object} shown={shortName(object.display)} />
        </>
      ))}
      {objects.length > NAMED
        ? <a href={`${objectPath(certificates, row.id)}#assignments`}>{` +${objects.length - NAMED}`}</a>
        : null}
    </span>
  );
}
