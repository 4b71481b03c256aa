/** Receivers that misbehave in every way at the same time: the service still answers, and no message is lost. */

import assert from "node:assert/strict";
import { startService, testFolder } from "../../../cli/process.ts";
import { PATHS } from "../../../support/paths.ts";
import { metadata } from "../../../support/stored.ts";
import { ask, startProgram, subscribe, TOKEN, until } from "./processes.ts";

const WAYS = ["500", "redirect", "reset", "hang", "big", "slow"] as const;
const CERTIFICATES = 40;
const REQUESTS = 150;
/**
 * Milliseconds beyond which the service counts as delayed. Hanging receivers take ten seconds, and machines may be
 * busy.
 */
const KEPT_WAITING_MS = 8_000;

/** Returns the 99th percentile of the times of a list, in milliseconds. */
async function listTime(url: string): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < REQUESTS; n++) {
    const started = performance.now();
    await ask(url, `${PATHS.certificates}?limit=20&ordering=valid_to`);
    times.push(performance.now() - started);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(REQUESTS * 0.99)] as number;
}

Deno.test("receivers that fail, hang, reset, redirect, flood or are slow delay no others, and no message is lost", async () => {
  await using folder = await testFolder();
  await using receiver = await startProgram("tests/domain/webhooks/sending/hostile_receiver_process.ts");
  await using service = await startService({
    CERTMGR_DATA_DIR: folder.path,
    CERTMGR_ADMIN_TOKEN: TOKEN,
    CERTMGR_WEBHOOK_ALLOWED_HOSTS: "127.0.0.0/8",
    CERTMGR_LOG_LEVEL: "error",
  });
  const { url } = service;
  const many = (first: number): unknown[] =>
    Array.from({ length: CERTIFICATES }, (_, index) => metadata(first + index));
  await ask(url, PATHS.certificates, many(1_000));
  await listTime(url);
  const idle = await listTime(url);
  const port = new URL(receiver.url).port;
  for (const [index, way] of WAYS.entries()) {
    await subscribe(url, `http://127.0.0.${index + 1}:${port}/${way}`);
  }
  await ask(url, PATHS.certificates, many(1));
  const busy = await listTime(url);
  console.log(`p99 of a list: ${idle.toFixed(1)} ms without receivers, ${busy.toFixed(1)} ms with these`);
  assert.ok(busy < KEPT_WAITING_MS, `A list takes ${busy} ms, ${idle} ms without receivers`);
  const deliveries = `${PATHS.deliveries}?limit=1000`;
  await until("a message for each, and a first attempt of each receiver", 30_000, async () => {
    const { results } = await ask(url, deliveries);
    // Each message is in flight or has arrived, also those whose responses had an endless body.
    assert.deepEqual(results.filter(({ state }: { state: string }) => state === "dead"), []);
    const attempted = results.filter(({ attempts }: { attempts: number }) => attempts > 0);
    const ways = attempted.map(({ webhook }: { webhook: { display: string } }) => webhook.display);
    return results.length === WAYS.length * CERTIFICATES && new Set(ways).size === WAYS.length;
  });
  service.signal("SIGTERM");
  assert.equal((await service.ended()).code, 0);
});
