import assert from "node:assert/strict";
import { DAY_MS } from "../../../../src/base/clock.ts";
import { evaluateThresholds } from "../../../../src/domain/certificates/expiry_notices/select_due.ts";

const NOW = Date.UTC(2026, 10, 20, 9);
const USUAL = ["30d", "14d", "7d", "1d"];

interface Row {
  readonly title: string;
  readonly thresholds?: readonly string[];
  readonly passed?: readonly string[];
  /** Days until the expiry, and days since the begin of the validity. */
  readonly left: number;
  readonly lived?: number;
  readonly announced?: string;
  readonly passing: readonly string[];
}

const TABLE: readonly Row[] = [
  { title: "nothing is announced before the first threshold", left: 31, passing: [] },
  { title: "a threshold is announced on its day", left: 30, announced: "30d", passing: ["30d"] },
  { title: "a threshold is announced once", left: 29, passed: ["30d"], passing: [] },
  {
    title: "of several thresholds that are passed at once only the nearest is announced",
    left: 6,
    announced: "7d",
    passing: ["30d", "14d", "7d"],
  },
  {
    title: "the next threshold is announced by itself",
    left: 1,
    passed: ["30d", "14d", "7d"],
    announced: "1d",
    passing: ["1d"],
  },
  {
    title: "a threshold that is set later, farther than what was announced, is skipped",
    thresholds: ["30d", "14d", "7d"],
    left: 6,
    passed: ["30d", "7d"],
    passing: ["14d"],
  },
  {
    title: "a threshold that replaces another is skipped if the other was nearer",
    thresholds: ["31d"],
    left: 20,
    passed: ["30d"],
    passing: ["31d"],
  },
  {
    title: "a threshold that is set later and is nearer is announced",
    thresholds: ["30d", "10d"],
    left: 9,
    passed: ["30d"],
    announced: "10d",
    passing: ["10d"],
  },
  {
    title: "the last day is a threshold, too",
    thresholds: ["0d"],
    left: 0,
    announced: "0d",
    passing: ["0d"],
  },
  {
    title: "a part of the lifetime is reached when no more of it is left",
    thresholds: ["33%"],
    left: 33,
    lived: 67,
    announced: "33%",
    passing: ["33%"],
  },
  {
    title: "a part of the lifetime is not reached while more of it is left",
    thresholds: ["33%"],
    left: 34,
    lived: 66,
    passing: [],
  },
  {
    title: "the nearest threshold may be a part of the lifetime",
    thresholds: ["30d", "10%"],
    left: 9,
    lived: 91,
    announced: "10%",
    passing: ["30d", "10%"],
  },
  {
    title: "the nearest threshold may be a number of days",
    thresholds: ["50%", "30d"],
    left: 29,
    lived: 61,
    announced: "30d",
    passing: ["50%", "30d"],
  },
  { title: "an empty list of thresholds announces nothing", thresholds: [], left: 0, passing: [] },
  {
    title: "thresholds that no release reads announce nothing",
    thresholds: ["soon", ""],
    left: 0,
    passing: [],
  },
];

for (const { title, thresholds = USUAL, passed = [], left, lived = 60, announced, passing } of TABLE) {
  Deno.test(`notices: ${title}`, () => {
    const validity = { validFrom: NOW - lived * DAY_MS, validTo: NOW + left * DAY_MS };
    assert.deepEqual(evaluateThresholds({ ...validity, thresholds, passed }, NOW), { announced, passing });
  });
}
