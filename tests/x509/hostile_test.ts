/** Certificates that are made to stop a service take little time to read and to validate, and little space to show. */

import assert from "node:assert/strict";
import { describeCertificate } from "../../src/domain/certificates/chain/details.ts";
import { parseCertificate } from "../../src/x509/mod.ts";
import { chainResponse } from "../../src/domain/certificates/chain/responses.ts";
import { validateChain } from "../../src/x509/chain/mod.ts";
import { derWriter, ext, TEST_NOW, TestCa } from "../support/test_ca/mod.ts";
import { FAMILIES, hostileCertificate } from "./hostile_certificates.ts";

/** Maximum milliseconds for reading one certificate; the minimum of some runs counts, because of other load. */
const READ_MS = 40;
/** Maximum size of a response in bytes. */
const RESPONSE_BYTES = 1024 * 1024;
const RUNS = 5;

/** Returns the minimum duration of some runs, in milliseconds. */
async function fastest(work: () => unknown): Promise<number> {
  let best = Infinity;
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now();
    await work();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

for (const [title, family] of Object.entries(FAMILIES)) {
  Deno.test(`${title}: reading, showing and validating stay within the limits`, async () => {
    const ca = await TestCa.root({ key: "ed25519" });
    const { der } = await hostileCertificate(family, { bytes: 64_000, ca });
    const { certificate, findings } = parseCertificate(der);
    const reading = await fastest(() => parseCertificate(der));
    assert(reading < READ_MS, `Reading takes ${reading} ms`);
    assert(
      findings.length <= 101 && bytesOf(findings) < 64 * 1024,
      `${findings.length} findings`,
    );
    if (certificate !== undefined) {
      const size = bytesOf(describeCertificate(certificate));
      assert(size < RESPONSE_BYTES, `The details have ${size} bytes`);
    }
    const result = await validateChain({
      leaf: der,
      pool: [ca.der],
      anchors: [],
      at: TEST_NOW,
    });
    assert(bytesOf(chainResponse(result, TEST_NOW)) < RESPONSE_BYTES / 20);
  });
}

Deno.test("a mesh of authorities with thousands of malformed extensions has a short result", async () => {
  for (
    const title of ["extensions that are NULL", "different critical extensions"]
  ) {
    const grow = FAMILIES[title]!(2_900);
    const root = await TestCa.root({ key: "ed25519" });
    const cas: TestCa[] = [];
    for (let index = 0; index < 5; index++) {
      cas.push(await root.intermediate({ cn: `CA ${index}`, key: "ed25519" }));
    }
    const pool: Uint8Array[] = [];
    for (const a of cas) {
      for (const b of cas) {
        if (a !== b) {
          pool.push(
            (await a.crossSign(b, { extensions: [...grow.extensions!] })).der,
          );
        }
      }
    }
    const { der } = await hostileCertificate(FAMILIES[title]!, {
      bytes: 62_000,
      ca: cas[0]!,
    });
    const duration = await fastest(async () => {
      const result = await validateChain({
        leaf: der,
        pool,
        anchors: [],
        at: TEST_NOW,
      });
      assert(bytesOf(chainResponse(result, TEST_NOW)) < 64 * 1024);
    });
    assert(duration < 250, `Validation takes ${duration} ms`);
  }
});

Deno.test("a certificate has at most 5,000 elements and 100 malformed extensions", async () => {
  const root = await TestCa.root({ key: "ed25519" });
  const read = async (extensions: readonly ext.ExtensionInput[]) =>
    parseCertificate((await root.issue({ cn: "a.example", extensions })).der);
  const nothing = derWriter.nothing();
  const accepted = await read(Array<Uint8Array>(100).fill(nothing));
  assert.equal(
    accepted.certificate?.extensions.filter(({ malformed }) => malformed !== undefined).length,
    100,
  );
  const tooMany = await read(Array<Uint8Array>(101).fill(nothing));
  assert.deepEqual(tooMany.findings, [{
    code: "too_large",
    message: "More than 100 malformed extensions",
  }]);
  const names = (count: number): ext.ExtensionInput =>
    ext.rawExtension(
      "issuerAltName",
      derWriter.sequence(
        ...Array<Uint8Array>(count).fill(
          derWriter.implicit(2, derWriter.ascii("a")),
        ),
      ),
    );
  assert.equal(
    (await read([names(4_900)])).certificate?.issuerAltNames?.length,
    4_900,
  );
  assert.deepEqual((await read([names(5_000)])).findings, [
    { code: "too_large", message: "More than 5000 elements" },
  ]);
});

Deno.test("a rule reports ten failures of a certificate one by one, and the number of the others", async () => {
  const extensions = Array.from({ length: 30 }, (_, index) => ({
    oid: `1.2.3.${index}`,
    critical: true,
    value: derWriter.nothing(),
  }));
  const root = await TestCa.root({ key: "ed25519" });
  const leaf = await root.issue({ cn: "a.example", extensions });
  const { errors } = await validateChain({
    leaf: leaf.der,
    pool: [root.der],
    anchors: [],
    at: TEST_NOW,
  });
  assert.equal(errors.length, 11);
  assert.match(
    errors.at(-1)!,
    /^critical_extension: Certificate 1 has 20 more failures of this kind/,
  );
});

Deno.test("errors beyond the hundredth are counted", async () => {
  const { errors } = await validateChain({
    leaf: {
      unreadable: Array.from(
        { length: 250 },
        (_, index) => ({ code: "malformed", message: `${index}` }),
      ),
    },
    pool: [],
    anchors: [],
    at: TEST_NOW,
  });
  assert.equal(errors.length, 101);
  assert.equal(errors.at(-1), "more: 150 more are not listed");
});

Deno.test("runs of control characters in names with more than 1,000 of them are shown as U+FFFD", async () => {
  const root = await TestCa.root({ key: "ed25519" });
  const nameOf = async (count: number): Promise<string> =>
    (await root.issue({ subject: [["CN", "\u0001".repeat(count)]] }))
      .certificate.subject.text;
  assert.equal(await nameOf(1_000), `CN=${"\\u{01}".repeat(1_000)}`);
  assert.equal(await nameOf(1_001), "CN=\ufffd");
});
