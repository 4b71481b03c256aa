/**
 * Imports an inventory from a NetBox, with a kill -9 in the middle: in a test, and with many certificates when it is
 * run manually.
 */

import assert from "node:assert/strict";
import type { NetboxServer } from "../support/netbox_api.ts";
import { certmgr, type Environment, startCommand } from "./process.ts";

interface Counts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: number;
}

/** Durations in seconds. */
export interface MoveTimes {
  readonly rest: number;
  readonly again: number;
}

/**
 * Starts the import, kills it when half of the certificates have been requested, and runs it twice more. All objects
 * must exist once then, and the last run must have changed nothing.
 */
export async function moveThroughKill(
  netbox: NetboxServer,
  { args, env }: { args: readonly string[]; env: Environment },
): Promise<MoveTimes> {
  const total = Object.values(netbox.lists).flat().length;
  const count = netbox.lists["plugins/ssl/certificates"]?.length as number;
  const child = startCommand([...args, "--json"], env);
  const half = (): boolean =>
    netbox.requests.some((address) =>
      /\/certificates\/\?/.test(address) && Number(/offset=(\d+)/.exec(address)?.[1]) >= count / 2
    );
  while (!half()) await new Promise((resolve) => setTimeout(resolve, 2));
  child.kill("SIGKILL");
  await Promise.all([child.stdout.cancel(), child.stderr.cancel()]);
  assert.equal((await child.status).signal, "SIGKILL");

  const [rest, restTime] = await run(args, env);
  assert.deepEqual([
    sum(rest, "created") + sum(rest, "updated") + sum(rest, "unchanged"),
    sum(rest, "refused"),
  ], [
    total,
    0,
  ]);
  const { created = 0, unchanged = 0, updated = 0 } = rest.certificates ?? {};
  assert(
    created > 0 && unchanged + updated > 0,
    `${created} of ${count} certificates were created after the kill`,
  );
  const [again, againTime] = await run(args, env);
  assert.deepEqual([sum(again, "created"), sum(again, "updated"), sum(again, "unchanged")], [0, 0, total]);
  return { rest: restTime, again: againTime };
}

async function run(
  args: readonly string[],
  env: Environment,
): Promise<[kinds: Record<string, Counts>, seconds: number]> {
  const began = performance.now();
  const { code, stdout, stderr } = await certmgr([...args, "--json"], { env });
  assert.deepEqual([code, stderr], [0, ""], stdout.slice(-2_000));
  return [JSON.parse(stdout).kinds, (performance.now() - began) / 1_000];
}

function sum(kinds: Record<string, Counts>, name: keyof Counts): number {
  return Object.values(kinds).reduce((all, kind) => all + kind[name], 0);
}
