/** Revocation lists: what they say, and every reason for which one says nothing. Needs no permission. */

import assert from "node:assert/strict";
import "reflect-metadata";
import { X509Crl } from "@peculiar/x509";
import { atOnce } from "../../../src/base/pace.ts";
import { readCrl } from "../../../src/x509/revocation/mod.ts";
import {
  buildCrl,
  type CrlInput,
  derWriter,
  ext,
  generalName,
  issuingPoint,
  TEST_NOW,
  TestCa,
  type TestCertificate,
} from "../../support/test_ca/mod.ts";
import { answerFor, flag, type Question, uri } from "./support.ts";

const { boolean, concat, explicit, implicit, integer, sequence, time, tlv } = derWriter;
const DAY = 86_400_000;
const URL_OF_LIST = "http://crl.example/1.crl";
const ca = await TestCa.root({ cn: "CA", keyUsage: ["keyCertSign", "cRLSign"] });
const other = await TestCa.root({ cn: "Other", keyUsage: ["keyCertSign", "cRLSign"] });
const leaf = await ca.issue({ cn: "a.example", extensions: [ext.crlDistributionPoints([URL_OF_LIST])] });
const plain = await ca.issue({ cn: "b.example" });
const serial = leaf.certificate.serial;

/** Returns what a list says about `leaf`, or about another certificate. */
function evaluate(der: Uint8Array, about: Partial<Question> = {}): Promise<string> {
  return answerFor(der, { certificate: leaf.certificate, pool: [ca.certificate], ...about });
}

const critical = { oid: "1.2.3.4", critical: true, value: boolean(true) };

const CASES: readonly [name: string, input: CrlInput, expected: string, signer?: TestCertificate][] = [
  ["an empty list", {}, "good"],
  ["another serial number", { revoked: [{ serial: plain.certificate.serial }] }, "good"],
  ["the serial number", { revoked: [{ serial, reason: 1 }] }, "revoked"],
  ["one of many", { revoked: [{ serial: plain.certificate.serial, reason: 4 }, { serial }] }, "revoked"],
  ["on hold", { revoked: [{ serial, reason: 6 }] }, "revoked"],
  ["a reason of delta lists", { revoked: [{ serial, reason: 8 }] }, "malformed"],
  ["a reason that does not exist", { revoked: [{ serial, reason: 7 }] }, "malformed"],
  ["a reason that does not exist elsewhere", {
    revoked: [{ serial: plain.certificate.serial, reason: 11 }],
  }, "malformed"],
  ["signed by another authority", { issuer: ca.subject }, "bad_signature", other],
  ["issued by another authority", {}, "wrong_issuer", other],
  ["a damaged signature", { brokenSignature: true }, "bad_signature"],
  ["expired", { thisUpdate: TEST_NOW - 9 * DAY, nextUpdate: TEST_NOW - 1_000 }, "expired"],
  ["in its last second", { nextUpdate: TEST_NOW }, "good"],
  ["from the future", { thisUpdate: TEST_NOW + 3_600_000 }, "not_yet_valid"],
  ["from a clock slightly ahead", { thisUpdate: TEST_NOW + 60_000 }, "good"],
  [
    "valid until before it was issued",
    { thisUpdate: TEST_NOW - DAY, nextUpdate: TEST_NOW - 2 * DAY },
    "malformed",
  ],
  ["without nextUpdate", { nextUpdate: null }, "malformed"],
  ["without a number", { number: null }, "malformed"],
  ["a critical number", {
    number: null,
    extensions: [{ oid: "2.5.29.20", critical: true, value: integer(1) }],
  }, "critical_extension"],
  ["version 1", { version: undefined }, "malformed"],
  ["version 3", { version: 2 }, "malformed"],
  [
    "another inner algorithm",
    { innerAlgorithm: sequence(derWriter.oid("1.2.840.10045.4.3.3")) },
    "malformed",
  ],
  ["an unknown critical extension", { extensions: [critical] }, "critical_extension"],
  ["an unknown extension", { extensions: [{ ...critical, critical: false }] }, "good"],
  ["an unknown critical extension of an entry", {
    revoked: [{ serial: plain.certificate.serial, extensions: [critical] }],
  }, "critical_extension"],
  ["an extension twice", { extensions: [issuingPoint(), issuingPoint()] }, "malformed"],
  ["a delta list", {
    extensions: [{ oid: "2.5.29.27", critical: true, value: integer(1) }],
  }, "unsupported"],
  ["an indirect list", { extensions: [issuingPoint(flag(4))] }, "unsupported"],
  ["an entry of another issuer", {
    revoked: [{
      serial,
      extensions: [{ oid: "2.5.29.29", critical: true, value: sequence(generalName("dirName:CN=X")) }],
    }],
  }, "unsupported"],
  ["some reasons only", { extensions: [issuingPoint(implicit(3, Uint8Array.of(6, 0x40)))] }, "unsupported"],
  ["a relative name", {
    extensions: [issuingPoint(explicit(0, explicit(1, sequence())))],
  }, "unsupported"],
  ["its distribution point", { extensions: [issuingPoint(uri(URL_OF_LIST))] }, "good"],
  [
    "another distribution point",
    { extensions: [issuingPoint(uri("http://crl.example/2.crl"))] },
    "wrong_scope",
  ],
  ["user certificates", { extensions: [issuingPoint(flag(1))] }, "good"],
  ["certificates of authorities", { extensions: [issuingPoint(flag(2))] }, "wrong_scope"],
  ["attribute certificates", { extensions: [issuingPoint(flag(5))] }, "wrong_scope"],
];

