import assert from "node:assert/strict";
import { DerError, DerReader } from "../../src/x509/der.ts";
import { readTime, type Time } from "../../src/x509/time.ts";
import { derWriter } from "../support/test_ca/mod.ts";

const UTC = 0x17;
const GENERALIZED = 0x18;

function read(tag: number, text: string): Time {
  return readTime(new DerReader(derWriter.tlv(tag, derWriter.ascii(text))), "notAfter");
}

for (
  const [tag, text, iso] of [
    [UTC, "260731235959Z", "2026-07-31T23:59:59.000Z"],
    [UTC, "500101000000Z", "1950-01-01T00:00:00.000Z"],
    [UTC, "491231235959Z", "2049-12-31T23:59:59.000Z"],
    [UTC, "000229000000Z", "2000-02-29T00:00:00.000Z"],
    [GENERALIZED, "20500101000000Z", "2050-01-01T00:00:00.000Z"],
    [GENERALIZED, "99991231235959Z", "9999-12-31T23:59:59.000Z"],
    [GENERALIZED, "00010101000000Z", "0001-01-01T00:00:00.000Z"],
    [GENERALIZED, "00990228000000Z", "0099-02-28T00:00:00.000Z"],
    [GENERALIZED, "24000229000000Z", "2400-02-29T00:00:00.000Z"],
  ] as const
) {
  Deno.test(`the time ${text} is ${iso}`, () => {
    assert.equal(new Date(read(tag, text).at).toISOString(), iso);
  });
}

for (
  const [tag, text] of [
    [UTC, "261301000000Z"],
    [UTC, "260001000000Z"],
    [UTC, "260100000000Z"],
    [UTC, "260431000000Z"],
    [UTC, "250229000000Z"],
    [UTC, "260101240000Z"],
    [UTC, "260101006000Z"],
    [UTC, "260101000060Z"],
    [UTC, "260101000000"],
    [UTC, "260101000000+0000"],
    [UTC, "26010100000aZ"],
    [UTC, "2601010000 0Z"],
    [UTC, " 60101000000Z"],
    [UTC, "20260101000000Z"],
    [UTC, "260101000000Z\n"],
    [UTC, ""],
    [GENERALIZED, "21000229000000Z"],
    [GENERALIZED, "20500101000000.5Z"],
    [GENERALIZED, "205001010000Z"],
    [UTC, "260101000000+2400"],
    [UTC, "260101000000+0060"],
    [UTC, "260101000000+01"],
    [UTC, "260101000000-0000"],
    [GENERALIZED, "500101000000Z"],
    [GENERALIZED, "2050010100Z"],
    [0x0c, "260731235959Z"],
  ] as const
) {
  Deno.test(`the time ${JSON.stringify(text)} under tag ${tag} is malformed`, () => {
    assert.throws(() => read(tag, text), DerError);
  });
}

for (
  const [tag, text, iso] of [
    [UTC, "2601010000Z", "2026-01-01T00:00:00.000Z"],
    [UTC, "260101000000+0130", "2025-12-31T22:30:00.000Z"],
    [UTC, "2601010000-2359", "2026-01-01T23:59:00.000Z"],
    [GENERALIZED, "20500101000000+0100", "2049-12-31T23:00:00.000Z"],
  ] as const
) {
  Deno.test(`the time ${text} is ${iso}, but not in the form of RFC 5280`, () => {
    const { at, wellFormed } = read(tag, text);
    assert.deepEqual([new Date(at).toISOString(), wellFormed], [iso, false]);
  });
}

Deno.test("the year 0000 is read and reported", () => {
  const { at, yearZero, wellFormed } = read(GENERALIZED, "00000229000000Z");
  assert.deepEqual([new Date(at).toISOString(), yearZero, wellFormed], [
    "0000-02-29T00:00:00.000Z",
    true,
    true,
  ]);
});

Deno.test("a date before 2050 as GeneralizedTime is read and reported", () => {
  assert.equal(read(GENERALIZED, "20491231235959Z").wellEncoded, false);
  assert.equal(read(GENERALIZED, "20500101000000Z").wellEncoded, true);
});

Deno.test("a message about a time repeats no control characters of the certificate", () => {
  assert.throws(() => read(UTC, "\u001b[31m;60101000Z"), (error: Error) => !error.message.includes("\u001b"));
});
