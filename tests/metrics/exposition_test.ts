import assert from "node:assert/strict";
import { type Family, writeExposition } from "../../src/metrics/exposition.ts";
import { readExposition } from "../support/exposition.ts";

function gauge(name: string, samples: Family["samples"]): Family {
  return { name, help: "A help.", type: "gauge", samples };
}

Deno.test("families are written with help, type and one line per sample", () => {
  const text = writeExposition([
    gauge("a_seconds", [{ value: 1.5 }]),
    gauge("b", [{ labels: { x: "1", y: "2" }, value: 3 }]),
  ]);
  assert.equal(
    text,
    `# HELP a_seconds A help.\n# TYPE a_seconds gauge\na_seconds 1.5\n` +
      `# HELP b A help.\n# TYPE b gauge\nb{x="1",y="2"} 3\n`,
  );
});

Deno.test("a family without samples is left out", () => {
  assert.equal(writeExposition([gauge("none", [])]), "");
});

for (
  const label of [`quote " and \\ and \\"`, "two\nlines", "}, {=", "ünïcode ✓", "", "\\n", "ends with \\"]
) {
  Deno.test(`the label ${JSON.stringify(label)} is read back unchanged`, () => {
    const [family] = readExposition(writeExposition([gauge("a", [{ labels: { x: label }, value: 1 }])]));
    assert.deepEqual(family?.samples, [{ name: "a", labels: { x: label }, value: 1 }]);
  });
}

Deno.test("a help text with line breaks is written in one line", () => {
  const [family] = readExposition(
    writeExposition([{ name: "a", help: "one\ntwo \\ three", type: "gauge", samples: [{ value: 1 }] }]),
  );
  assert.equal(family?.help, "one\\ntwo \\\\ three");
});

for (const value of [0, -1, 1e21, 1e-7, 0.1, Infinity, -Infinity, NaN]) {
  Deno.test(`the value ${value} is read back unchanged`, () => {
    const [family] = readExposition(writeExposition([gauge("a", [{ value }])]));
    assert.equal(family?.samples[0]?.value, value);
  });
}

const BROKEN: Readonly<Record<string, string>> = {
  "a sample without its type": "a 1\n",
  "a repeated family": "# HELP a h\n# TYPE a gauge\na 1\n# HELP a h\n# TYPE a gauge\na 2\n",
  "a repeated sample": '# HELP a h\n# TYPE a gauge\na{x="1"} 1\na{x="1"} 2\n',
  "a sample of another name": "# HELP a h\n# TYPE a gauge\nb 1\n",
  "an unclosed label": '# HELP a h\n# TYPE a gauge\na{x="1} 1\n',
  "a value that is not a number": "# HELP a h\n# TYPE a gauge\na one\n",
  "a last line without an end": "# HELP a h\n# TYPE a gauge\na 1",
  "decreasing buckets":
    '# HELP a h\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n',
  "a histogram without its last bucket":
    '# HELP a h\n# TYPE a histogram\na_bucket{le="1"} 1\na_sum 1\na_count 1\n',
};

for (const [title, text] of Object.entries(BROKEN)) {
  Deno.test(`the parser of these tests refuses ${title}`, () => {
    assert.throws(() => readExposition(text), assert.AssertionError);
  });
}
