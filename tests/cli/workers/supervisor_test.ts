/** The supervisor, with shell scripts as its workers. */

import assert from "node:assert/strict";
import { supervise } from "../../../src/cli/workers/supervisor.ts";

interface Run {
  readonly code: number;
  readonly events: string[];
  readonly printed: string[];
}

const CONNECTED = `echo '{"type":"connected"}'`;
const READY = `echo '{"type":"ready","port":1}'`;

/** @param stopAt the event after which a signal comes. */
async function run(workers: number, scriptOf: (worker: number) => string, stopAt?: string): Promise<Run> {
  const [events, printed]: [string[], string[]] = [[], []];
  const signalled = Promise.withResolvers<string>();
  const code = await supervise({
    workers,
    port: 0,
    pauseMs: 1,
    spawn: (worker) =>
      new Deno.Command("sh", { args: ["-c", scriptOf(worker)], stdin: "piped", stdout: "piped" }).spawn(),
    print: (...lines) => printed.push(...lines),
    log: {
      log(_, event, values): void {
        events.push(`${event} ${values?.worker}`);
        if (events.at(-1) === stopAt) signalled.resolve("SIGTERM");
      },
    },
    signalled: signalled.promise,
  });
  return { code, events, printed };
}

Deno.test("the exit code of a first worker that cannot serve is that of the service", async () => {
  const { code, events, printed } = await run(2, () => `echo '{"type":"print","lines":["a","b"]}'; exit 2`);
  assert.deepEqual([code, events, printed], [2, [], ["a", "b"]]);
});

Deno.test("when no worker stays alive, the service ends with 1", async () => {
  const { code, events } = await run(2, () => `${CONNECTED}; ${READY}; exit 3`);
  assert.equal(code, 1);
  assert.match(events.at(-1) as string, /^no worker stays alive/);
});

Deno.test("a worker that never stays alive does not end the service while another one serves", async () => {
  const waits = `${CONNECTED}; ${READY}; while read -r line; do case $line in *stop*) exit 0;; esac; done`;
  let starts = 0;
  const { code, events } = await run(
    2,
    (worker) => worker === 1 ? waits : ++starts < 9 ? "exit 1" : waits,
    "worker started 2",
  );
  assert.deepEqual([code, starts], [0, 9]);
  assert.equal(events.filter((event) => event === "worker ended 2").length, 8);
  assert.deepEqual(events.filter((event) => event.startsWith("worker leads")), ["worker leads 1"]);
});

Deno.test("lines that are no messages are ignored", async () => {
  const waits =
    `echo hello; echo '{'; ${READY}; while read -r line; do case $line in *stop*) exit 0;; esac; done`;
  assert.equal((await run(1, () => waits, "worker leads 1")).code, 0);
});
