/**
 * `certmgr agent`: probes endpoints and reads files that the service cannot reach, and reports the results.
 */

import { counted } from "../base/amounts.ts";
import { formatDatetime, systemClock } from "../base/clock.ts";
import { Command } from "commander";
import { type EndpointText, EXPECTED_ENDPOINT, readEndpoint } from "../base/endpoint_text.ts";
import { wait } from "../base/wait.ts";
import type { ProbeProtocol } from "../probe/mod.ts";
import { probeBySockets } from "../probe/probe_by_sockets.ts";
import { untilSignal } from "../signals.ts";
import { type FileReport, filesReport, kubernetesReport } from "./agent_sources.ts";
import { CommandError, UsageError } from "./failure.ts";
import { type Observation, observationOf, type ReportTotals, sendReport } from "./observation_report.ts";
import { printJson, printLines, printNote } from "./output.ts";
import { readPasswords } from "./key_stores.ts";
import { collect, readTextFile } from "./options.ts";
import { readOptions, serviceAddress } from "./service_client.ts";

const HELP = `
Probes endpoints, reads certificate files, and reports both to a service. The token needs only the
action push_observations on endpoints. Reports never contain private keys: only CERTIFICATE blocks
are read from PEM files, only certificates from PKCS#12 files, and only tls.crt from Kubernetes
secrets. Addresses that are not public are probed only if CERTMGR_PROBE_ALLOWED_NETWORKS has them.

Examples:
  CERTMGR_TOKEN=… certmgr agent --url https://certs.example.com --name dmz --endpoint intern.example.com:8443
  certmgr agent --url … --name web1 --files "/etc/letsencrypt/live/*/fullchain.pem" --files /etc/ssl/private
  certmgr agent --url … --name k8s --kubernetes https://kubernetes.default.svc --once`;

const CONCURRENCY = 16;
/** Number of attempts to send a report with --once: about half a minute. */
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

const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

export function agentCommand(): Command {
  return new Command("agent").description(
    "probe endpoints, read certificate files, and report both to a service",
  )
    .option("--url <address>", "service to report to (or set CERTMGR_URL)")
    .option("--token <key>", "API token (prefer CERTMGR_TOKEN: other users can read the command line)")
    .requiredOption("--name <name>", "name of the agent; use the same in every run")
    .option("--endpoint <host:port/protocol>", "endpoint to probe; may be repeated", collect, [])
    .option("--endpoints <file>", "file with one endpoint per line")
    .option("--files <path>", "file, folder or pattern of certificates; may be repeated", collect, [])
    .option("--pkcs12-passwords <file>", "file with the passwords of PKCS#12 files, one per line")
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
  if (service === undefined) {
    throw new UsageError("The URL of the service is missing. Set CERTMGR_URL or use --url.");
  }
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
    const { certificates, problems } = await certificatesOf(options);
    const report = { agent: options.name, source: "agent", observations, certificates } as const;
    const attempts = options.once ? ONCE_ATTEMPTS : Infinity;
    const reported = await sendReport(service, report, { attempts, signal });
    printReported(
      { ...reported, errors: [...problems.map((message) => ({ message })), ...reported.errors] },
      options,
    );
    if (!options.once) await wait(minutes * 60_000, signal);
  } while (!options.once && !signal.aborted);
}

function printReported(reported: ReportTotals, { json }: Options): void {
  if (json) return printJson(reported);
  const { created, updated, unchanged, certificates_created, errors } = reported;
  printLines(
    `${created} new, ${updated} confirmed, ${unchanged} unchanged; ${
      counted(certificates_created, "new certificate")
    }`,
  );
  for (const { message } of errors) printNote(message);
}

async function endpointsOf({ endpoint, endpoints }: Options): Promise<EndpointText[]> {
  const lines = endpoints === undefined ? [] : (await readTextFile(endpoints)).split("\n");
  return [...endpoint, ...lines.map((line) => line.replace(/#.*/, "").trim()).filter((line) => line !== "")]
    .map(
      (text) => {
        const read = readEndpoint(text);
        if (read === undefined) {
          throw new UsageError(`Expected ${EXPECTED_ENDPOINT}, not ${JSON.stringify(text)}.`);
        }
        return read;
      },
    );
}

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

async function certificatesOf(options: Options): Promise<FileReport> {
  const { kubernetes, kubernetesToken, kubernetesCa } = options;
  const files = await filesReport(options.files, await readPasswords(options.pkcs12Passwords));
  if (kubernetes === undefined) return files;
  const cluster = { url: kubernetes, tokenFile: kubernetesToken, caFile: kubernetesCa };
  const secrets = await kubernetesReport(cluster).catch((error): FileReport => {
    // An agent continues with everything else, and tries again in its next round.
    if (options.once || !(error instanceof CommandError)) throw error;
    return { certificates: [], problems: [error.message] };
  });
  return {
    certificates: [...files.certificates, ...secrets.certificates],
    problems: [...files.problems, ...secrets.problems],
  };
}
