import assert from "node:assert/strict";
import {
  DerError,
  DerReader,
  type Element,
  findingOf,
  LimitError,
  soleSequence,
  TAG,
} from "../../src/x509/der.ts";
import {
  bitLengthOf,
  bitStringOf,
  booleanOf,
  integerOf,
  oidOf,
  setBitsOf,
  smallIntegerOf,
} from "../../src/x509/der_values.ts";

/** Returns the only element of a hex text. */
function element(hex: string): Element {
  return new DerReader(Uint8Array.fromHex(hex.replaceAll(" ", ""))).next("value");
}

for (
  const [hex, reason] of [
    ["30", "is cut off"],
    ["30 03 0101", "longer than the input"],
    ["30 80 0000", "indefinite length"],
    ["30 81 05 0000000000", "not minimal"],
    ["30 82 0005 0000000000", "not minimal"],
    ["30 82 00", "is cut off"],
    ["30 85 0000000001 00", "longer than the input"],
    ["30 84 ffffffff 00", "longer than the input"],
    ["1f 81 01 00", "tag number above 30"],
  ] as const
) {
  Deno.test(`a DER frame ${hex} is refused: ${reason}`, () => {
    assert.throws(
      () => element(hex),
      (error: Error) => error instanceof DerError && error.message.includes(reason),
    );
  });
}

Deno.test("elements are walked in order, entered, and must be used up", () => {
  const reader = soleSequence(Uint8Array.fromHex("3009020105300404020a0b"), "thing");
  assert.equal(smallIntegerOf(reader.expect(TAG.integer, "number"), "number"), 5);
  assert.equal(reader.optional(TAG.boolean, "flag"), undefined);
  const inner = reader.enter(TAG.sequence, "inner");
  assert.equal(reader.done, true);
  assert.throws(() => inner.finish("inner"), /inner has 4 unexpected bytes/);
  assert.throws(() => reader.expect(TAG.null, "rest"), /rest is missing/);
});

Deno.test("bytes after the only element are distinguished from a malformed element", () => {
  const codes = ["0500", "300100", "3000aa"].map((hex) => {
    try {
      return soleSequence(Uint8Array.fromHex(hex), "thing").finish("thing");
    } catch (error) {
      return findingOf(error).code;
    }
  });
  assert.deepEqual(codes, ["malformed", "malformed", "trailing_data"]);
  assert.equal(findingOf(new LimitError("x")).code, "too_large");
  assert.throws(() => findingOf(new TypeError("defect")), TypeError);
});

for (
  const [hex, value] of [
    ["06 03 55 04 03", "2.5.4.3"],
    ["06 01 00", "0.0"],
    ["06 01 27", "0.39"],
    ["06 01 28", "1.0"],
    ["06 01 7f", "2.47"],
    ["06 02 88 37", "2.999"],
    ["06 09 2a864886f70d01010b", "1.2.840.113549.1.1.11"],
    ["06 14 6983a9e2e8c0fef4b5d1b3c1d1b6a4d3f1e2c37a", undefined],
    // The largest UUID arc: 2.25.(2^128-1)
    ["06 14 69 83ffffffffffffffffffffffffffffffffff7f", "2.25.340282366920938463463374607431768211455"],
    // The same arc without the one before it: the first two arcs share one number.
    ["06 0a a4ffffffffffffffff7f", "2.341264765363626704815"],
    ["06 00", undefined],
    ["06 02 55 84", undefined],
    ["06 03 55 80 01", undefined],
  ] as const
) {
  Deno.test(`the OBJECT IDENTIFIER ${hex} is ${value ?? "read without losing digits, or refused"}`, () => {
    if (value !== undefined) return assert.equal(oidOf(element(hex), "OID"), value);
    if (hex.startsWith("06 14")) return assert.match(oidOf(element(hex), "OID"), /^2\.25\.\d{30,}$/);
    assert.throws(() => oidOf(element(hex), "OID"), DerError);
  });
}

Deno.test("OBJECT IDENTIFIERs of any length are read, with arcs of at most 64 octets", () => {
  assert.match(oidOf(element(`068181${"01".repeat(129)}`), "OID"), /^0\.1(\.1){128}$/);
  assert.match(oidOf(element(`0641${"2a"}${"81".repeat(63)}01`), "OID"), /^1\.2\.\d+$/);
  assert.throws(() => oidOf(element(`0642${"2a"}${"81".repeat(64)}01`), "OID"), DerError);
});

Deno.test("values that are not DER of their type are refused", () => {
  for (const hex of ["0100", "010101", "01020000"]) {
    assert.throws(() => booleanOf(element(hex), "flag"), DerError);
  }
  for (const hex of ["0200", "02020001", "0202ff80"]) {
    assert.throws(() => integerOf(element(hex), "n"), DerError);
  }
  for (const hex of ["0300", "030108", "030101", "03020101"]) {
    assert.throws(() => bitStringOf(element(hex), "bits"), DerError, hex);
  }
  for (const hex of ["0201ff", "02050100000000"]) {
    assert.throws(() => smallIntegerOf(element(hex), "n"), DerError);
  }
});

Deno.test("values are read bit by bit", () => {
  assert.equal(booleanOf(element("0101ff"), "flag"), true);
  assert.equal(booleanOf(element("010100"), "flag"), false);
  assert.deepEqual(setBitsOf(element("03020106"), "bits"), [5, 6]);
  assert.deepEqual(setBitsOf(element("0303070080"), "bits"), [8]);
  assert.equal(smallIntegerOf(element("02047fffffff"), "n"), 2_147_483_647);
  for (
    const [hex, bits] of [["00", 0], ["01", 1], ["00ff", 8], ["7f", 7], ["0100", 9], ["008000", 16]] as const
  ) {
    assert.equal(bitLengthOf(Uint8Array.fromHex(hex)), bits);
  }
});
