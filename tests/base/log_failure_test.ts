/** How failures of background work are logged. */

import assert from "node:assert/strict";
import { AppError } from "../../src/base/errors.ts";
import { logFailure, logRefusal } from "../../src/base/log_failure.ts";

/** Returns the only logged line. */
function logged(error: unknown): [level: string, event: string, values: Record<string, unknown>] {
  const lines: [string, string, Record<string, unknown>][] = [];
  logFailure({ log: (...line) => lines.push(line as (typeof lines)[number]) }, "job failed", {
    error,
    name: "sweep",
  });
  assert.equal(lines.length, 1);
  return lines[0]!;
}

Deno.test("an unavailable database is logged as a warning with the reason and the system's message, without a stack", () => {
  const cause = new Error("fetch failed", { cause: new Error("Connection refused") });
  const away = new AppError("unavailable", "The database is not available.", { cause });
  assert.deepEqual(logged(away), [
    "warn",
    "job failed",
    { name: "sweep", reason: "The database is not available.", cause: "Connection refused" },
  ]);
});

Deno.test("any other failure is logged as an error with its stack", () => {
  const [level, event, { name, error }] = logged(new TypeError("No such thing"));
  assert.deepEqual([level, event, name], ["error", "job failed", "sweep"]);
  assert.match(String(error), /^TypeError: No such thing\n {4}at .*log_failure_test/);
  assert.deepEqual(logged("text")[2], { name: "sweep", error: "text" });
  assert.equal(logged(new AppError("conflict", "Taken."))[0], "error");
});

Deno.test("a refusal with a cause is logged at debug, or at warn if a check should have caught it; without a cause not at all", () => {
  const lines: unknown[][] = [];
  const log = { log: (...line: unknown[]): number => lines.push(line) };
  const cause = new Error("UNIQUE constraint failed: a.b");
  logRefusal(log, { error: new AppError("conflict", "Taken."), request_id: "1" });
  logRefusal(log, { error: new AppError("conflict", "Taken.", { cause }), request_id: "2" });
  logRefusal(log, {
    error: new AppError("conflict", "Taken.", { cause, unexpected: true }),
    request_id: "3",
  });
  assert.deepEqual(lines, [
    ["debug", "refusal", { request_id: "2", cause: String(cause) }],
    ["warn", "refusal", { request_id: "3", cause: String(cause) }],
  ]);
});
