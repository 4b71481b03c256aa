import assert from "node:assert/strict";
import { MAX_CONCURRENT_HASHES, MAX_WAITING_HASHES, withHashSlot } from "../../src/auth/passwords.ts";
import { refusal } from "../support/refusals.ts";

Deno.test("a few hashes run concurrently, some more wait, the rest are refused", async () => {
  const gate = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++running);
    await gate.promise;
    running--;
  };
  const all = Array.from({ length: MAX_CONCURRENT_HASHES + MAX_WAITING_HASHES }, () => withHashSlot(work));
  const refused = await refusal(withHashSlot(work));
  assert.equal(refused.code, "unavailable");
  assert.equal(refused.headers["Retry-After"], "3");
  gate.resolve();
  await Promise.all(all);
  assert.equal(most, MAX_CONCURRENT_HASHES);
  assert.equal(await withHashSlot(() => Promise.resolve("free again")), "free again");
});

Deno.test("work that fails releases its slot", async () => {
  for (let count = 0; count < MAX_CONCURRENT_HASHES + 1; count++) {
    await assert.rejects(withHashSlot(() => Promise.reject(new Error("no"))), /no/);
  }
  assert.equal(await withHashSlot(() => Promise.resolve(1)), 1);
});
