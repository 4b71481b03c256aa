/** A database file that cannot be written: clear errors, no partial writes, and reads continue. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { openFileDatabase } from "../../src/db/file_client.ts";
import { adminOf, startService, testFolder } from "../cli/process.ts";
import { keyOf } from "../support/actors.ts";
import { seededDatabase } from "../support/seed.ts";
import { writtenBytes } from "../support/store.ts";
import { PATHS } from "../support/paths.ts";
import { metadata } from "../support/stored.ts";
import { assertUnavailable, sendTo, superuserOn } from "./support.ts";

const { certificates } = PATHS;
const TOKEN = "abcdefghijABCDEFGHIJ0123456789abcdefghij";

/** Faults of the file with their messages. The file is usable again after it is reopened. */
const FAULTS: Record<string, [fault: string, detail: RegExp]> = {
  "a full disk": [
    "PRAGMA max_page_count = 1",
    /^The database cannot be written: its disk is full\.$/,
  ],
  "a read-only file": [
    "PRAGMA query_only = ON",
    /^The database cannot be written: its file is read-only\.$/,
  ],
};

for (const [what, [fault, detail]] of Object.entries(FAULTS)) {
  Deno.test(`${what} refuses writes with the reason, answers reads, and leaves the file intact`, async () => {
    await using database = await seededDatabase();
    const send = await superuserOn(database);
    assert.equal((await send("/api/status/")).status, 200);
    await database.write((tx) => tx.run(sql`UPDATE tokens SET last_used = ${Date.now() * 2}`));
    await database.write((tx) => tx.all(sql.raw(fault)));
    const many = Array.from({ length: 100 }, (_, index) => metadata(index));
    for (
      const [path, ask] of [
        [certificates, { method: "POST", body: many }],
        [`${certificates}2/`, { method: "PATCH", body: { private_key_location: "x".repeat(500) } }],
        [PATHS.tenants, { method: "POST", body: { name: "x", slug: "x", description: "y".repeat(200) } }],
      ] as const
    ) {
      const written = await writtenBytes(database);
      const answer = await send(path, ask);
      // A full database still has space on its existing pages.
      if (what === "a full disk" && answer.status < 300) continue;
      assertUnavailable(answer, detail);
      assert.equal(await writtenBytes(database), written);
    }
    const list = await send(certificates);
    assert.equal(list.status, 200);
    assert.equal((await send("/readyz")).status, 200);
    const again = await openFileDatabase({ path: database.path });
    try {
      const identity = { authorization: `Token ${keyOf("superuser")}` };
      const { status, text } = await sendTo(again, identity)(certificates, { method: "POST", body: many });
      assert.equal(status, 201, text);
      assert.deepEqual(await again.all(sql`PRAGMA integrity_check`), [{ integrity_check: "ok" }]);
    } finally {
      again.close();
    }
  });
}

Deno.test("a service whose files can no longer grow refuses writes, loses none that it answered, and recovers", async () => {
  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: `${folder.path}/data`, CERTMGR_LOG_LEVEL: "error" };
  let token = "";
  {
    await using service = await startService(env);
    token = adminOf(service.greeting).token;
  }
  const post = async (url: string, body: unknown): Promise<Response> =>
    await fetch(`${url}${certificates}`, {
      method: "POST",
      headers: { authorization: `Token ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const kept: number[] = [];
  {
    await using service = await startService(env, { fileKiB: 4_096 });
    let refusal: Response | undefined;
    for (let n = 0; refusal === undefined && n < 100; n++) {
      const response = await post(service.url, Array.from({ length: 50 }, (_, i) => metadata(50 * n + i)));
      if (response.status === 201) kept.push(...(await response.json()).map(({ id }: { id: number }) => id));
      else refusal = response;
    }
    assert(refusal !== undefined && kept.length > 0, "The file grows without end");
    assertUnavailable(
      { status: refusal.status, retryAfter: refusal.headers.get("retry-after"), text: await refusal.text() },
      /^The database cannot be (written: its disk is full|read or written: its disk is failing)\.$/,
    );
    const health = await fetch(`${service.url}/healthz`);
    assert.equal(await health.text(), "ok\n");
  }
  await using service = await startService(env);
  const made = await post(service.url, metadata(1_000_000));
  assert.equal(made.status, 201, await made.text());
  const response = await fetch(`${service.url}${certificates}?limit=1`, {
    headers: { authorization: `Token ${token}` },
  });
  assert.equal((await response.json()).count, kept.length + 1);
});

for (const what of ["deleted", "moved", "replaced"]) {
  Deno.test(`a database that was ${what} while it is open refuses writes, which would be lost`, async () => {
    await using folder = await testFolder();
    const data = `${folder.path}/data`;
    await using service = await startService({ CERTMGR_DATA_DIR: data, CERTMGR_ADMIN_TOKEN: TOKEN });
    const post = (serial: number): Promise<Response> =>
      fetch(`${service.url}${certificates}`, {
        method: "POST",
        headers: { authorization: `Token ${TOKEN}`, "content-type": "application/json" },
        body: JSON.stringify(metadata(serial)),
      });
    const made = await post(1);
    assert.equal(made.status, 201, await made.text());
    if (what === "deleted") await Deno.remove(data, { recursive: true });
    else await Deno.rename(`${data}/certmgr.db`, `${data}/other.db`);
    if (what === "replaced") await Deno.copyFile(`${data}/other.db`, `${data}/certmgr.db`);
    const refused = await post(2);
    assertUnavailable(
      {
        status: refused.status,
        retryAfter: refused.headers.get("retry-after"),
        text: await refused.text(),
      },
      /^The database cannot be written: its file was moved or deleted\.$/,
    );
  });
}
