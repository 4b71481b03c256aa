import assert from "node:assert/strict";
import { duration, Progress } from "./progress.ts";

/** Returns the shown lines of processes with a file each, and the state at the end. */
function follow(
  ...outputs: readonly (readonly string[])[]
): { seen: string[]; text: string } {
  const progress = new Progress({ files: 3 });
  const seen = outputs.flatMap((lines) => {
    const shown = lines.map(progress.reader()).filter((line) => line !== undefined);
    progress.end(1);
    return shown;
  });
  return { seen, text: progress.text() };
}

Deno.test("results are counted and not shown", () => {
  assert.deepEqual(
    follow([
      "running 2 tests from ./tests/base/a_test.ts",
      "one ... ok (3ms)",
      "two ...",
      "  a step ... ok (1ms)",
      "two ... ok (3ms)",
      "",
      "running 1 test from ./tests/base/b_test.ts",
      "name ... with dots ... ok (1m0s)",
      "",
      "ok | 3 passed (1 step) | 0 failed (1m0s)",
    ]),
    { seen: [], text: "1 of 3 files, 4 passed" },
  );
});

Deno.test("results of several processes are counted together", () => {
  assert.deepEqual(
    follow(
      ["running 1 test from ./tests/base/a_test.ts", "one ... ok (3ms)"],
      ["running 2 tests from ./tests/base/b_test.ts", "one ... ok (3ms)", "two ... ok (3ms)"],
    ),
    { seen: [], text: "2 of 3 files, 3 passed" },
  );
});

Deno.test("a failure is shown when it happens, and in full at the end", () => {
  const summary = [
    " ERRORS ",
    "a ... ok (1ms)",
    "error: AssertionError",
    "",
    " FAILURES ",
    "FAILED | 1 passed",
  ];
  assert.deepEqual(
    follow(["running 1 test from ./tests/base/a_test.ts", "one ... FAILED (3ms)", ...summary]),
    {
      seen: ["one ... FAILED (3ms)", ...summary],
      text: "1 of 3 files, 0 passed, 1 failed",
    },
  );
});

Deno.test("the output of tests is shown", () => {
  assert.deepEqual(follow(["------- output -------", "hello", "----- output end -----"]).seen, [
    "------- output -------",
    "hello",
    "----- output end -----",
  ]);
});

Deno.test("durations are whole seconds, and minutes from the first on", () => {
  assert.deepEqual([0, 59_499, 59_500, 185_000].map(duration), ["0 s", "59 s", "1 min 0 s", "3 min 5 s"]);
});
