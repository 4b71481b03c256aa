/**
 * A service that is killed at random moments under load, and started again: nothing is lost. More kills than usual:
 * `deno test -P=test tests/domain/webhooks/sending/kill_test.ts -- 10`.
 */

import assert from "node:assert/strict";
import { DELIVERY_LEASE_MS } from "../../../../src/base/limits.ts";
import { startService, testFolder } from "../../../cli/process.ts";
import { PATHS } from "../../../support/paths.ts";
import { metadata } from "../../../support/stored.ts";
import { ask, assertDelivered, receivedBy, settled, startProgram, subscribe, TOKEN } from "./processes.ts";

const KILLS = Number(Deno.args[0] ?? 2);

/** Creates, changes and deletes certificates until the service has ended. */
async function load(url: string, from: number): Promise<void> {
  for (let serial = from;; serial += 2) {
    const [kept, dropped] = await ask(url, PATHS.certificates, [metadata(serial), metadata(serial + 1)]);
    await ask(url, `${PATHS.certificates}${kept.id}/`, { status: "pending" }, "PATCH");
    await ask(url, `${PATHS.certificates}${kept.id}/`, { status: "active" }, "PATCH");
    await ask(url, `${PATHS.certificates}${dropped.id}/`, {}, "DELETE");
  }
}

Deno.test(`after ${KILLS} times kill -9 under load, every event of a committed change is delivered in order`, async () => {
  await using folder = await testFolder();
  await using receiver = await startProgram("tests/domain/webhooks/sending/receiver_process.ts");
  const env = {
    CERTMGR_DATA_DIR: folder.path,
    CERTMGR_ADMIN_TOKEN: TOKEN,
    CERTMGR_WEBHOOK_ALLOWED_HOSTS: "127.0.0.1",
    CERTMGR_LOG_LEVEL: "error",
  };
  for (let kill = 0; kill <= KILLS; kill++) {
    await using service = await startService(env);
    if (kill === 0) await subscribe(service.url, receiver.url);
    const running = [1, 2, 3].map((client) => load(service.url, (kill * 10 + client) * 100_000));
    const broken = Promise.allSettled(running);
    await new Promise((resume) => setTimeout(resume, 300 + Math.random() * 1_200));
    service.signal("SIGKILL");
    await broken;
    await service.ended();
  }
  const path = `${folder.path}/certmgr.db`;
  await using last = await startService(env);
  await settled(path, DELIVERY_LEASE_MS + 60_000);
  const { changes, messages, received } = await assertDelivered(path, await receivedBy(receiver));
  assert.ok(
    changes > 0 && messages > 0 && received >= messages,
    JSON.stringify({ changes, messages, received }),
  );
  if (Deno.args.length > 0) console.log({ changes, messages, received });
  last.signal("SIGTERM");
  assert.equal((await last.ended()).code, 0);
});
