/** Reading bodies: chunks of all sizes, each limit from both sides, and the shared budget. */

import assert from "node:assert/strict";
import { BodyBudget, type BodyLimits } from "../../src/base/body_bytes.ts";
import { countPauses } from "../support/pauses.ts";

const ADDRESS = "http://certmgr.example/";

function streamOf(chunks: Iterable<Uint8Array<ArrayBuffer>>, type?: "bytes"): ReadableStream {
  const parts = chunks[Symbol.iterator]();
  const source = {
    pull(controller: ReadableByteStreamController | ReadableStreamDefaultController): void {
      const { value, done } = parts.next();
      if (!done) return controller.enqueue(value);
      controller.close();
      if ("byobRequest" in controller) controller.byobRequest?.respond(0);
    },
  };
  return type === undefined
    ? new ReadableStream(source as UnderlyingSource, { highWaterMark: 0 })
    : new ReadableStream({ ...source as UnderlyingByteSource, type });
}

function requestOf(body: BodyInit | null, headers: Record<string, string> = {}): Request {
  return new Request(ADDRESS, { method: "POST", body, headers });
}

function* pieces(bytes: Uint8Array<ArrayBuffer>, length: number): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.slice(at, at + length);
}

async function read(request: Request, maxBytes: number, limits?: BodyLimits): Promise<Uint8Array> {
  return await new BodyBudget(limits).bodyOf(request).read(maxBytes);
}

Deno.test("a body is read correctly whatever its chunks, from byte streams and others", async () => {
  for (const length of [0, 1, 65_535, 65_536, 65_537, 300_000]) {
    const bytes = Uint8Array.from({ length }, (_, index) => index * 31);
    for (const cut of [997, 65_536, 1_000_000]) {
      for (const type of [undefined, "bytes"] as const) {
        const body = await read(requestOf(streamOf(pieces(bytes, cut), type)), 300_000);
        assert.deepEqual(body, bytes, `${length} bytes by ${cut}`);
      }
    }
    assert.deepEqual(await read(requestOf(bytes), 300_000), bytes);
  }
  assert.equal((await read(requestOf(null), 10)).length, 0);
});

Deno.test("a body of the maximum size is accepted, one byte more is refused, with and without Content-Length", async () => {
  for (const limit of [1, 1_000, 65_535, 65_536, 100_000]) {
    for (const type of [undefined, "bytes"] as const) {
      const of = (length: number): Request => requestOf(streamOf(pieces(new Uint8Array(length), 700), type));
      assert.equal((await read(of(limit), limit)).length, limit);
      await assert.rejects(read(of(limit + 1), limit), { code: "too_large" });
    }
    const announced = requestOf("", { "content-length": String(limit + 1) });
    await assert.rejects(read(announced, limit), { code: "too_large" });
  }
});

Deno.test("other work runs while a body of many buffered chunks is read", async () => {
  const body = (): Request => requestOf(streamOf(pieces(new Uint8Array(1_000), 1), "bytes"));
  const pauses = await countPauses(() => read(body(), 1_000));
  assert.equal(pauses, 1_000);
});

Deno.test("bodies share a budget and return their part when they are released", async () => {
  const budget = new BodyBudget({ budgetBytes: 300_000 });
  const first = budget.bodyOf(requestOf(new Uint8Array(140_000)));
  await first.read(140_000);
  assert(budget.held >= 140_000 && budget.held <= 280_001, String(budget.held));
  const announced = budget.bodyOf(requestOf("x", { "content-length": "200000" }));
  await assert.rejects(announced.read(200_000), { code: "unavailable" });
  announced.release();
  const second = budget.bodyOf(requestOf(new Uint8Array(200_000)));
  await assert.rejects(second.read(200_000), { code: "unavailable", headers: { "retry-after": "5" } });
  second.release();
  first.release();
  assert.equal(budget.held, 0);
  const third = budget.bodyOf(requestOf(new Uint8Array(200_000)));
  assert.equal((await third.read(200_000)).length, 200_000);
  third.release();
  assert.equal(budget.held, 0);
});

Deno.test("a body that stops is refused at the deadline; one at the minimum rate may take longer", async () => {
  const limits = { deadlineMs: 100, bytesPerSecond: 50 };
  const stalled = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(10)) });
  const started = performance.now();
  await assert.rejects(read(requestOf(stalled), 1_000, limits), {
    code: "timeout",
    headers: { connection: "close" },
  });
  const took = performance.now() - started;
  assert(took >= 99 && took < 10_000, String(took));
  const early = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1_000)) });
  const since = performance.now();
  await assert.rejects(read(requestOf(early), 2_000, limits), { code: "timeout" });
  // Early bytes do not extend the deadline for the rest, which at this rate would be 20 seconds.
  assert(performance.now() - since < 10_000);
  let left = 6;
  const slow = new ReadableStream({
    async pull(controller): Promise<void> {
      if (left-- === 0) return controller.close();
      await new Promise((resolve) => setTimeout(resolve, 50));
      controller.enqueue(new Uint8Array(100));
    },
  }, { highWaterMark: 0 });
  assert.equal((await read(requestOf(slow), 1_000, limits)).length, 600);
});

Deno.test("a body whose stream is aborted is not logged as a defect", async () => {
  const broken = new ReadableStream({
    pull: () => Promise.reject(new Error("Connection reset")),
  });
  await assert.rejects(read(requestOf(broken), 1_000), { code: "client_closed" });
});
