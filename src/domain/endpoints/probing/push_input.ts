/** The body of reports of agents, and how it is parsed. */

import { z } from "zod";
import { boundedList } from "../../../base/bounded_list.ts";
import { type Millis, parseDatetime } from "../../../base/clock.ts";
import { inSlices, type Pause } from "../../../base/pace.ts";
import { objectBody } from "../../../operation/mod.ts";
import type { ProbeAnswer, ProbeProtocol } from "../../../probe/mod.ts";
import { DATETIME, documented, expectedError, inputSchema, quote } from "../../../resource/mod.ts";
import { parseCertificate, printable, readingCertificates } from "../../../x509/mod.ts";
import { MAX_PRESENTED, MAX_PRESENTED_CHARS } from "../limits.ts";
import { endpoints } from "../resource.ts";
import { POSSESSIONS } from "../states.ts";
import type { Discovery } from "./discover.ts";

/**
 * Maximum number of observations, and of certificates in files, per request. Agents send several requests.
 */
export const MAX_PUSHED = 500;
/** How far the clock of an agent may be ahead. */
const MAX_AHEAD_MS = 300_000;

const at = documented(
  z.string(expectedError("Expected an ISO 8601 datetime")).transform((given, context) => {
    const time = parseDatetime(given);
    if (time !== undefined) return time;
    context.addIssue({ code: "custom", message: `Expected an ISO 8601 datetime, not ${quote(given)}.` });
    return z.NEVER;
  }),
  DATETIME,
);
const presented = boundedList(
  z.string(expectedError("Expected a certificate as PEM")).max(MAX_PRESENTED_CHARS),
  {
    max: MAX_PRESENTED,
    error: "Expected a list of certificates as PEM.",
  },
);
/** Returns a text of an agent, with the characters escaped that disturb a terminal or the order of a text. */
function shownText({ min = 0, max }: { min?: number; max: number }): z.ZodType<string, string> {
  return z.string(expectedError("Expected text")).min(min).max(max).transform(printable);
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
  ocsp_stapled: z.boolean(expectedError("Expected true or false")).default(false),
  latency_ms: z.int(expectedError("Expected a whole number")).min(0).max(600_000).nullable().default(null),
});
export type PushedObservation = z.output<typeof Observation>;

const FileCertificate = objectBody({
  location: shownText({ min: 1, max: 500 }).describe(
    "File, or namespace and name of a secret.",
  ),
  presented: presented.describe("The certificate, then its chain."),
});

/** The body. */
export const PushInput = objectBody({
  agent: z.string(expectedError("Expected the name of the agent")).regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, {
    error: "Expected 1 to 63 lower-case letters, digits, points, hyphens and underscores.",
  }).describe("Name of the agent; its endpoints have the source `agent:<name>`."),
  source: z.enum(["agent", "scan"]).default("agent").describe(
    "`agent`: the agent keeps observing its endpoints. `scan`: it found them in a scan; new endpoints get the source `scan`, " +
      "the service probes them, and existing ones stay as they are.",
  ),
  observations: boundedList(Observation, { max: MAX_PUSHED, error: "Expected a list of observations." })
    .default([]),
  certificates: boundedList(FileCertificate, { max: MAX_PUSHED, error: "Expected a list of certificates." })
    .default([]).describe("Certificates in files, which no endpoint serves."),
});

/** Returns an observation in the form of a probe's result, or why it is invalid. */
export async function answerOf(
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

/** Returns the first of the certificates that a file has, and the others in DER; or why it cannot be read. */
export async function fileOf(
  presented: readonly string[],
  pause: Pause,
): Promise<Pick<Discovery, "certificate" | "chain"> | { refused: string }> {
  const ders: Uint8Array[] = [];
  for (const pem of presented) {
    const read = await certificatesOf(pem, pause);
    if ("refused" in read) return read;
    ders.push(...read);
  }
  const [first, ...chain] = ders;
  const certificate = first === undefined ? undefined : parseCertificate(first).certificate;
  return certificate === undefined ? { refused: "Expected a certificate." } : { certificate, chain };
}

/** Returns the DER of the certificates of a PEM text, or why it has none. */
async function certificatesOf(pem: string, pause: Pause): Promise<Uint8Array[] | { refused: string }> {
  const { members, findings } = await inSlices(readingCertificates(pem), pause);
  if (members.length > 0) return members.map(({ certificate: { der } }) => der);
  return { refused: `${findings[0]?.message ?? "The text has no certificate"}.` };
}
