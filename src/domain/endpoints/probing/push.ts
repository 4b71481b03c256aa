/** Reads and stores what agents observed in networks that the service cannot reach. */

import { z } from "zod";
import { type Context, SERVICE_ACTOR } from "../../../auth/mod.ts";
import { boundedList, fitTogether } from "../../../base/bounded_list.ts";
import { type Millis, parseDatetime } from "../../../base/clock.ts";
import { issue } from "../../../base/findings.ts";
import { pacer, type Pause } from "../../../base/pace.ts";
import type { Condition } from "../../../filters/mod.ts";
import { objectBody, operation } from "../../../operation/mod.ts";
import type { ProbeAnswer, ProbeProtocol } from "../../../probe/mod.ts";
import {
  DATETIME,
  documented,
  expectedError,
  inputSchema,
  quote,
  type WriteCall,
} from "../../../resource/mod.ts";
import { printable } from "../../../x509/mod.ts";
import { certificates } from "../../certificates/mod.ts";
import { createFound, type EndpointAddress, existingEndpoints } from "../found_endpoints.ts";
import { addressKey, storedServerName } from "../prepare.ts";
import { endpoints } from "../resource.ts";
import { MAX_PRESENTED, MAX_PRESENTED_CHARS, MAX_PRESENTED_TOGETHER, POSSESSIONS } from "../states.ts";
import { certificatesOf, type Discovery, fileOf, knownCertificates } from "./discover.ts";
import type { ProbeReport } from "./evaluate.ts";
import { SETTLE_BATCH, settleReports } from "./settle.ts";

/**
 * Maximum number of observations, and of certificates in files, per request. Agents send several requests.
 */
export const MAX_PUSHED = 500;
/** How far the clock of an agent may be ahead. */
const MAX_AHEAD_MS = 300_000;

const at = documented(
  z.string(expectedError("an ISO 8601 datetime")).transform((given, context) => {
    const time = parseDatetime(given);
    if (time !== undefined) return time;
    context.addIssue({ code: "custom", message: `Expected an ISO 8601 datetime, not ${quote(given)}.` });
    return z.NEVER;
  }),
  DATETIME,
);
const presented = boundedList(
  z.string(expectedError("a certificate as PEM")).max(MAX_PRESENTED_CHARS),
  {
    max: MAX_PRESENTED,
    error: issue("unexpected", { expected: "a list of certificates as PEM" }),
  },
).refine((pems) => fitTogether(pems, MAX_PRESENTED_TOGETHER), {
  error: issue("too_many_in_all", { max: MAX_PRESENTED_TOGETHER }),
});
/** Returns a text of an agent, with the characters escaped that disturb a terminal or the order of a text. */
function shownText({ min = 0, max }: { min?: number; max: number }): z.ZodType<string, string> {
  return z.string(expectedError("text")).min(min).max(max).transform(printable);
}
const shortText = shownText({ max: 200 });

const Observation = objectBody({
  host: inputSchema(endpoints, "host") as z.ZodType<string>,
  port: (inputSchema(endpoints, "port") as z.ZodType<number>).default(443),
  server_name: (inputSchema(endpoints, "server_name") as z.ZodType<string | null>).default(null),
  protocol: (inputSchema(endpoints, "protocol") as z.ZodType<ProbeProtocol>).default("tls"),
  address: shortText.default("").describe("IP address; empty if the name could not be resolved."),
  at: at.describe("Time of the probe."),
  presented: presented.default([]).describe("The certificates in the order presented."),
  error: shownText({ max: 500 }).optional().describe(
    "Why there are no certificates, or why clients reject the handshake.",
  ),
  error_kind: z.enum(["unreachable", "tls_error"]).default("unreachable"),
  tls_version: shortText.default(""),
  cipher: shortText.default(""),
  alpn: shortText.default(""),
  possession: z.enum(POSSESSIONS).default("unproven").describe(
    "`proven` if the agent has checked the server's signature of the handshake with the key of the first certificate.",
  ),
  ocsp_stapled: z.boolean(expectedError("true or false")).default(false),
  latency_ms: z.int(expectedError("a whole number")).min(0).max(600_000).nullable().default(null),
});
type PushedObservation = z.output<typeof Observation>;

const FileCertificate = objectBody({
  location: shownText({ min: 1, max: 500 }).describe(
    "File, or namespace and name of a secret.",
  ),
  presented: presented.describe("The certificate, then its chain."),
});

const PushInput = objectBody({
  agent: z.string(expectedError("the name of the agent")).regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, {
    error: issue("unexpected", {
      expected: "1 to 63 lower-case letters, digits, points, hyphens and underscores",
    }),
  }).describe("Name of the agent; its endpoints have the source `agent:<name>`."),
  source: z.enum(["agent", "scan"]).default("agent").describe(
    "`agent`: the agent keeps observing its endpoints. `scan`: it found them in a scan; new endpoints get the source `scan`, " +
      "the service probes them, and existing ones stay as they are.",
  ),
  observations: boundedList(Observation, {
    max: MAX_PUSHED,
    error: issue("unexpected", { expected: "a list of observations" }),
  })
    .default([]),
  certificates: boundedList(FileCertificate, {
    max: MAX_PUSHED,
    error: issue("unexpected", { expected: "a list of certificates" }),
  })
    .default([]).describe("Certificates in files, which no endpoint serves."),
});

/** Returns an observation in the form of a probe's result, or why it is invalid. */
async function answerOf(
  { presented, error, error_kind, at, ...given }: PushedObservation,
  { now, pause }: { now: Millis; pause: Pause },
): Promise<ProbeAnswer | { refused: string }> {
  if (at > now + MAX_AHEAD_MS) return { refused: "The time is in the future. Check the agent's clock." };
  const { address, latency_ms: latencyMs } = given;
  if (presented.length === 0) {
    if (error === undefined) return { refused: "Expected either presented or error." };
    return {
      address,
      latencyMs: null,
      failure: { kind: error_kind, message: error || "No reason was given." },
    };
  }
  const certificates: Uint8Array[] = [];
  for (const [index, pem] of presented.entries()) {
    const read = await certificatesOf(pem, pause);
    if ("refused" in read) return { refused: `presented ${index + 1}: ${read.refused}` };
    certificates.push(...read);
  }
  return {
    address,
    latencyMs,
    presented: {
      certificates: certificates.slice(0, MAX_PRESENTED),
      tlsVersion: given.tls_version,
      cipher: given.cipher,
      alpn: given.alpn,
      ocspStapled: given.ocsp_stapled,
      possession: given.possession,
      ...(error === undefined ? {} : { fault: error || "No reason was given." }),
    },
  };
}

const Pushed = z.object({
  created: z.int().describe("Observations of something new."),
  updated: z.int().describe("Observations that only extend the newest one."),
  unchanged: z.int().describe("Observations that were reported before."),
  certificates_created: z.int().describe("Certificates that were not in the inventory before."),
  errors: z.array(z.object({ list: z.string(), index: z.int(), message: z.string() })),
});

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
  if (created > 0) certificates.hooks?.afterCommit?.(ctx);
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
