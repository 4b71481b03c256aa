/** Services and receivers as processes: a thousand imports, and two services that share the work. */

import assert from "node:assert/strict";
import { DELIVERY_LEASE_MS } from "../../../../src/base/limits.ts";
import { startService, testFolder } from "../../../cli/process.ts";
import { PATHS } from "../../../support/paths.ts";
import { metadata } from "../../../support/stored.ts";
import { ask, assertDelivered, receivedBy, settled, startProgram, subscribe, TOKEN } from "./processes.ts";

function environment(folder: string): { CERTMGR_DATA_DIR: string } & Record<string, string> {
  return {
    CERTMGR_DATA_DIR: folder,
    CERTMGR_ADMIN_TOKEN: TOKEN,
    CERTMGR_WEBHOOK_ALLOWED_HOSTS: "127.0.0.1",
    CERTMGR_LOG_LEVEL: "error",
  };
}

/** Imports a hundred certificates at a time. */
async function importMany(url: string, count: number, first = 1): Promise<void> {
  for (let from = first; from < first + count; from += 100) {
    const data = Array.from(
      { length: 100 },
      (_, index) => metadata(from + index, { valid_to: "2026-12-31" }),
    );
    const { created_count } = await ask(url, `${PATHS.certificates}bulk-import/`, { format: "json", data });
    assert.equal(created_count, 100);
  }
}

Deno.test("a thousand imports are a thousand messages, none missing and none twice", async () => {
  await using folder = await testFolder();
  await using receiver = await startProgram("tests/domain/webhooks/sending/receiver_process.ts");
  await using service = await startService(environment(folder.path));
  await subscribe(service.url, receiver.url);
  await importMany(service.url, 1_000);
  const path = `${folder.path}/certmgr.db`;
  await settled(path, 120_000);
  const counts = await assertDelivered(path, await receivedBy(receiver));
  assert.deepEqual(counts, { changes: 1_000, messages: 1_000, received: 1_000 });
});

Deno.test("when one of two services on a database is killed, the other sends its messages, and nothing is lost", async () => {
  await using folder = await testFolder();
  await using receiver = await startProgram("tests/domain/webhooks/sending/receiver_process.ts");
  const env = environment(folder.path);
  await using dying = await startService(env);
  await using living = await startService(env);
  await subscribe(living.url, receiver.url);
  await Promise.all([importMany(dying.url, 300), importMany(living.url, 300, 10_001)]);
  dying.signal("SIGKILL");
  await dying.ended();
  await importMany(living.url, 100, 20_001);
  const path = `${folder.path}/certmgr.db`;
  await settled(path, DELIVERY_LEASE_MS + 60_000);
  const { messages } = await assertDelivered(path, await receivedBy(receiver));
  assert.equal(messages, 700);
});
