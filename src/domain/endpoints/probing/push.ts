/** Takes what agents observed where the service itself cannot reach. */

import { getTableName, sql } from "drizzle-orm";
import { z } from "zod";
import { type Context, restrictionSql, SERVICE_ACTOR } from "../../../auth/mod.ts";
import { forbidden } from "../../../base/errors.ts";
import type { Condition } from "../../../filters/mod.ts";
import { operation } from "../../../operation/mod.ts";
import type { ProbeAnswer } from "../../../probe/mod.ts";
import { draftsOf, storeDrafts, validateDrafts, type WriteCall } from "../../../resource/mod.ts";
import { certificates } from "../../certificates/mod.ts";
import { endpoints } from "../resource.ts";
import { type Discovery, knownCertificates } from "./discover.ts";
import { answerOf, certificatesOf, PushInput } from "./push_input.ts";
import { settleReports } from "./settle.ts";
import type { Report } from "./types.ts";

type PushInput = z.output<typeof PushInput>;

const Pushed = z.object({
  created: z.int().describe("Observations of something new."),
  updated: z.int().describe("Observations like the newest one, which they extend."),
  unchanged: z.int().describe("Observations that were reported before."),
  certificates_created: z.int().describe("Certificates that the inventory did not have."),
  errors: z.array(z.object({ list: z.string(), index: z.int(), message: z.string() })),
});

/** An observation that could be read. */
interface Accepted {
  readonly key: EndpointKey;
  readonly at: number;
  readonly answer: ProbeAnswer;
}

type EndpointKey = Pick<PushInput["observations"][number], "host" | "port" | "server_name" | "protocol">;

/**
 * Stores observations of an agent; endpoints that do not exist are created. Needs `push_observations` only; its
 * constraints select the endpoints, existing and new ones. Idempotent: what was reported before changes nothing.
 * Observations that cannot be read are listed in `errors`, the others are stored. Errors: forbidden, invalid.
 */
export const pushObservations = operation({
  needs: [["push_observations", endpoints]],
  input: PushInput,
  output: Pushed,
  run: async ({ ctx, allowed, input }) => {
    const source = `agent:${input.agent}`;
    const errors: { list: string; index: number; message: string }[] = [];
    const accepted: Accepted[] = [];
    for (const [index, given] of input.observations.entries()) {
      const answer = answerOf(given, ctx.clock.now());
      if ("refused" in answer) errors.push({ list: "observations", index, message: answer.refused });
      else accepted.push({ key: given, at: given.at, answer });
    }
    const found: Discovery[] = [];
    for (const [index, { location, presented }] of input.certificates.entries()) {
      const read = presented.map(certificatesOf);
      const refused = read.find((one) => "refused" in one);
      const [certificate, ...chain] = read.flatMap((one) => "refused" in one ? [] : one);
      if (refused !== undefined || certificate === undefined) {
        const message = refused !== undefined && "refused" in refused
          ? refused.refused
          : "Expected a certificate.";
        errors.push({ list: "certificates", index, message });
      } else found.push({ certificate, chain, tenantId: null, via: `${source} ${location}`.slice(0, 200) });
    }
    const ids = await endpointIds(ctx, {
      keys: accepted.map(({ key }) => key),
      source,
      allowed: allowed(endpoints),
    });
    const counts = {
      created: 0,
      updated: 0,
      unchanged: 0,
      certificates_created: await storeFiles(ctx, found),
    };
    for (const reports of roundsOf(accepted, { ids, source })) {
      const settled = await settleReports(ctx, reports);
      counts.created += settled.created;
      counts.updated += settled.updated;
      counts.unchanged += settled.unchanged;
      counts.certificates_created += settled.certificates;
    }
    return { ...counts, errors };
  },
});

async function storeFiles(ctx: Context, found: readonly Discovery[]): Promise<number> {
  if (found.length === 0) return 0;
  const service: Context = { ...ctx, actor: SERVICE_ACTOR };
  const { created } = await ctx.database.write((tx) => knownCertificates(service, tx, found));
  if (created > 0) certificates.afterCommit?.(ctx);
  return created;
}

function keyOf({ host, port, server_name, protocol }: EndpointKey): string {
  return JSON.stringify([host, port, protocol, server_name]);
}

/**
 * Returns the ids of endpoints by key, and creates missing ones. Endpoints that the caller's constraints do not cover
 * are refused, whether they exist or not. Errors: forbidden.
 */
async function endpointIds(
  ctx: Context,
  { keys, source, allowed }: { keys: readonly EndpointKey[]; source: string; allowed: Condition },
): Promise<Map<string, number>> {
  const byKey = new Map(keys.map((key) => [keyOf(key), key]));
  if (byKey.size === 0) return new Map();
  return await ctx.database.write(async (tx) => {
    const test = restrictionSql(ctx, allowed, endpoints.map, getTableName(endpoints.table)) ?? sql`1`;
    const rows = await tx.all<{ place: number; id: number; allowed: number }>(
      sql`SELECT requested.key AS place, endpoints.id AS id, (${test}) IS TRUE AS allowed
          FROM json_each(${`[${[...byKey.keys()].join()}]`}) AS requested CROSS JOIN endpoints
          ON endpoints.host = requested.value->>0 AND endpoints.port = requested.value->>1
            AND endpoints.protocol = requested.value->>2 AND ifnull(endpoints.server_name, '') = ifnull(requested.value->>3, '')`,
    );
    if (rows.some((row) => row.allowed !== 1)) throw forbidden();
    const names = [...byKey.keys()];
    const ids = new Map(rows.map(({ place, id }) => [names[place] as string, id]));
    const missing = names.filter((name) => !ids.has(name));
    if (missing.length === 0) return ids;
    const call: WriteCall = { ctx, tx, resource: endpoints, allowed };
    const bodies = missing.map((name) => {
      const { host, port, server_name, protocol } = byKey.get(name) as EndpointKey;
      return { input: { host, port, server_name, protocol, tags: [] }, errors: {}, reveal: {} };
    });
    const drafts = await draftsOf(call, bodies);
    for (const draft of drafts) draft.row.source = source;
    await validateDrafts(call, drafts);
    await storeDrafts(call, drafts);
    for (const [index, name] of missing.entries()) ids.set(name, drafts[index]?.id as number);
    return ids;
  });
}

/** Returns reports with the addresses of one probe together, in the order of time: each round has an endpoint once. */
function roundsOf(
  accepted: readonly Accepted[],
  { ids, source }: { ids: ReadonlyMap<string, number>; source: string },
): Report[][] {
  const perEndpoint = new Map<number, Map<number, ProbeAnswer[]>>();
  for (const { key, at, answer } of accepted) {
    const endpointId = ids.get(keyOf(key)) as number;
    const times = perEndpoint.get(endpointId) ?? new Map<number, ProbeAnswer[]>();
    perEndpoint.set(endpointId, times);
    times.set(at, [...times.get(at) ?? [], answer]);
  }
  const rounds: Report[][] = [];
  for (const [endpointId, times] of perEndpoint) {
    for (const [round, at] of [...times.keys()].sort((a, b) => a - b).entries()) {
      (rounds[round] ??= []).push({ endpointId, source, at, answers: times.get(at) as ProbeAnswer[] });
    }
  }
  return rounds;
}
