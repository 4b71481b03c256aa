/** Chains of certificates that are made to take long: how long the service does nothing else while it validates them. */

import assert from "node:assert/strict";
import { MAX_CHAIN_CHARS } from "../../../../src/x509/chain/mod.ts";
import { testApp } from "../../../support/app.ts";
import { cpuMillis } from "../../../support/cpu_time.ts";
import { TestCa } from "../../../support/test_ca/mod.ts";
import { FAMILIES, hostileCertificate } from "../../../x509/hostile_certificates.ts";

/** Size of a certificate: just below the limit. */
const LARGE_BYTES = 64_000;
/** Promised by docs/security.md, in milliseconds. The system counts in steps of 10. */
const TURN_MS = 25;
/** Each try may be the one in which memory is freed. */
const TRIES = 4;

/** The families whose validation takes the longest turns, and a few whose content is counted in other ways. */
const SLOW = [
  "a subject of U+FDFA, which normalization makes 18 times longer",
  "a subject of U+202E",
  "a subject of combining marks",
  "a subject of backslashes",
  "a subject of zero bytes",
  "issuers in the key identifier",
];

/** Returns the most milliseconds of processor time between two turns of the event loop. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = cpuMillis();
  const measure = (): void => {
    const now = cpuMillis();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(measure, 0);
  await work();
  clearInterval(timer);
  measure();
  return longest;
}

Deno.test("other requests run at least every 25 ms while hostile chains are validated or shown", async () => {
  await using app = await testApp();
  const admin = await app.as("superuser");
  const root = await TestCa.root({ cn: "Hostile", key: "ed25519" });
  const path = "/api/plugins/certmgr/certificates/";
  const slow: string[] = [];
  for (const name of SLOW) {
    const made: string[] = [];
    while (made.join("").length + 1.4 * LARGE_BYTES < MAX_CHAIN_CHARS) {
      made.push((await hostileCertificate(FAMILIES[name]!, { bytes: LARGE_BYTES, ca: root })).pem);
    }
    const [pem_content, ...issuers] = made;
    const created = await admin(path, {
      method: "POST",
      body: { pem_content, issuer_chain: issuers.join("") },
    });
    const { id } = await created.json();
    assert.equal(created.status, 201, name);
    for (const [action, method] of [["validate-chain", "POST"], ["details", "GET"]] as const) {
      const turns: number[] = [];
      while (turns.length < TRIES && Math.min(...turns) > TURN_MS) {
        turns.push(
          await longestTurn(async () => {
            const body = method === "POST" ? { body: {} } : {};
            const response = await admin(`${path}${id}/${action}/`, { method, ...body });
            assert.equal(response.status, 200);
            await response.text();
          }),
        );
      }
      if (Math.min(...turns) > TURN_MS) slow.push(`${action} of ${name}: ${turns.map(Math.round)} ms`);
    }
  }
  assert.deepEqual(slow, []);
});
