import assert from "node:assert/strict";
import { InvalidTrustFile, readTrustFile, shippedTrust } from "../../../src/domain/trust/mod.ts";

const KEY = "a".repeat(64);
const shipped = shippedTrust();

Deno.test("every shipped entry has a name, a hash and a source", () => {
  const { distrusted_keys, distrust_after, not_for_servers } = shipped;
  for (const one of [...distrusted_keys, ...distrust_after, ...not_for_servers]) {
    assert.ok(one.name !== "" && one.source !== "", JSON.stringify(one));
  }
  // Entrust and Chunghwa Telecom, by Mozilla's dates.
  const dates = new Map(distrust_after.map(({ name, not_before_after }) => [name, not_before_after]));
  assert.equal(dates.get("Entrust Root Certification Authority - G2"), "2024-11-30");
  assert.equal(dates.get("ePKI Root Certification Authority"), "2025-04-15");
  assert.ok(distrusted_keys.some(({ name }) => name === "Superfish"));
  // The intermediates of eMudhra, and the roots that were removed because of them.
  assert.equal(distrusted_keys.filter(({ name }) => name.includes("eMudhra")).length, 8);
  assert.equal(not_for_servers.filter(({ name }) => name.startsWith("emSign")).length, 3);
});

Deno.test("a file extends the shipped data, replaces entries of the same key, and withdraws them", () => {
  const [first, second] = shipped.distrusted_keys;
  assert.ok(first !== undefined && second !== undefined);
  const data = readTrustFile(JSON.stringify({
    version: 1,
    distrusted_keys: [
      { spki_sha256: KEY.toUpperCase(), name: "Own", reason: "it leaked", since: "2026-10-18", source: "us" },
      { spki_sha256: first.spki_sha256, withdrawn: true },
      { spki_sha256: second.spki_sha256, reason: "another reason" },
    ],
    distrusted_certificates: [{ issuer: "CN=CA", serial_number: "0A:1B" }],
    distrust_after: [{ spki_sha256: KEY, not_before_after: "2026-01-31" }],
  }));
  const { keys, certificates, after } = data.distrust;
  assert.deepEqual(keys.get(KEY), { reason: "it leaked", source: "us" });
  assert.equal(keys.has(first.spki_sha256), false);
  assert.equal(keys.get(second.spki_sha256)?.reason, "another reason");
  assert.equal(keys.size, shipped.distrust.keys.size);
  assert.ok(certificates.has("a1b cn=ca"));
  assert.equal(after.get(KEY)?.last, Date.UTC(2026, 0, 31, 23, 59, 59));
  assert.notEqual(data.distrust.digest, shipped.distrust.digest);
  assert.equal(readTrustFile('{"version": 1}').distrust.digest, shipped.distrust.digest);
});

Deno.test("a malformed file names the first fault and where it is", () => {
  for (
    const [content, message] of [
      ["", /^Expected JSON: /],
      ["[]", /^The file: /],
      ["{}", /^version: Expected 1, not undefined\.$/],
      ['{"version": 2}', /^version: Expected 1, not 2\.$/],
      ['{"version": 1, "keys": []}', /^The file: Unrecognized key: "keys"\.$/],
      [
        '{"version": 1, "distrusted_keys": [{"spki_sha256": "12"}]}',
        /^distrusted_keys\.0\.spki_sha256: Expected a SHA-256 hash/,
      ],
      [
        '{"version": 1, "distrusted_certificates": [{"issuer": "CN=CA"}]}',
        /^distrusted_certificates\.0: Expected fingerprint_sha256, or issuer and serial_number\.$/,
      ],
      [
        `{"version": 1, "distrust_after": [{"spki_sha256": "${KEY}", "not_before_after": "2026-02-30"}]}`,
        /^distrust_after\.0\.not_before_after: Expected a date such as 2026-12-01, not "2026-02-30"\.$/,
      ],
    ] as const
  ) {
    assert.throws(() => readTrustFile(content), (error) => {
      assert.ok(error instanceof InvalidTrustFile);
      assert.match(error.message, message);
      return true;
    });
  }
});
