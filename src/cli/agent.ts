/** `certmgr agent`: observes endpoints and files where the service cannot reach, and reports them. */

import { formatDatetime, systemClock } from "../base/clock.ts";
import { Command } from "commander";
import { type EndpointText, EXPECTED_ENDPOINT, readEndpoint } from "../base/endpoint_text.ts";
import { encodePem } from "../x509/mod.ts";
import type { ProbeAnswer, ProbeProtocol } from "../probe/mod.ts";
import { probeBySockets } from "../probe/probe_by_sockets.ts";
import { untilSignal } from "../signals.ts";
import { type FileReport, filesReport, kubernetesReport } from "./agent_sources.ts";
import { CommandError, UsageError } from "./failure.ts";
import { printJson, printLines, printNote } from "./output.ts";
import { reasonOf } from "./reason.ts";
import {
  callService,
  readOptions,
  type ServiceAddress,
  serviceAddress,
  ServiceRefusal,
} from "./service_client.ts";

const HELP = `
Probes endpoints and reads certificate files, and reports them to a service. The token needs one right:
the action push_observations on endpoints. Private keys are never read into a report: of files only the
CERTIFICATE blocks are taken, of PKCS#12 files the certificates, and of Kubernetes secrets tls.crt. Addresses that are not public are
probed if CERTMGR_PROBE_ALLOWED_NETWORKS has them.

Examples:
  CERTMGR_TOKEN=… certmgr agent --url https://certs.example.com --name dmz --endpoint intern.example.com:8443
  certmgr agent --url … --name web1 --files "/etc/letsencrypt/live/*/fullchain.pem" --files /etc/ssl/private
  certmgr agent --url … --name k8s --kubernetes https://kubernetes.default.svc --once`;

/** Items of one request; the service takes 500. */
const BATCH = 100;
const CONCURRENCY = 16;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 300_000;
/** Attempts of a report with --once: about half a minute. */
const ONCE_ATTEMPTS = 5;

interface Options {
  readonly url?: string;
  readonly token?: string;
  readonly name: string;
  readonly endpoint: readonly string[];
  readonly endpoints?: string;
  readonly files: readonly string[];
  readonly pkcs12Passwords?: string;
  readonly kubernetes?: string;
  readonly kubernetesToken: string;
  readonly kubernetesCa: string;
  readonly interval: string;
  readonly once: boolean;
  readonly json: boolean;
}

/** What the service answers. */
interface Pushed {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly certificates_created: number;
  readonly errors: readonly { readonly message: string }[];
}

const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The command. */
export function agentCommand(): Command {
  return new Command("agent").description("observe endpoints and files, and report them to a service")
    .option("--url <address>", "service to report to (or set CERTMGR_URL)")
    .option("--token <key>", "API token (prefer CERTMGR_TOKEN: other users can read the command line)")
    .requiredOption("--name <name>", "name of the agent, the same in every run")
    .option("--endpoint <host:port/protocol>", "endpoint to probe; may be repeated", collect, [])
    .option("--endpoints <file>", "file with an endpoint on each line")
    .option("--files <path>", "file, folder or pattern of certificates; may be repeated", collect, [])
    .option("--pkcs12-passwords <file>", "file with passwords of PKCS#12 files, one on each line")
    .option("--kubernetes <url>", "API server whose TLS secrets are read")
    .option("--kubernetes-token <file>", "file with its token", `${SERVICE_ACCOUNT}/token`)
    .option("--kubernetes-ca <file>", "file with its CA certificate", `${SERVICE_ACCOUNT}/ca.crt`)
    .option("--interval <minutes>", "minutes between two rounds", "60")
    .option("--once", "stop after one round", false)
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action(run);
}

async function run(options: Options): Promise<void> {
  const service = serviceAddress(options);
  if (service === undefined) throw new UsageError("A service is missing. Set CERTMGR_URL or use --url.");
  const minutes = /^\d{1,6}$/.test(options.interval) ? Number(options.interval) : 0;
  if (minutes < 1) {
    throw new UsageError(`Invalid interval "${options.interval}". Use a whole number of minutes.`);
  }
  const endpoints = await endpointsOf(options);
  if (endpoints.length + options.files.length === 0 && options.kubernetes === undefined) {
    throw new UsageError("Nothing to observe. Use --endpoint, --endpoints, --files or --kubernetes.");
  }
  const allowedNetworks = readOptions(options).settings.probing.allowedNetworks;
  const stopping = new AbortController();
  const { signal } = stopping;
  if (!options.once) untilSignal().then(() => stopping.abort(), () => {});
  do {
    const observations = await probeAll(endpoints, { allowedNetworks, signal });
    const found = await certificatesOf(options);
    const result = await push(service, { agent: options.name, observations, ...found }, {
      once: options.once,
      signal,
    });
    if (options.json) printJson(result);
    else {
      const { created, updated, unchanged, certificates_created } = result;
      printLines(
        `${created} new, ${updated} confirmed, ${unchanged} known; ${certificates_created} new certificates`,
      );
      for (const { message } of result.errors) printNote(message);
    }
    if (!options.once) await pause(minutes * 60_000, signal);
  } while (!options.once && !signal.aborted);
}

