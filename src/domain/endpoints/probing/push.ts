/** Stores what agents observed in networks that the service cannot reach. */

import { z } from "zod";
import { type Context, SERVICE_ACTOR } from "../../../auth/mod.ts";
import { pacer } from "../../../base/pace.ts";
import type { Condition } from "../../../filters/mod.ts";
import { operation } from "../../../operation/mod.ts";
import type { ProbeAnswer } from "../../../probe/mod.ts";
import type { WriteCall } from "../../../resource/mod.ts";
import { certificates } from "../../certificates/mod.ts";
import { addressKey, storedServerName } from "../prepare.ts";
import { createFound, type EndpointAddress, existingEndpoints } from "../found_endpoints.ts";
import { endpoints } from "../resource.ts";
import { type Discovery, knownCertificates } from "./discover.ts";
import { answerOf, fileOf, PushInput } from "./push_input.ts";
import { SETTLE_BATCH, settleReports } from "./settle.ts";
import type { ProbeReport } from "./types.ts";

const Pushed = z.object({
  created: z.int().describe("Observations of something new."),
  updated: z.int().describe("Observations that only extend the newest one."),
  unchanged: z.int().describe("Observations that were reported before."),
  certificates_created: z.int().describe("Certificates that were not in the inventory before."),
  errors: z.array(z.object({ list: z.string(), index: z.int(), message: z.string() })),
});

/** An observation that was read without errors. */
interface Accepted {
  readonly address: EndpointAddress;
  readonly at: number;
  readonly answer: ProbeAnswer;
}

/**
 * Stores observations of an agent or a scan, and creates missing endpoints. Needs only `push_observations`;
 * its constraints apply to existing and new endpoints. Idempotent: repeated observations change nothing.
 * Observations that cannot be read are listed in `errors`, the others are stored. Errors: forbidden, invalid.
 */
export const pushObservations = operation({
  needs: [["push_observations", endpoints]],
  input: PushInput,
  output: Pushed,
  run: async ({ ctx, allowed, input }) => {
    const isScan = input.source === "scan";
    const source = isScan ? "scan" : `agent:${input.agent}`;
    const errors: { list: string; index: number; message: string }[] = [];
    const accepted: Accepted[] = [];
    const pause = pacer();
    for (const [index, given] of input.observations.entries()) {
      const answer = await answerOf(given, { now: ctx.clock.now(), pause });
      if ("refused" in answer) errors.push({ list: "observations", index, message: answer.refused });
      else {
        accepted.push({ address: { ...given, server_name: storedServerName(given) }, at: given.at, answer });
      }
    }
    const addresses = accepted.map(({ address }) => address);
    const ids = await endpointIds(ctx, { addresses, source, isScan, allowed: allowed(endpoints) });
    // A scan only finds endpoints. Existing ones are probed by the service or by their agent.
    const reported = accepted.filter(({ address }) => ids.has(addressKey(address)));
    const counts = {
      created: 0,
      updated: 0,
      unchanged: accepted.length - reported.length,
      certificates_created: 0,
    };
    for (const files of inBatches([...input.certificates.entries()])) {
      const found: Discovery[] = [];
      for (const [index, { location, presented }] of files) {
        const file = await fileOf(presented, pause);
        const via = `${source} ${location}`.slice(0, 200);
        if ("refused" in file) errors.push({ list: "certificates", index, message: file.refused });
        else found.push({ ...file, tenantId: null, via, endpointId: null, isRight: true });
      }
      counts.certificates_created += await storeFiles(ctx, found);
      await pause();
    }
    for (
      const reports of roundsOf(reported, { ids, source: isScan ? "probe" : source }).flatMap(inBatches)
    ) {
      const settled = await settleReports(ctx, reports, { pushedBy: ctx });
      counts.created += settled.created;
      counts.updated += settled.updated;
      counts.unchanged += settled.unchanged;
      counts.certificates_created += settled.certificates;
      await pause();
    }
    return { ...counts, errors };
  },
});

/**
 * In batches, so that other requests run between two transactions. A request that fails halfway can be
 * repeated.
 */
function inBatches<T>(all: readonly T[]): T[][] {
  return Array.from(
    { length: Math.ceil(all.length / SETTLE_BATCH) },
    (_, index) => all.slice(index * SETTLE_BATCH, (index + 1) * SETTLE_BATCH),
  );
}

async function storeFiles(ctx: Context, discoveries: readonly Discovery[]): Promise<number> {
  const service: Context = { ...ctx, actor: SERVICE_ACTOR };
  const { created } = await ctx.database.write((tx) =>
    knownCertificates(service, tx, { discoveries, pushedBy: ctx })
  );
  if (created > 0) certificates.afterCommit?.(ctx);
  return created;
}

/**
 * Returns the ids of endpoints by key, and creates missing ones. For a scan, returns only new ones, at hosts
 * and ports without any endpoint. Refuses endpoints that the caller's constraints exclude, whether they exist
 * or not. Errors: forbidden.
 */
async function endpointIds(
  ctx: Context,
  { addresses, source, isScan, allowed }: {
    addresses: readonly EndpointAddress[];
    source: string;
    isScan: boolean;
    allowed: Condition;
  },
): Promise<Map<string, number>> {
  const byKey = new Map(addresses.map((address) => [addressKey(address), address]));
  if (byKey.size === 0) return new Map();
  return await ctx.database.write(async (tx) => {
    const call: WriteCall = { ctx, tx, resource: endpoints, allowed };
    const keys = [...byKey.keys()];
    const existing = await existingEndpoints(call, [...byKey.values()], { anyName: isScan });
    const found = new Map(existing.map(({ place, id }) => [keys[place] ?? "", id]));
    const missing = keys.filter((key) => !found.has(key));
    const created = await createFound(call, missing.flatMap((key) => byKey.get(key) ?? []), { source });
    const ids = isScan ? new Map<string, number>() : found;
    for (const [index, id] of created.entries()) ids.set(missing[index] ?? "", id);
    return ids;
  });
}

/**
 * Returns reports with all addresses of a probe together, in the order of time. In each round, an endpoint
 * occurs only once.
 */
function roundsOf(
  accepted: readonly Accepted[],
  { ids, source }: { ids: ReadonlyMap<string, number>; source: string },
): ProbeReport[][] {
  const perEndpoint = new Map<number, Map<number, ProbeAnswer[]>>();
  for (const { address, at, answer } of accepted) {
    const endpointId = ids.get(addressKey(address));
    if (endpointId === undefined) continue;
    const times = perEndpoint.get(endpointId) ?? new Map<number, ProbeAnswer[]>();
    perEndpoint.set(endpointId, times);
    times.set(at, [...times.get(at) ?? [], answer]);
  }
  const rounds: ProbeReport[][] = [];
  for (const [endpointId, times] of perEndpoint) {
    for (const [round, [at, answers]] of [...times].sort(([a], [b]) => a - b).entries()) {
      (rounds[round] ??= []).push({ endpointId, source, at, answers });
    }
  }
  return rounds;
}
