/** A strict parser of the Prometheus text format, version 0.0.4: everything that it accepts, Prometheus accepts. */

import assert from "node:assert/strict";

/** One line with a value. */
export interface ReadSample {
  /** Includes the suffix of a histogram. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** All lines of one metric. */
export interface ReadFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly ReadSample[];
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const HEAD = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? ([+-]Inf|NaN|-?[0-9.]+(?:e[+-]?[0-9]+)?)$`);
const PAIR = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/;

/** Parses a document; throws an assertion error that quotes the invalid line. */
export function readExposition(text: string): ReadFamily[] {
  assert.ok(text.endsWith("\n") && !text.includes("\n\n"), "Every line ends, and none is empty");
  const families: (ReadFamily & { samples: ReadSample[] })[] = [];
  const lines = text.slice(0, -1).split("\n");
  for (let at = 0; at < lines.length;) {
    const [help, type] = [HEAD.exec(lines[at] as string), HEAD.exec(lines[at + 1] ?? "")];
    assert.ok(help?.[1] === "HELP" && type?.[1] === "TYPE" && help[2] === type[2], `Line is ${lines[at]}`);
    assert.ok(["counter", "gauge", "histogram"].includes(type[3] as string), `Line is ${lines[at + 1]}`);
    assert.ok(families.every(({ name }) => name !== help[2]), `${help[2]} comes twice`);
    const family = { name: help[2] as string, help: help[3] as string, type: type[3] as string, samples: [] };
    at = readSamples(lines, at + 2, family);
    families.push(family);
    checkFamily(family);
  }
  return families;
}

function readSamples(
  lines: readonly string[],
  from: number,
  family: { name: string; type: string; samples: ReadSample[] },
): number {
  const names = family.type === "histogram"
    ? ["_bucket", "_sum", "_count"].map((suffix) => family.name + suffix)
    : [family.name];
  let at = from;
  for (; at < lines.length && !(lines[at] as string).startsWith("#"); at++) {
    const match = SAMPLE.exec(lines[at] as string);
    assert.ok(match !== null && names.includes(match[1] as string), `Line is ${lines[at]}`);
    family.samples.push({
      name: match[1] as string,
      labels: readLabels(match[2] ?? "", lines[at] as string),
      value: Number((match[3] as string).replace("Inf", "Infinity")),
    });
  }
  assert.ok(at > from, `${family.name} has no samples`);
  return at;
}

function readLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (let rest = text; rest !== "";) {
    const match = PAIR.exec(rest);
    assert.ok(match !== null && labels[match[1] as string] === undefined, line);
    labels[match[1] as string] = (match[2] as string).replace(
      /\\(.)/g,
      (_, escaped) => escaped === "n" ? "\n" : escaped,
    );
    rest = rest.slice(match[0].length);
  }
  return labels;
}

function checkFamily({ name, type, samples }: ReadFamily): void {
  const keys = samples.map((sample) => sample.name + JSON.stringify(Object.entries(sample.labels).sort()));
  assert.equal(new Set(keys).size, keys.length, `${name} has one sample twice`);
  if (type === "counter") {
    assert.ok(name.endsWith("_total") && samples.every(({ value }) => value >= 0), name);
  }
  if (type === "histogram") checkHistogram(name, samples);
}

/** Checks that buckets are cumulative and in order, and that the last one has all samples. */
function checkHistogram(name: string, samples: readonly ReadSample[]): void {
  const series = Map.groupBy(samples, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  for (const [labels, members] of series) {
    const buckets = members.filter((one) => one.name === `${name}_bucket`);
    const bounds = buckets.map((one) => Number(one.labels.le?.replace("+Inf", "Infinity")));
    assert.deepEqual(bounds, bounds.toSorted((a, b) => a - b), labels);
    const counts = buckets.map(({ value }) => value);
    assert.deepEqual(counts, counts.toSorted((a, b) => a - b), labels);
    assert.equal(bounds.at(-1), Infinity, labels);
    assert.equal(members.find((one) => one.name === `${name}_count`)?.value, counts.at(-1), labels);
    assert.ok(members.some((one) => one.name === `${name}_sum`), labels);
  }
}
