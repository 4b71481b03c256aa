/** Names whose normalization would take long, and names just below the limit. */

import assert from "node:assert/strict";
import { DerReader, MAX_CERTIFICATE_BYTES } from "../../src/x509/der.ts";
import { MAX_MARKS_IN_A_ROW, nameKey } from "../../src/x509/names.ts";
import { cpuMillis } from "../support/cpu_time.ts";
import { derWriter } from "../support/test_ca/mod.ts";

const encoder = new TextEncoder();

function keyOf(text: string, der: Uint8Array = encoder.encode(text)): string {
  return nameKey("2.5.4.3", { text, element: new DerReader(derWriter.tlv(0x0c, der)).next("value") });
}

const [GRAVE, BELOW] = ["\u0300", "\u0316"] as const;

Deno.test("names with the maximum number of consecutive marks are compared by their characters", () => {
  const marks = GRAVE.repeat(MAX_MARKS_IN_A_ROW - 1);
  assert.equal(keyOf(`a${BELOW}${marks}`), keyOf(`A${marks}${BELOW}`), "in either order, in either case");
});

Deno.test("names with more consecutive marks are compared by their bytes", () => {
  const marks = GRAVE.repeat(MAX_MARKS_IN_A_ROW);
  assert.notEqual(keyOf(`a${BELOW}${marks}`), keyOf(`a${marks}${BELOW}`));
  assert.equal(keyOf(`a${BELOW}${marks}`), keyOf(`a${BELOW}${marks}`));
  assert.match(keyOf(`a${BELOW}${marks}`), /^2\.5\.4\.3=#[0-9a-f]+$/);
  // Ignored characters do not divide a sequence of marks.
  assert.match(keyOf(`a${`${GRAVE}\u200d`.repeat(MAX_MARKS_IN_A_ROW + 1)}`), /=#/);
});

Deno.test("every character that is normalized to marks counts as marks", () => {
  for (let point = 0; point <= 0x10ffff; point++) {
    if (point >= 0xd800 && point < 0xe000) continue;
    const character = String.fromCodePoint(point);
    // Invisible characters are removed before.
    if (!/^\p{M}+$/u.test(character.normalize("NFKD")) || /[\u034f\ufe00-\ufe0f]/.test(character)) continue;
    assert.match(keyOf(`a${character.repeat(MAX_MARKS_IN_A_ROW + 1)}`), /=#/, `U+${point.toString(16)}`);
  }
});

Deno.test("comparing names as long as a certificate takes milliseconds, for any characters", () => {
  const fill = (text: string): string =>
    text.repeat(Math.floor(MAX_CERTIFICATE_BYTES / encoder.encode(text).length));
  const texts = [
    GRAVE + BELOW,
    `a${GRAVE.repeat(MAX_MARKS_IN_A_ROW)}`,
    "\uff9e",
    "\ufdfa",
    "ß ",
    "\u200d",
    " \u3000",
    "\u1100\u1161",
  ];
  const before = cpuMillis();
  for (const text of texts) for (let round = 0; round < 3; round++) keyOf(fill(text));
  assert.ok(cpuMillis() - before < 3_000, `Took ${cpuMillis() - before} ms`);
});
