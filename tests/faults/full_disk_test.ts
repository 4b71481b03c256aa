/** A disk that fills up under a running service and under commands. */

import assert from "node:assert/strict";
import { certmgr, type Environment, type RunningService, startService, testFolder } from "../cli/process.ts";
import { PATHS } from "../support/paths.ts";
import { metadata } from "../support/stored.ts";
import { type SmallDisk, smallDisk } from "./small_disk.ts";
import { type Answer, assertUnavailable } from "./support.ts";

const { certificates } = PATHS;
const FULL = /^The database cannot be (written: its disk is full|read or written: its disk is failing)\.$/;
const TOKEN = "abcdefghijABCDEFGHIJ0123456789abcdefghij";

function settingsFor(disk: SmallDisk): Environment & { readonly CERTMGR_DATA_DIR: string } {
  return {
    CERTMGR_DATA_DIR: `${disk.path}/data`,
    CERTMGR_LOG_LEVEL: "error",
    CERTMGR_ADMIN_TOKEN: TOKEN,
  };
}

function start(disk: SmallDisk): Promise<RunningService> {
  return startService(settingsFor(disk), disk.fileKiB === undefined ? {} : { fileKiB: disk.fileKiB });
}

async function send({ url }: RunningService, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Token ${TOKEN}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    text: await response.text(),
  };
}

function batch(from: number): unknown[] {
  return Array.from({ length: 20 }, (_, index) => metadata(from + index));
}

/** Writes until a write is refused, and returns the number of stored certificates. */
async function fillUp(service: RunningService): Promise<number> {
  for (let stored = 0; stored < 10_000; stored += 20) {
    const answer = await send(service, certificates, batch(stored));
    if (answer.status === 201) continue;
    assertUnavailable(answer, FULL);
    return stored;
  }
  assert.fail("The disk has no end");
}

async function assertReads(service: RunningService, stored: number): Promise<void> {
  const list = await send(service, `${certificates}?limit=1`);
  assert.equal(list.status, 200, list.text);
  assert.equal(JSON.parse(list.text).count, stored);
  for (const path of ["/readyz", "/healthz", "/metrics", `${certificates}?q=stored&limit=5`]) {
    assert.equal((await send(service, path)).status, 200, path);
  }
}

async function assertRefused(service: RunningService): Promise<void> {
  // Small writes may still find space on existing pages of the database.
  assertUnavailable(await send(service, certificates, batch(100_000)), FULL);
}

for (const mib of [3, 6, 10]) {
  Deno.test(`a disk of ${mib} MiB that fills up answers 503 to writes, answers reads, and recovers without a restart`, async () => {
    await using disk = await smallDisk(mib * 1_024);
    await using service = await start(disk);
    const stored = await fillUp(service);
    assert(stored > 0);
    await assertRefused(service);
    await assertReads(service, stored);
    await disk.grow(service.pid);
    assert.equal((await send(service, certificates, batch(100_000))).status, 201);
    await assertReads(service, stored + 20);
    service.signal("SIGTERM");
    const { code, stderr } = await service.ended();
    assert.deepEqual([code, stderr], [0, ""]);
  });
}

for (const signal of ["SIGKILL", "SIGTERM"] as const) {
  Deno.test(`after ${signal} on a full disk the next start serves reads, and writes when there is room`, async () => {
    await using disk = await smallDisk(6_144);
    let stored = 0;
    {
      await using service = await start(disk);
      stored = await fillUp(service);
      service.signal(signal);
      await service.ended();
    }
    // A clean stop empties the WAL. To read at all, SQLite needs a file of 32 KiB.
    if (signal === "SIGKILL") await disk.fill();
    await using service = await start(disk);
    if (signal === "SIGKILL") await assertRefused(service);
    await assertReads(service, stored);
    await disk.grow(service.pid);
    assert.equal((await send(service, certificates, batch(100_000))).status, 201);
  });
}

Deno.test("with a disk that is full before the first start, the service logs one line, exits with code 1, and starts once there is space", async () => {
  await using disk = await smallDisk(256);
  const env = { ...settingsFor(disk), CERTMGR_PORT: "0" };
  if (disk.fileKiB !== undefined) return; // commands run without a limit
  for (const command of [["migrate"], ["serve"]]) {
    const { code, stderr } = await certmgr(command, { env });
    assert.match(stderr, /^certmgr: .*(disk is full|disk is failing|disk I\/O error)\.?\n$/);
    assert.equal(code, 1);
  }
  await disk.grow(0);
  await using service = await start(disk);
  assert.equal((await send(service, certificates, batch(0))).status, 201);
});

Deno.test("a backup or an export that does not fit on the disk is refused with the reason and leaves no file", async () => {
  await using disk = await smallDisk(256);
  if (disk.fileKiB !== undefined) return; // commands run without a limit
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: `${folder.path}/data` };
  assert.equal((await certmgr(["migrate"], { env })).code, 0);
  await disk.fill();
  for (const args of [["backup"], ["export", "--output"]]) {
    const { code, stderr } = await certmgr([...args, `${disk.path}/copy`], { env });
    assert.match(
      stderr,
      /^certmgr: (Database ".*" cannot be copied to ".*\/copy"|File ".*\/copy" cannot be written): .*(disk is full|no space left on device)\n$/,
    );
    assert.equal(code, 1);
    assert.deepEqual(await Array.fromAsync(Deno.readDir(disk.path), ({ name }) => name), ["ballast"]);
  }
});

Deno.test("a log that cannot be written changes no response, and its next line is complete", async () => {
  await using disk = await smallDisk(256);
  if (disk.fileKiB !== undefined) return; // the log would have space
  await using folder = await testFolder();
  await using service = await startService(
    { CERTMGR_DATA_DIR: folder.path, CERTMGR_ADMIN_TOKEN: TOKEN },
    { log: `${disk.path}/log` },
  );
  const REQUESTS = 100;
  await disk.fill();
  for (let n = 0; n < REQUESTS; n++) assert.equal((await send(service, "/healthz")).status, 200);
  assert.equal((await send(service, PATHS.tenants, { name: "a", slug: "a" })).status, 201);
  await disk.grow(service.pid);
  assert.equal((await send(service, "/readyz")).status, 200);
  service.signal("SIGTERM");
  assert.equal((await service.ended()).code, 0);
  console.log(await Deno.readTextFile(`${disk.path}/log`));
  const lines = (await Deno.readTextFile(`${disk.path}/log`)).trim().split("\n");
  assert.equal(JSON.parse(lines.at(-1)!).event, "stopped");
  assert(lines.length < REQUESTS, "The disk was not full");
  const cut = lines.filter((line) => !line.endsWith("}"));
  assert(cut.length <= 1);
});

Deno.test("a command whose output cannot be written reports it and exits with 1", async () => {
  const { code, stderr } = await certmgr(["settings"], { output: "/dev/full" });
  assert.deepEqual([code, stderr], [
    1,
    "certmgr: Standard output cannot be written: no space left on device\n",
  ]);
});
