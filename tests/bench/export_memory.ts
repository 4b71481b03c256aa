/**
 * `deno task bench:export [--rows 1000000] [--only csv] [--folder …]`: exports a whole inventory from a running service
 * and measures the growth of its memory. The goal is less than 64 MB, whatever the number of rows.
 */

import { benchDatabase } from "./bench_database.ts";
import { type WatchedService, watchedService } from "./watched_export.ts";
import { benchOptions } from "./bench_options.ts";

const values = benchOptions("bench:export", {
  rows: ["1000000", "Number of certificates"],
  only: ["", "Only exports whose query contains this text"],
  folder: [undefined, "Folder that keeps the database for the next run"],
});
const ROWS = Number(values.rows);
const MB = 1024 * 1024;
/** Rows of a first export, so that permanent memory is allocated before the measurement. */
const WARM_UP = 1_000;
const QUERIES = ["format=csv", "format=json", "format=yaml", "format=json&include_pem=true"];

async function report(service: WatchedService): Promise<void> {
  print(["export", "MB", "seconds", "rows/s", "own MB", "+own", "+heap", "+external", "+resident"]);
  for (const query of QUERIES.filter((each) => each.includes(values.only))) {
    await service.download(`${query}&id__lte=${WARM_UP}`);
    const { bytes, seconds, before, growth } = await service.download(`${query}&id__lte=${ROWS}`);
    const sizes = [growth.own, growth.heap, growth.external, growth.resident];
    print([
      query,
      (bytes / MB).toFixed(0),
      seconds.toFixed(1),
      (ROWS / seconds).toFixed(0),
      (before.own / MB).toFixed(0),
      ...sizes.map((size) => (size / MB).toFixed(1)),
    ]);
  }
}

function print([query = "", ...figures]: readonly string[]): void {
  console.log(query.padEnd(30) + figures.map((figure) => figure.padStart(10)).join(""));
}

const folder = values.folder ?? await Deno.makeTempDir({ prefix: "certmgr-bench-" });
await Deno.mkdir(folder, { recursive: true });
try {
  const path = await benchDatabase(ROWS, folder);
  await using service = await watchedService({ path, maxExportSize: ROWS });
  await report(service);
  console.log(
    "own: without the pages of mapped files, which are the database's and the kernel's to take back",
  );
} finally {
  if (values.folder === undefined) await Deno.remove(folder, { recursive: true });
}
