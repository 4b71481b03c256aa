/** The log sink: order, limits, and that it never waits for its reader. */

import assert from "node:assert/strict";
import { createLogSink, LOG_BUFFER_BYTES } from "../../src/base/log_sink.ts";

const decoder = new TextDecoder();

Deno.test("lines are written completely and in order, however few bytes the reader accepts at once", async () => {
  for (const most of [1, 7, 1_000_000]) {
    let text = "";
    const sink = createLogSink(async (bytes) => {
      await Promise.resolve();
      text += decoder.decode(bytes.subarray(0, most), { stream: true });
      return Math.min(most, bytes.length);
    });
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index} \u00e4\u{1F600}`);
    for (const [index, line] of lines.entries()) {
      sink.write(line);
      if (index % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await sink.flush(5_000);
    assert.equal(text, lines.map((line) => `${line}\n`).join(""));
    assert.equal(sink.dropped, 0);
  }
});

Deno.test("lines are dropped and counted while the buffer is full; buffered ones are written later", async () => {
  const gate = Promise.withResolvers<void>();
  const written: string[] = [];
  const sink = createLogSink(async (bytes) => {
    await gate.promise;
    written.push(...decoder.decode(bytes).trimEnd().split("\n"));
    return bytes.length;
  });
  const line = (index: number): string => String(index).padEnd(1023, ".");
  const most = LOG_BUFFER_BYTES / 1024;
  for (let index = 0; index < most + 5; index++) {
    sink.write(line(index));
    if (index === 3) await Promise.resolve();
  }
  assert.equal(sink.dropped, 5);
  const started = performance.now();
  await sink.flush(50);
  assert(performance.now() - started < 10_000);
  gate.resolve();
  await sink.flush(5_000);
  assert.deepEqual(written, Array.from({ length: most }, (_, index) => line(index)));
  sink.write("after");
  await sink.flush(5_000);
  assert.deepEqual([written.at(-1), sink.dropped], ["after", 5]);
});

Deno.test("a failing writer loses its lines without stopping the service", async () => {
  const written: string[] = [];
  let broken = true;
  const sink = createLogSink((bytes) => {
    if (broken) return Promise.reject(new Error("Broken pipe"));
    written.push(decoder.decode(bytes));
    return Promise.resolve(bytes.length);
  });
  sink.write("one");
  sink.write("two");
  await sink.flush(1_000);
  broken = false;
  sink.write("three");
  await sink.flush(1_000);
  assert.deepEqual([written, sink.dropped], [["three\n"], 2]);
});
