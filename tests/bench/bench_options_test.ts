/** The command line of the benchmarks. */

import assert from "node:assert/strict";
import { readOptions, usageOf } from "./bench_options.ts";

const OPTIONS = {
  counts: ["1000,100000", "Numbers of certificates"],
  folder: [undefined, "Folder of the databases"],
  json: [false, "Print JSON"],
} as const;

Deno.test("options have their defaults, and take values, switches and --help", () => {
  assert.deepEqual({ ...readOptions([], OPTIONS) }, { counts: "1000,100000", json: false });
  assert.deepEqual({ ...readOptions(["--", "--counts", "5", "--folder=x", "--json"], OPTIONS) }, {
    counts: "5",
    folder: "x",
    json: true,
  });
  assert.equal(readOptions(["--help"], OPTIONS).help, true);
});

Deno.test("an unknown option, and a text in place of numbers, are refused with their name", () => {
  assert.throws(() => readOptions(["--conts", "5"], OPTIONS), /'--conts'/);
  assert.throws(() => readOptions(["--counts", "5,x"], OPTIONS), /Invalid --counts "5,x"/);
});

Deno.test("the usage names each option with its meaning and its default", () => {
  assert.equal(
    usageOf("bench:example", OPTIONS),
    [
      "Usage: deno task bench:example [options]",
      "  --counts <value>  Numbers of certificates (default: 1000,100000)",
      "  --folder <value>  Folder of the databases",
      "  --json            Print JSON",
    ].join("\n"),
  );
});
