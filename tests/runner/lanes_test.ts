import assert from "node:assert/strict";
import { divide, LANES } from "./lanes.ts";

const TABLE: readonly (readonly [path: string, lane: string])[] = [
  ["architecture_test.ts", "architecture"],
  ["config_test.ts", "service"],
  ["filters/regex_test.ts", "pure"],
  ["filters/regex_db_test.ts", "service"],
  ["formats/yaml_reader_test.ts", "service"],
  ["x509/chain/build_test.ts", "pure"],
  ["x509/interop_openssl_test.ts", "processes"],
  ["x509/public_roots_test.ts", "service"],
  ["base/clock_test.ts", "pure"],
  ["basement/clock_test.ts", "service"],
  ["cli/serve_test.ts", "processes"],
  ["web/cli_test.ts", "service"],
  ["demo/plan_test.ts", "service"],
  ["e2e/sign_in_test.ts", "browser"],
  ["remote/scenarios_test.ts", "processes"],
  ["soak/soak_test.ts", "processes"],
  ["faults/disk_test.ts", "processes"],
  ["db/file_processes_test.ts", "processes"],
  ["domain/notices/kill_test.ts", "processes"],
  ["domain/notices/skill_test.ts", "service"],
  ["remoteness/x_test.ts", "service"],
];

for (const [path, lane] of TABLE) {
  Deno.test(`tests/${path} runs only in the ${lane} lane`, () => {
    assert.deepEqual(LANES.filter((one) => one.holds(path)).map((one) => one.name), [lane]);
  });
}

Deno.test("the pure lane grants no permission", () => {
  const flags = LANES.find((one) => one.name === "pure")?.flags;
  assert.deepEqual(flags?.filter((flag) => !flag.startsWith("--v8-flags=")), []);
});

/** The processes of these files: their lanes and files, in order. */
function processesOf(...files: readonly string[]): string[] {
  const selected = LANES.map((lane) => ({
    lane: { ...lane, batch: 2 },
    files: files.filter(lane.holds),
  }));
  return divide(selected).map(({ lane, files }) => `${lane.name}: ${files.join(" ")}`);
}

Deno.test("long files have separate processes, the longest first; the others are distributed over batches", () => {
  const files = ["a_test.ts", "b_test.ts", "c_test.ts", "cli/x_test.ts"];
  assert.deepEqual(
    processesOf(
      "rest/scenarios_test.ts",
      ...files,
      "properties/x_test.ts",
      "remote/scenarios_test.ts",
    ),
    [
      "processes: remote/scenarios_test.ts",
      "service: properties/x_test.ts",
      "service: rest/scenarios_test.ts",
      "processes: cli/x_test.ts",
      "service: a_test.ts c_test.ts",
      "service: b_test.ts",
    ],
  );
});

Deno.test("lanes without files have no process", () => assert.deepEqual(processesOf(), []));
