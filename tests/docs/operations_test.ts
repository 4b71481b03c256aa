/** The operator's guide states the limits, metrics and settings of the code. */

import assert from "node:assert/strict";
import { settingNotes } from "../../src/config/mod.ts";
import { runDueJobs } from "../../src/domain/system/jobs/jobs.ts";
import { testApp } from "../support/app.ts";
import { readExposition } from "../support/exposition.ts";
import { limitNamed } from "./limits.ts";
import { tableBelow } from "./tables.ts";

const guide = await Deno.readTextFile(new URL("../../docs/operations.md", import.meta.url));

Deno.test("each limit has the value that the guide states", async () => {
  const rows = tableBelow(guide, "## Limits");
  assert.ok(rows.length > 15, `${rows.length} rows`);
  for (const [, value, name] of rows) {
    const key = (name as string).replaceAll("`", "");
    assert.equal(Number((value as string).replaceAll(",", "")), await limitNamed(key), key);
  }
});

Deno.test("the guide lists every metric with its labels, and no other", async () => {
  await using app = await testApp({
    processNumbers: () => ({ residentBytes: 1, heapBytes: 1, startedAt: 1, logLinesDropped: 1 }),
  });
  await runDueJobs(() => app.ctx, { owner: "a test" });
  const client = await app.as("superuser");
  await client("/healthz");
  const families = readExposition(await (await client("/metrics")).text());
  const found = families.map(({ name, samples }) =>
    `${name} ${[...new Set(samples.flatMap(({ labels }) => Object.keys(labels)))].sort()}`
  );
  const documented = tableBelow(guide, "### Metrics").map(([name, labels]) =>
    `${name?.replaceAll("`", "")} ${(labels as string).replaceAll("`", "").split(", ").sort()}`
  );
  assert.deepEqual(documented.sort(), found.sort());
});

Deno.test("every setting that the guide names exists", () => {
  const known = new Set(settingNotes().map(({ name }) => name));
  const named = guide.match(/CERTMGR_[A-Z_]+[A-Z]/g) ?? [];
  assert.ok(named.length > 5);
  assert.deepEqual(named.filter((name) => !known.has(name)), []);
});
