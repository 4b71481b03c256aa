import assert from "node:assert/strict";
import { DAY_MS } from "../../src/base/clock.ts";
import { listFault, parseThreshold, passedFrom } from "../../src/base/expiry_threshold.ts";

for (
  const [text, threshold] of [
    ["0d", { unit: "days", amount: 0 }],
    ["1d", { unit: "days", amount: 1 }],
    ["3650d", { unit: "days", amount: 3650 }],
    ["1%", { unit: "percent", amount: 1 }],
    ["99%", { unit: "percent", amount: 99 }],
  ] as const
) {
  Deno.test(`the threshold ${text} is parsed`, () => assert.deepEqual(parseThreshold(text), threshold));
}

Deno.test("invalid thresholds are refused", () => {
  const texts = [
    "",
    "d",
    "%",
    "30",
    "030d",
    "00d",
    "-1d",
    "+1d",
    "1.5d",
    "1e1d",
    "30D",
    "30 d",
    " 30d",
    "30d\n",
  ]
    .concat("3651d", "99999d", "0%", "100%", "01%", "30d7d", "٣٠d", "30ｄ", "__proto__", "9".repeat(100_000));
  assert.deepEqual(texts.map(parseThreshold).filter((read) => read !== undefined), []);
});

Deno.test("a list of thresholds with duplicates or too many elements is refused", () => {
  const many = (count: number): string[] => Array.from({ length: count }, (_, days) => `${days}d`);
  assert.equal(listFault([]), undefined);
  assert.equal(listFault(many(20)), undefined);
  assert.equal(listFault(many(21)), "at most 20 thresholds, not 21");
  assert.equal(listFault(["30d", "7d", "30d"]), "each threshold once, not 30d twice");
});

const TO = Date.UTC(2027, 1, 10, 17, 30);

for (
  const [text, validFrom, passed] of [
    ["0d", TO - 90 * DAY_MS, Date.UTC(2027, 1, 10)],
    ["30d", TO - 90 * DAY_MS, Date.UTC(2027, 0, 11)],
    // Days do not depend on the lifetime.
    ["400d", TO - 90 * DAY_MS, Date.UTC(2026, 0, 6)],
    ["50%", TO - 90 * DAY_MS, TO - 45 * DAY_MS],
    ["33%", TO - 90 * DAY_MS, TO - 0.33 * 90 * DAY_MS],
    ["1%", TO - 99, TO],
    ["99%", TO - 99, TO - 98],
    ["50%", TO, TO],
  ] as const
) {
  Deno.test(`${text} of ${(TO - validFrom) / DAY_MS} days is reached at ${passed}`, () => {
    const threshold = parseThreshold(text);
    assert(threshold !== undefined);
    assert.equal(passedFrom(threshold, { validFrom, validTo: TO }), passed);
  });
}

Deno.test("a part of the longest possible lifetime is exact", () => {
  const [validFrom, validTo] = [Date.UTC(-4000, 0), Date.UTC(9999, 11, 31, 23, 59, 59, 999)];
  for (let amount = 1; amount <= 99; amount++) {
    const exact = BigInt(validTo) - BigInt(validTo - validFrom) * BigInt(amount) / 100n;
    assert.equal(
      passedFrom({ unit: "percent", amount }, { validFrom, validTo }),
      Number(exact),
      `${amount}%`,
    );
  }
});