for (const [name, input, expected, signer = ca] of CASES) {
  Deno.test(`a list that is ${name}: ${expected}`, async () => {
    assert.equal(await evaluate(await buildCrl(signer, input)), expected);
  });
}

Deno.test("scope: a certificate without distribution points is covered only by the name of its issuer", async () => {
  const certificate = plain.certificate;
  const named = issuingPoint(explicit(0, explicit(0, generalName("dirName:CN=CA"))));
  assert.equal(await evaluate(await buildCrl(ca, { extensions: [named] }), { certificate }), "good");
  const partition = issuingPoint(uri(URL_OF_LIST));
  assert.equal(
    await evaluate(await buildCrl(ca, { extensions: [partition] }), { certificate }),
    "wrong_scope",
  );
  const sub = await ca.intermediate({ cn: "Sub" });
  const usersOnly = await buildCrl(ca, { extensions: [issuingPoint(flag(1))] });
  assert.equal(await evaluate(usersOnly, { certificate: sub.certificate }), "wrong_scope");
});

Deno.test("signers: the issuer needs cRLSign; a certificate of its own for lists has its name and its signature", async () => {
  const strict = await TestCa.root({ cn: "Strict", keyUsage: ["keyCertSign"] });
  const certificate = (await strict.issue({ cn: "c.example" })).certificate;
  const own = await strict.issue({ subject: "Strict", keyUsage: ["cRLSign"] });
  const foreign = await other.issue({ subject: "Strict", keyUsage: ["cRLSign"] });
  const pool = [strict, own, foreign].map((one) => one.certificate);
  assert.equal(await evaluate(await buildCrl(strict), { certificate, pool }), "key_usage");
  assert.equal(await evaluate(await buildCrl(own), { certificate, pool }), "good");
  assert.equal(await evaluate(await buildCrl(foreign), { certificate, pool }), "bad_signature");
  const open = await TestCa.root({ cn: "Open", without: ["keyUsage"] });
  const covered = (await open.issue({ cn: "d.example" })).certificate;
  assert.equal(
    await evaluate(await buildCrl(open), { certificate: covered, pool: [open.certificate] }),
    "good",
  );
});

Deno.test("every truncation and every damaged byte is refused, and none throws anything else", async () => {
  const der = await buildCrl(ca, {
    revoked: [{ serial, reason: 1 }],
    extensions: [issuingPoint(uri(URL_OF_LIST))],
  });
  for (let length = 0; length < der.length; length += 3) {
    assert.equal(await evaluate(der.subarray(0, length)), "malformed");
  }
  assert.equal(await evaluate(concat(der, Uint8Array.of(0))), "malformed");
  for (let index = 0; index < der.length; index += 2) {
    const damaged = der.slice();
    damaged[index]! ^= 0x55;
    const result = await evaluate(damaged);
    assert(result !== "good" && result !== "revoked", `byte ${index}: ${result}`);
  }
});

Deno.test("the library's reader finds the same entries", async () => {
  const revoked = [{ serial, reason: 1 }, { serial: plain.certificate.serial }];
  const der = await buildCrl(ca, { revoked });
  const list = atOnce(readCrl(der, new Set(revoked.map((one) => one.serial.toHex()))));
  const theirs = new X509Crl(der as Uint8Array<ArrayBuffer>);
  assert.equal(list.entries, theirs.entries.length);
  assert.deepEqual(
    [...list.found].map(([number, { revokedAt, reason }]) => [BigInt(`0x${number}`), revokedAt, reason]),
    theirs.entries.map((one) => [
      BigInt(`0x${one.serialNumber}`),
      one.revocationDate.getTime(),
      one.reason === 1 ? "key_compromise" : "unspecified",
    ]),
  );
  assert.equal(list.thisUpdate, theirs.thisUpdate.getTime());
  assert.equal(list.nextUpdate, theirs.nextUpdate?.getTime());
});

Deno.test("a list of 300,000 entries is read in 300 ms, in a thousand steps", () => {
  const reason = sequence(ext.extension({ oid: "2.5.29.21", value: tlv(0x0a, Uint8Array.of(4)) }));
  const at = time(TEST_NOW);
  const one = sequence(integer(Uint8Array.from([1, ...new Uint8Array(15)])), at, reason);
  const entries = new Uint8Array(one.length * 300_000);
  const view = new DataView(entries.buffer);
  for (let index = 0; index < 300_000; index++) {
    entries.set(one, index * one.length);
    view.setUint32(index * one.length + 16, index);
  }
  return buildCrl(ca, { entries }).then((der) => {
    assert(der.length > 13_000_000);
    const sought = concat(Uint8Array.from([1, ...new Uint8Array(11)]), Uint8Array.of(0, 0, 0x12, 0x34));
    const work = readCrl(der, new Set([sought.toHex(), "7f"]));
    const times: number[] = [];
    for (;;) {
      const began = performance.now();
      const step = work.next();
      times.push(performance.now() - began);
      if (step.done !== true) continue;
      assert.equal(step.value.entries, 300_000);
      assert.deepEqual([...step.value.found.keys()], [sought.toHex()]);
      break;
    }
    const total = times.reduce((sum, each) => sum + each, 0);
    // Alone it takes 150 ms; other tests may run at the same time.
    assert(total < 900, `${total} ms`);
    assert(times.length > 1_000, `${times.length} steps`);
  });
});
