/** A worker's link, with a supervisor that the test plays. */

import assert from "node:assert/strict";
import { BACKGROUND_WORKER } from "../../../src/base/peers.ts";
import { readMessages, type ToSupervisor, type ToWorker } from "../../../src/cli/workers/messages.ts";
import { readWorkerNumber, WorkerLink } from "../../../src/cli/workers/worker_link.ts";

interface Played extends AsyncDisposable {
  readonly link: WorkerLink;
  readonly received: ToSupervisor[];
  send(message: ToWorker): Promise<void>;
  /** Waits until the worker has sent `count` messages. */
  until(count: number): Promise<void>;
  end(): Promise<void>;
}

function play(): Played {
  const toWorker = new TransformStream<Uint8Array<ArrayBuffer>>();
  const toSupervisor = new TransformStream<Uint8Array<ArrayBuffer>>();
  const received: ToSupervisor[] = [];
  const reading = readMessages<ToSupervisor>(toSupervisor.readable, (message) => received.push(message));
  const link = new WorkerLink({ worker: 1, workers: 2 }, {
    readable: toWorker.readable,
    writable: toSupervisor.writable,
  });
  const writer = toWorker.writable.getWriter();
  let isOpen = true;
  const end = async (): Promise<void> => {
    if (isOpen) await writer.close();
    isOpen = false;
  };
  void reading;
  return {
    link,
    received,
    send: (message) => writer.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`)),
    async until(count): Promise<void> {
      while (received.length < count) await new Promise((done) => setTimeout(done, 1));
    },
    end,
    [Symbol.asyncDispose]: end,
  };
}

Deno.test("answers of workers without a handler are left out", async () => {
  await using played = play();
  const { link, received } = played;
  const answers = link.ask("metrics", null, 60_000);
  await played.send({ type: "asked", from: 2, id: 7, topic: "metrics", value: null });
  await played.until(3);
  assert.deepEqual(received[2], { type: "answer", to: 2, id: 7, value: null });
  await played.send({ type: "answered", id: 1, worker: 2, value: null });
  await played.send({ type: "awaited", id: 1, count: 2 });
  await played.send({ type: "answered", id: 1, worker: 3, value: [] });
  assert.deepEqual(await answers, [{ worker: 3, value: [] }]);
});

Deno.test("a question ends with the answers so far at its time limit, and at once if there are no others", async () => {
  await using played = play();
  const { link } = played;
  const late = link.ask("metrics", null, 20);
  await played.send({ type: "awaited", id: 1, count: 2 });
  await played.send({ type: "answered", id: 1, worker: 2, value: 5 });
  assert.deepEqual(await late, [{ worker: 2, value: 5 }]);
  const alone = link.ask("metrics", null, 60_000);
  await played.send({ type: "awaited", id: 2, count: 0 });
  assert.deepEqual(await alone, []);
});

Deno.test("when the supervisor ends, questions wait no longer, and the worker stops", async () => {
  await using played = play();
  const { link } = played;
  const answers = link.ask("metrics", null, 60_000);
  await played.until(2);
  await played.end();
  assert.deepEqual(await answers, []);
  assert.deepEqual(await link.ask("metrics", null, 60_000), []);
  assert.equal(await link.stopped, "the supervisor has ended");
});

Deno.test("a worker answers the questions of others, including unknown ones", async () => {
  await using played = play();
  const { link, received } = played;
  link.on("metrics", (value) => ({ of: value }));
  await played.send({ type: "asked", from: 2, id: 7, topic: "metrics", value: "x" });
  await played.send({ type: "asked", from: 0, id: 8, topic: "events", value: null });
  await played.until(3);
  assert.deepEqual(received.slice(1), [
    { type: "answer", to: 2, id: 7, value: { of: "x" } },
    { type: "answer", to: 0, id: 8, value: null },
  ]);
});

Deno.test("the number of a worker is one of all, or that of the background work", () => {
  assert.deepEqual(readWorkerNumber("2/4"), { worker: 2, workers: 4 });
  assert.deepEqual(readWorkerNumber("10/10"), { worker: 10, workers: 10 });
  assert.deepEqual(readWorkerNumber("0/4"), { worker: BACKGROUND_WORKER, workers: 4 });
  for (const text of ["", "2", "3/2", "0/0", "00/2", "02/2", "1/2/3", "1/x", "-1/2"]) {
    assert.equal(readWorkerNumber(text), undefined);
  }
});