async function endpointsOf({ endpoint, endpoints }: Options): Promise<EndpointText[]> {
  const lines = endpoints === undefined ? [] : (await Deno.readTextFile(endpoints)).split("\n");
  return [...endpoint, ...lines.map((line) => line.replace(/#.*/, "").trim()).filter((line) => line !== "")]
    .map(
      (text) => {
        const read = readEndpoint(text);
        if (read === undefined) throw new UsageError(`${EXPECTED_ENDPOINT}, not ${JSON.stringify(text)}.`);
        return read;
      },
    );
}

/** An observation, as the service takes it. */
type Observation = Record<string, unknown>;

async function probeAll(
  endpoints: readonly EndpointText[],
  { allowedNetworks, signal }: { allowedNetworks: readonly string[]; signal: AbortSignal },
): Promise<Observation[]> {
  const waiting = [...endpoints];
  const observations: Observation[] = [];
  const worker = async (): Promise<void> => {
    for (;;) {
      const endpoint = waiting.shift();
      if (endpoint === undefined || signal.aborted) return;
      const { host, port } = endpoint;
      const protocol = endpoint.protocol as ProbeProtocol;
      const answers = await probeBySockets({ host, port, serverName: host, protocol }, { allowedNetworks });
      const at = formatDatetime(systemClock.now());
      observations.push(...answers.map((answer) => ({ host, port, protocol, at, ...observationOf(answer) })));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return observations;
}

function observationOf({ address, latencyMs, presented, failure }: ProbeAnswer): Observation {
  if (presented === undefined) return { address, error: failure?.message, error_kind: failure?.kind };
  return {
    address,
    latency_ms: latencyMs,
    presented: presented.certificates.map((der) => encodePem(der)),
    tls_version: presented.tlsVersion,
    cipher: presented.cipher,
    alpn: presented.alpn,
    ocsp_stapled: presented.ocspStapled,
  };
}

async function certificatesOf(options: Options): Promise<FileReport> {
  const { kubernetes, kubernetesToken, kubernetesCa } = options;
  const files = await filesReport(options.files, await passwordsOf(options));
  if (kubernetes === undefined) return files;
  const secrets = await kubernetesReport({
    url: kubernetes,
    tokenFile: kubernetesToken,
    caFile: kubernetesCa,
  });
  return {
    certificates: [...files.certificates, ...secrets.certificates],
    problems: [...files.problems, ...secrets.problems],
  };
}

async function passwordsOf({ pkcs12Passwords: path }: Options): Promise<string[]> {
  if (path === undefined) return [];
  try {
    return (await Deno.readTextFile(path)).split(/\r?\n/).filter((line) => line !== "");
  } catch (error) {
    throw new CommandError(`The file ${JSON.stringify(path)} cannot be read: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/** Sends everything in batches. Reports are idempotent, so a batch whose answer was lost is simply sent again. */
async function push(
  service: ServiceAddress,
  { agent, observations, certificates, problems }:
    & { agent: string; observations: readonly Observation[] }
    & FileReport,
  { once, signal }: { once: boolean; signal: AbortSignal },
): Promise<Pushed> {
  const total = { created: 0, updated: 0, unchanged: 0, certificates_created: 0 };
  const errors: { message: string }[] = problems.map((message) => ({ message }));
  const batches = Math.ceil(Math.max(observations.length, certificates.length) / BATCH);
  for (let index = 0; index < batches && !signal.aborted; index++) {
    const [from, to] = [index * BATCH, (index + 1) * BATCH];
    const body = {
      agent,
      observations: observations.slice(from, to),
      certificates: certificates.slice(from, to),
    };
    const answer = await sendPatiently(service, body, { attempts: once ? ONCE_ATTEMPTS : Infinity, signal });
    if (answer === undefined) break;
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += answer[name];
    errors.push(...answer.errors);
  }
  return { ...total, errors };
}

/** Sends again with a growing pause while the service is away or overloaded; a refusal is not repeated. */
async function sendPatiently(
  service: ServiceAddress,
  body: unknown,
  { attempts, signal }: { attempts: number; signal: AbortSignal },
): Promise<Pushed | undefined> {
  for (let attempt = 1;; attempt++) {
    try {
      return await (await callService(service, { path: "observations/push/", body })).json() as Pushed;
    } catch (error) {
      const refused = error instanceof ServiceRefusal && error.status < 500 && error.status !== 429;
      if (!(error instanceof CommandError) || refused || attempt >= attempts) throw error;
      printNote(`certmgr: ${error.message} Trying again.`);
      await pause(Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), MAX_WAIT_MS), signal);
      if (signal.aborted) return undefined;
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}

function collect(value: string, known: readonly string[]): readonly string[] {
  return [...known, value];
}
