/** The columns of the list of sites with the numbers of hosts at each. */

import { isGranted } from "../../../auth/mod.ts";
import { counted } from "../../../base/amounts.ts";
import { devices, virtualMachines } from "../../../domain/inventory/mod.ts";
import { type AnyObject, countByReference, type Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { CountLink } from "../../kit/components/mod.ts";
import type { ColumnOf, View } from "../../kit/mod.ts";
import { capitalized } from "../../messages.ts";
import { listPath } from "../../paths.ts";
import { nounOf, pluralOf } from "../../type_label.ts";

/** The counted hosts by the name of their column; both refer to their site. */
const HOSTS: Readonly<Record<string, Resource>> = { devices, virtual_machines: virtualMachines };

/** Returns columns with the numbers of hosts that the user may view, as links to their lists. */
export function hostColumns({ columns }: View): Pick<View, "columns" | "withMore"> {
  const entries = Object.entries(HOSTS);
  return {
    columns: [...columns, ...entries.map(([name, hosts]) => hostColumn(name, hosts))],
    withMore: async (call, rows, shown) => {
      const counts = await Promise.all(
        entries.filter(([name]) => shown.includes(name)).map(async ([name, hosts]) =>
          [name, await countsOf(call, hosts, rows)] as const
        ),
      );
      return rows.map((row) => ({
        ...row,
        ...Object.fromEntries(counts.map(([name, found]) => [name, found && (found.get(row.id) ?? 0)])),
      }));
    },
  };
}

/** Counts the hosts of each site; undefined if the user may not view hosts. One statement. */
async function countsOf(
  { ctx }: Call,
  resource: Resource,
  rows: readonly AnyObject[],
): Promise<ReadonlyMap<number, number> | undefined> {
  if (!isGranted(ctx, "view", resource.objectType)) return undefined;
  return await countByReference({ ctx, resource, field: "site", ids: rows.map(({ id }) => id) });
}

function hostColumn(name: string, hosts: Resource): ColumnOf {
  return {
    name,
    label: capitalized(pluralOf(hosts)),
    layout: ["number", "p2"],
    cell: (row) => (
      <CountLink number={row[name] as number | undefined} path={`${listPath(hosts)}?site_id=${row.id}`} />
    ),
    under: (row) => {
      const count = row[name] as number | undefined;
      return count === undefined || count === 0
        ? ""
        : counted(count, nounOf(hosts), pluralOf(hosts)).replaceAll(" ", "\u00a0");
    },
  };
}
