/** The columns of a list with the numbers of certificates of each object: all, expired, and those that expire soon. */

import { isGranted } from "../../auth/mod.ts";
import { counted, numberText } from "../../base/amounts.ts";
import { certificates, countByObject } from "../../domain/certificates/mod.ts";
import { parseListQuery } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { currentParams } from "../certificates/mod.ts";
import { CountLink } from "../components/mod.ts";
import { type AddedColumn, type ApiObject, type Params, searchOf, type View } from "../objects/mod.ts";
import { certificatesPath, type ObjectKind } from "./belongings.ts";

/** Numbers of certificates: the column, the filter of the list to which a number links, and its color. */
const COUNTS = [
  { name: "certificates", label: "Certificates", params: {}, tone: undefined },
  { name: "expired", label: "Expired", params: { expiry_status: "expired" }, tone: "bad" },
  { name: "expiring", label: "Expiring", params: { expiry_status: ["critical", "warning"] }, tone: "warn" },
] as const satisfies readonly {
  name: string;
  label: string;
  params: Params;
  tone?: "bad" | "warn" | undefined;
}[];

type Count = typeof COUNTS[number] | typeof THROUGH;

/** The certificates of the services of a host. */
const THROUGH = { name: "through_services", label: "Through services", params: {}, tone: undefined } as const;

/** Returns columns with the numbers of current certificates that the user may view, as links to their lists. */
export function countColumns(
  { columns }: View,
  { by, filter, through }: ObjectKind,
): Pick<View, "columns" | "added" | "withMore"> {
  const column = (count: Count, own = filter): AddedColumn => ({
    label: count.label,
    align: "end",
    cell: (row) => (
      <CountLink
        number={numberOf(row, count)}
        path={certificatesPath({ ...own(row), ...count.params })}
        tone={count.tone}
      />
    ),
    under: (row) => countText(numberOf(row, count), count),
  });
  const own = COUNTS.map((count) => [count.name, column(count)] as const);
  const added = through === undefined
    ? own
    : [...own, [THROUGH.name, column(THROUGH, through.filter)] as const];
  return {
    columns: [...columns, ...added.map(([name]) => name)],
    added: Object.fromEntries(added),
    withMore: async (call, rows, shown) => {
      const [ofObjects, ofServices] = await Promise.all([
        COUNTS.some(({ name }) => shown.includes(name)) ? countsOf(call, rows, { by, counts: COUNTS }) : [],
        through !== undefined && shown.includes(THROUGH.name)
          ? countsOf(call, rows, { by: through.by, counts: [THROUGH] })
          : [],
      ]);
      return rows.map((row, index) => ({ ...row, ...ofObjects[index], ...ofServices[index] }));
    },
  };
}

/**
 * Returns the numbers of each row; one statement for the page. Columns of states that no object has are left out, as
 * other empty columns are.
 */
async function countsOf(
  { ctx }: Call,
  rows: readonly ApiObject[],
  { by, counts }: { by: ObjectKind["by"]; counts: readonly Count[] },
): Promise<Readonly<Record<string, number | null>>[]> {
  if (rows.length === 0 || !isGranted(ctx, "view", certificates.objectType)) return [];
  const filters = counts.map(({ params }) =>
    parseListQuery(ctx, { resource: certificates, params: searchOf(currentParams(params)) }).filter
  );
  const found = await countByObject({ ctx, by, ids: rows.map(({ id }) => id), filters });
  return rows.map((row) => {
    const numbers = found.get(row.id) ?? [];
    return Object.fromEntries(counts.map(({ name, tone }, index) => {
      const number = numbers[index] ?? 0;
      return [name, (tone !== undefined || name === THROUGH.name) && number === 0 ? null : number];
    }));
  });
}

/** Returns a number of a row; null for none in a state, undefined if the user may not view certificates. */
function numberOf(row: ApiObject, { name }: Count): number | null | undefined {
  return row[name] as number | null | undefined;
}

function countText(number: number | null | undefined, { name, tone, label }: Count): string {
  if (number === undefined || number === null || number === 0) return "";
  if (name === THROUGH.name) return `${numberText(number)} ${label.toLowerCase()}`.replaceAll(" ", "\u00a0");
  // A narrow line must not break before the unit.
  if (tone !== undefined) return `${numberText(number)}\u00a0${label.toLowerCase()}`;
  return counted(number, "certificate").replace(" ", "\u00a0");
}
