/** The column of a list with the number of certificates of each object. */

import { isGranted } from "../../auth/mod.ts";
import { numberText } from "../../base/amounts.ts";
import { certificates, countByObject } from "../../domain/certificates/mod.ts";
import { parseListQuery } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { currentParams } from "../certificates/mod.ts";
import { type Html } from "../components/mod.ts";
import { type ApiObject, searchOf, type View } from "../objects/mod.ts";
import { certificatesPath, type ObjectKind } from "./belongings.ts";

const COLUMN = "certificates";

/** Returns a column with the number of current certificates that the user may view, as a link to their list. */
export function countColumn(
  { columns }: View,
  { by, filter }: ObjectKind,
): Pick<View, "columns" | "added" | "withMore"> {
  return {
    columns: [...columns, COLUMN],
    added: {
      [COLUMN]: {
        label: "Certificates",
        align: "end",
        cell: (row) => <CountLink count={countOf(row)} path={certificatesPath(filter(row))} />,
        under: (row) => countText(countOf(row)),
      },
    },
    withMore: (call, rows, shown) =>
      shown.includes(COLUMN) ? withCounts(call, rows, by) : Promise.resolve(rows),
  };
}

/** Adds the numbers to the rows; one statement for the page. */
async function withCounts(
  { ctx }: Call,
  rows: readonly ApiObject[],
  by: ObjectKind["by"],
): Promise<readonly ApiObject[]> {
  if (rows.length === 0 || !isGranted(ctx, "view", certificates.objectType)) return rows;
  const { filter } = parseListQuery(certificates, searchOf(currentParams({})), ctx);
  const counts = await countByObject({ ctx, by, ids: rows.map(({ id }) => id), filter });
  return rows.map((row) => ({ ...row, [COLUMN]: counts.get(row.id) ?? 0 }));
}

/** Returns the number; undefined if the user may not view certificates. */
function countOf(row: ApiObject): number | undefined {
  return row[COLUMN] as number | undefined;
}

function CountLink({ count, path }: { count: number | undefined; path: string }): Html | null {
  if (count === undefined) return null;
  return count === 0 ? <span class="faint">0</span> : <a href={path}>{numberText(count)}</a>;
}

function countText(count: number | undefined): string {
  if (count === undefined || count === 0) return "";
  // A narrow line must not break before the unit.
  return count === 1 ? "1\u00a0certificate" : `${numberText(count)}\u00a0certificates`;
}
