/**
 * `deno task abuse [--short] [--only chain] [--workers 1]`: inputs that are meant to stop a service, against a running
 * one with an inventory. For each it prints the longest wait of another client for a certificate, and the growth of the
 * service's memory. Both have a budget, some inputs a smaller one, and the memory limit of the unit file is never
 * exceeded. The last line is `N passed, N failed`. `--short` repeats less, and extends the budget of the wait on a busy
 * machine.
 */

import { parseArgs } from "node:util";
import { anonymousInputs } from "./anonymous_inputs.ts";
import { certificateInputs } from "./certificate_inputs.ts";
import { chainInputs } from "./chain_inputs.ts";
import { documentInputs } from "./document_inputs.ts";
import type { Input } from "./input.ts";
import { type Inventory, makeInventory, startTarget, type Target } from "./target.ts";
import { userInputs } from "./user_inputs.ts";
import { type Measured, startWatch, type Watch } from "./watch.ts";

const MIB = 1024 * 1024;
/** Longest wait of another client on a quiet machine, in milliseconds. */
const WAIT_BUDGET_MS = 250;
/** Growth of the memory of one worker by one input, in bytes. */
const WORKER_MEMORY_BUDGET = 64 * MIB;
/** Memory limit of a service with one worker: half of the `MemoryMax` of the unit file. */
const MEMORY_MAX = 1024 * MIB;
/** Longest wait on an idle machine without other requests, in milliseconds. */
const QUIET_WAIT_MS = 20;
/** Pause before each input, in milliseconds. */
const PAUSE_MS = 300;
/** Maximum factor by which a busy machine extends the budget of the wait. */
const MAX_WIDENING = 4;
/** Pause before the first input, in milliseconds. */
const IDLE_MS = 2_000;
/** Time limit of an input, in milliseconds. */
const INPUT_MS = { long: 60_000, short: 8_000 };
/** Time limit of the whole run, in milliseconds. */
const RUN_MS = { long: 20 * 60_000, short: 6 * 60_000 };
/** Tries of an input whose wait exceeds the budget, because other load of the machine is not repeated. */
const TRIES = 5;
/** A wait that a busy machine cannot cause, in milliseconds: the input is not tried again. */
const HOPELESS_MS = 3_000;

const { values } = parseArgs({
  args: Deno.args.filter((arg) => arg !== "--"),
  options: {
    short: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    workers: { type: "string", default: "1" },
  },
});

/** Budget for the growth of the memory of all workers together; each collects garbage at its own times. */
const MEMORY_BUDGET = WORKER_MEMORY_BUDGET * Number(values.workers);

/** The result of an input; `faults` is empty if it passed. */
interface Result extends Measured {
  readonly statuses: readonly number[];
  readonly faults: readonly string[];
}

/** The target of the inputs, and the longest wait so far while nothing was sent. */
interface Context {
  readonly target: Target;
  readonly watch: Watch;
  readonly idle: { waitMs: number };
}

/** Returns the budget of the wait, in milliseconds; in the short run it depends on the load of the machine. */
function waitBudgetOf(
  idleMs: number,
  { extraWaitMs }: Pick<Input, "extraWaitMs"> = {},
): number {
  const widening = values.short ? Math.min(MAX_WIDENING, Math.max(1, idleMs / QUIET_WAIT_MS)) : 1;
  return extraWaitMs === undefined ? WAIT_BUDGET_MS * widening : idleMs + extraWaitMs * widening;
}

async function tryInput(
  input: Input,
  { target, watch, idle }: Context,
): Promise<Result> {
  const { waitMs } = await watch.measure(() => new Promise((done) => setTimeout(done, PAUSE_MS)));
  idle.waitMs = Math.max(idle.waitMs, waitMs);
  const waitBudget = waitBudgetOf(idle.waitMs, input);
  let statuses: readonly number[] = [];
  const measured = await watch.measure(async () => {
    const signal = AbortSignal.timeout(
      INPUT_MS[values.short ? "short" : "long"],
    );
    statuses = await input.send({ target, signal, short: values.short });
  });
  const failures = statuses.filter((status) => status >= 500 && status !== 503);
  const faults = [
    ...(measured.waitMs > waitBudget ? [`the wait exceeds ${waitBudget.toFixed(0)} ms`] : []),
    ...(measured.growth > MEMORY_BUDGET + (input.designed ?? 0)
      ? [`the memory grows by more than ${MEMORY_BUDGET / MIB} MiB`]
      : []),
    ...(failures.length > 0 ? [`${failures.length} answers are ${failures[0]}`] : []),
    ...(measured.refused.length > 0 ? [`the other client is answered ${measured.refused[0]}`] : []),
  ];
  return { ...measured, statuses, faults };
}

