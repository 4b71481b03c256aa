/**
 * `deno task bench:storage [-- --counts 1000,100000] [--folder F]`: prints the size of the database and of its tables
 * and indexes, as a table in Markdown. A line is a table with its indexes, or a full-text index.
 */

import { sql } from "drizzle-orm";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { benchDatabase } from "./bench_database.ts";
import { benchOptions } from "./bench_options.ts";

const values = benchOptions("bench:storage", {
  counts: ["1000,100000,1000000", "Numbers of certificates"],
  folder: [undefined, "Folder that keeps the databases for the next run"],
});
/** Number of lines of the table; smaller parts share one line. */
const LINES = 8;
const MIB = 1024 * 1024;

interface Part {
  readonly part: string;
  readonly bytes: number;
}

/** Returns the bytes of each table, of its indexes and of full-text indexes, the largest first. */
async function partsOf(path: string): Promise<Part[]> {
  const database = await openFileDatabase({ path });
  try {
    return await database.all<Part>(sql`
      SELECT CASE WHEN d.name GLOB '*_search_*' THEN 'full-text index'
        WHEN s.type = 'index' THEN 'indexes of ' || s.tbl_name ELSE d.name END AS part, sum(d.pgsize) AS bytes
      FROM dbstat d LEFT JOIN sqlite_schema s ON s.name = d.name GROUP BY 1 ORDER BY 2 DESC`);
  } finally {
    database.close();
  }
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

async function main(folder: string): Promise<void> {
  const counts = values.counts.split(",").map(Number);
  const found: Map<string, number>[] = [];
  for (const count of counts) {
    const parts = await partsOf(await benchDatabase(count, folder));
    found.push(new Map(parts.map(({ part, bytes }) => [part, bytes])));
  }
  const sizes = (bytesOf: (parts: Map<string, number>) => number): string[] =>
    found.map((parts, at) => {
      const bytes = bytesOf(parts);
      return `${(bytes / MIB).toFixed(1)} MiB, ${Math.round(bytes / (counts[at] as number))} B each`;
    });
  const largest = [...found.at(-1)?.keys() ?? []].slice(0, LINES);
  const sum = (parts: Map<string, number>, keep: (part: string) => boolean): number =>
    [...parts].reduce((total, [part, bytes]) => keep(part) ? total + bytes : total, 0);
  console.log(row(["Certificates", ...counts.map((count) => count.toLocaleString("en"))]));
  console.log(row(["---", ...counts.map(() => "---")]));
  for (const part of largest) console.log(row([part, ...sizes((parts) => parts.get(part) ?? 0)]));
  console.log(row(["all others", ...sizes((parts) => sum(parts, (part) => !largest.includes(part)))]));
  console.log(row(["**file**", ...sizes((parts) => sum(parts, () => true))]));
}

const folder = values.folder ?? await Deno.makeTempDir({ prefix: "certmgr-bench-" });
try {
  await main(folder);
} finally {
  if (values.folder === undefined) await Deno.remove(folder, { recursive: true });
}
