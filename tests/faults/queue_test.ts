/** A queue file that is damaged: the rows of the outbox are the truth, and every event arrives all the same. */

import assert from "node:assert/strict";
import { startService, testFolder } from "../cli/process.ts";
import { ask, receivedBy, startProgram, subscribe, TOKEN, until } from "../delivery/processes.ts";
import { PATHS } from "../support/paths.ts";
import { metadata } from "../support/stored.ts";

Deno.test("with a queue file that is damaged the service starts, and sends what was waiting and what is new", async () => {
  await using folder = await testFolder();
  await using receiver = await startProgram("tests/delivery/receiver_process.ts");
  const env = {
    CERTMGR_DATA_DIR: folder.path,
    CERTMGR_ADMIN_TOKEN: TOKEN,
    CERTMGR_WEBHOOK_ALLOWED_HOSTS: "127.0.0.1",
  };
  const many = Array.from({ length: 20 }, (_, index) => metadata(index));
  {
    await using service = await startService(env);
    await subscribe(service.url, receiver.url);
    await ask(service.url, PATHS.certificates, many);
    service.signal("SIGKILL"); // some are sent, some wait
    await service.ended();
  }
  const noise = crypto.getRandomValues(new Uint8Array(8_192));
  for (const suffix of ["", "-wal", "-shm"]) await Deno.writeFile(`${folder.path}/queue.kv${suffix}`, noise);
  await using service = await startService(env);
  await ask(service.url, PATHS.certificates, metadata(100));
  await until("all events", 90_000, async () => {
    const objects = (await receivedBy(receiver)).map(({ object }) => object);
    return new Set(objects).size === many.length + 1;
  });
  const ready = await fetch(`${service.url}/readyz`);
  assert.equal(await ready.text(), "ready\n");
});
