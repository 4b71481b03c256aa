/** The log: one JSON line per event. */

import assert from "node:assert/strict";
import { createLogger, LOG_LEVELS } from "../../src/base/log.ts";

Deno.test("a log line is one line of JSON with time, level, event and values, whatever they contain", () => {
  const lines: string[] = [];
  const log = createLogger({ level: "debug", now: () => 0, write: (line) => lines.push(line) });
  log.log("warn", "odd", { text: 'a "b"\n\u2028c', nested: { list: [1, null] } });
  assert.equal(lines.length, 1);
  assert(!lines[0]?.includes("\n"));
  assert.deepEqual(JSON.parse(lines[0] ?? ""), {
    time: "1970-01-01T00:00:00.000Z",
    level: "warn",
    event: "odd",
    text: 'a "b"\n\u2028c',
    nested: { list: [1, null] },
  });
});

Deno.test("events below the level are not written", () => {
  for (const [index, level] of LOG_LEVELS.entries()) {
    const written: string[] = [];
    const log = createLogger({ level, now: () => 0, write: (line) => written.push(JSON.parse(line).level) });
    for (const each of LOG_LEVELS) log.log(each, "x");
    assert.deepEqual(written, LOG_LEVELS.slice(index));
  }
});