/**
 * Returns the first try that passes, or else the last. Memory is measured in the first one, which cannot reuse freed
 * memory.
 */
async function runInput(input: Input, context: Context): Promise<Result> {
  const first = await tryInput(input, context);
  if (first.growth > MEMORY_BUDGET + (input.designed ?? 0)) return first;
  let result = first;
  for (
    let number = 1;
    number < TRIES && result.faults.length > 0 && result.waitMs < HOPELESS_MS;
    number++
  ) {
    result = { ...await tryInput(input, context), growth: first.growth };
  }
  return result;
}

function summaryOf(statuses: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const status of statuses) {
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return [...counts].map(([status, count]) => `${count} × ${status === 0 ? "no answer" : status}`).join(", ");
}

function print(
  input: Input,
  { result, idleMs }: { result: Result; idleMs: number },
): void {
  const ratio = result.waitMs / Math.max(1, idleMs);
  console.log(
    `${result.faults.length === 0 ? "ok  " : "FAIL"} wait ${result.waitMs.toFixed(0).padStart(6)} ms ` +
      `(${ratio.toFixed(1).padStart(6)} × idle), memory +${
        (result.growth / MIB).toFixed(0).padStart(4)
      } MiB ` +
      `to ${(result.peak / MIB).toFixed(0).padStart(4)}  ${input.name} → ${summaryOf(result.statuses)}`,
  );
  for (const fault of result.faults) console.log(`       ${fault}`);
}

/**
 * Sends inputs to one service until all are sent, or until it exceeds its memory limit and is stopped.
 * @returns the numbers of inputs that were sent, and that passed.
 */
async function runOnOne(
  inputs: readonly Input[],
  { inventory, deadline }: { inventory: Inventory; deadline: number },
): Promise<{ readonly sent: number; readonly passed: number }> {
  await using target = await startTarget(inventory, Number(values.workers));
  const { service, url, adminToken: token } = target;
  let overMemory = false;
  const onMemory = (bytes: number): void => {
    if (bytes <= MEMORY_MAX || overMemory) return;
    overMemory = true;
    service.signal("SIGKILL");
    void service.ended();
  };
  await using watch = await startWatch({
    url,
    token,
    pid: service.pid,
    onMemory,
  });
  await watch.measure(() => new Promise((done) => setTimeout(done, IDLE_MS / 2)));
  const rest = await watch.measure(() => new Promise((done) => setTimeout(done, IDLE_MS)));
  const idle = { waitMs: rest.waitMs };
  console.log(
    `Idle: longest wait ${idle.waitMs.toFixed(1)} ms, memory ${(rest.peak / MIB).toFixed(0)} MiB; ` +
      `budget ${waitBudgetOf(idle.waitMs).toFixed(0)} ms and ${MEMORY_BUDGET / MIB} MiB for each input`,
  );
  let [sent, passed] = [0, 0];
  for (const input of inputs) {
    if (performance.now() > deadline) break;
    await input.prepare?.(target);
    const result = await runInput(input, { target, watch, idle });
    sent++;
    if (overMemory) {
      console.log(
        `FAIL memory exceeds ${MEMORY_MAX / MIB} MiB, the limit of the unit file: ${input.name}`,
      );
      break;
    }
    print(input, { result, idleMs: idle.waitMs });
    if (result.faults.length === 0) passed++;
    if (result.hangs) {
      console.log(
        "       the service hangs; the other inputs are sent to another one",
      );
      break;
    }
  }
  return { sent, passed };
}

async function run(): Promise<number> {
  const inputs = [
    ...anonymousInputs(),
    ...userInputs(),
    ...documentInputs(),
    ...chainInputs(),
    ...certificateInputs(),
  ].filter(({ name }) => name.includes(values.only));
  console.log("Filling an inventory…");
  await using inventory = await makeInventory();
  const deadline = performance.now() + RUN_MS[values.short ? "short" : "long"];
  let [sent, passed] = [0, 0];
  while (sent < inputs.length && performance.now() < deadline) {
    const part = await runOnOne(inputs.slice(sent), { inventory, deadline });
    sent += part.sent;
    passed += part.passed;
  }
  if (sent < inputs.length) {
    console.log(
      `The time of the run is over: ${inputs.length - sent} inputs were not sent.`,
    );
  }
  console.log(`${passed} passed, ${inputs.length - passed} failed`);
  return passed === inputs.length && inputs.length > 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await run());
