/** The supervisor, with shell scripts as its workers. */

import assert from "node:assert/strict";
import { supervise } from "../../../src/cli/workers/supervisor.ts";

interface Run {
  readonly code: number;
  readonly events: string[];
  readonly printed: string[];
  /** Pauses after the ends of workers, in milliseconds. */
  readonly pauses: unknown[];
}

const CONNECTED = `echo '{"type":"connected"}'`;
/** The background worker starts last. */
const isComplete = (events: readonly string[]): boolean => events.includes("worker started 0");
const READY = `echo '{"type":"ready","port":1}'`;

/** @param stopWhen whether a signal is sent after these events. */
async function run(
  workers: number,
  scriptOf: (worker: number) => string,
  { stopWhen, hangMs = 600_000 }: { stopWhen?: (events: readonly string[]) => boolean; hangMs?: number } = {},
): Promise<Run> {
  const [events, printed, pauses]: [string[], string[], unknown[]] = [[], [], []];
  const signalled = Promise.withResolvers<string>();
  const code = await supervise({
    workers,
    port: 0,
    pauseMs: 1,
    hangMs,
    spawn: (worker) =>
      new Deno.Command("/bin/sh", { args: ["-c", scriptOf(worker)], stdin: "piped", stdout: "piped" })
        .spawn(),
    print: (...lines) => printed.push(...lines),
    log: {
      log(_, event, values): void {
        events.push(`${event} ${values?.worker}`);
        if (event === "worker ended") pauses.push(values?.pause_ms);
        if (stopWhen?.(events) === true) signalled.resolve("SIGTERM");
      },
    },
    signalled: signalled.promise,
  });
  return { code, events, printed, pauses };
}

Deno.test("the service exits with the code of a first worker that cannot serve", async () => {
  const { code, events, printed } = await run(2, () => `echo '{"type":"print","lines":["a","b"]}'; exit 2`);
  assert.deepEqual([code, events, printed], [2, [], ["a", "b"]]);
});

Deno.test("when no worker stays alive, the service ends with 1", async () => {
  const { code, events } = await run(2, () => `${CONNECTED}; ${READY}; exit 3`);
  assert.equal(code, 1);
  assert.match(events.at(-1) as string, /^no worker stays alive/);
});

Deno.test("a worker that never stays alive is replaced after longer and longer pauses, and does not end the service while another one serves", async () => {
  const waits = `${CONNECTED}; ${READY}; while read -r line; do case $line in *stop*) exit 0;; esac; done`;
  let starts = 0;
  const { code, events, pauses } = await run(
    2,
    (worker) => worker !== 2 ? waits : ++starts < 9 ? "exit 1" : waits,
    { stopWhen: (events) => events.at(-1) === "worker started 2" },
  );
  assert.deepEqual([code, starts], [0, 9]);
  assert.deepEqual(pauses, [0, 1, 2, 4, 8, 16, 32, 64]);
  assert.equal(events.filter((event) => event === "worker ended 2").length, 8);
});

/** Answers each ping, until it must stop. */
const ANSWERS =
  `while read -r line; do case $line in *stop*) exit 0;; *ping*) echo '{"type":"pong"}';; esac; done`;

for (
  const [stage, hang, hangMs] of [
    ["that serves", `${CONNECTED}; ${READY}; while :; do :; done`, 2_000],
    ["before it serves", "while :; do :; done", 200],
  ] as const
) {
  Deno.test(`a worker in an endless loop ${stage} is killed and replaced`, async () => {
    let starts = 0;
    const { code, events } = await run(
      2,
      (worker) => worker === 2 && ++starts === 1 ? hang : `${CONNECTED}; ${READY}; ${ANSWERS}`,
      {
        stopWhen: (events) => events.includes("worker ended 2") && events.at(-1) === "worker started 2",
        hangMs,
      },
    );
    assert.equal(code, 0);
    const own = events.filter((event) => event.endsWith(" 2"));
    assert.deepEqual(own.slice(-3), ["worker hangs 2", "worker ended 2", "worker started 2"]);
  });
}

Deno.test("a worker is not killed when its start takes longer than it may leave pings unanswered", async () => {
  const { code, events } = await run(
    2,
    (worker) => `${worker === 2 ? "sleep 2; " : ""}${CONNECTED}; ${READY}; ${ANSWERS}`,
    { stopWhen: (events) => events.includes("worker started 2"), hangMs: 1_000 },
  );
  assert.equal(code, 0);
  assert.deepEqual(events.filter((event) => event.endsWith(" 2")), ["worker started 2"]);
});

Deno.test("the worker that prepares the database is not killed when this takes long", async () => {
  // Far more pings than a worker may miss are due before it serves.
  const script = `${CONNECTED}; sleep 1; ${READY}; ${ANSWERS}`;
  const stopWhen = (events: readonly string[]): boolean => events.includes("worker started 1");
  const { code, events } = await run(1, () => script, { stopWhen, hangMs: 20 });
  assert.deepEqual([code, events], [0, ["worker started 1"]]);
});

Deno.test("a worker that is still starting is not waited for when the service stops", async () => {
  const { code, events } = await run(
    2,
    (worker) => worker === 2 ? "exec sleep 1000" : `${CONNECTED}; ${READY}; ${ANSWERS}`,
    { stopWhen: isComplete },
  );
  assert.deepEqual([code, events], [0, ["worker started 1", "worker started 0"]]);
});

Deno.test("lines that are not messages are ignored", async () => {
  const waits =
    `echo hello; echo '{'; ${READY}; while read -r line; do case $line in *stop*) exit 0;; esac; done`;
  assert.equal((await run(1, () => waits, { stopWhen: isComplete })).code, 0);
});
