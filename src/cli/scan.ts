/** `certmgr scan`: searches networks for TLS servers, and creates endpoints for them. */

import { Command } from "commander";
import { counted } from "../base/amounts.ts";
import { textOf } from "../base/findings.ts";
import { formatDatetime, systemClock } from "../base/clock.ts";
import { readNetwork } from "../base/addresses.ts";
import { parseCertificate } from "../x509/mod.ts";
import { countTargets, refusedNetworks } from "../domain/endpoints/scan_targets.ts";
import {
  scan,
  type ScanHit,
  scannedEndpoint,
  type ScanPlan,
  storeHits,
} from "../domain/endpoints/scanning/run_scan_jobs.ts";
import { probeBySockets } from "../probe/probe_by_sockets.ts";
import { untilSignal } from "../signals.ts";
import { withDatabase } from "./database.ts";
import { CommandError, UsageError } from "./failure.ts";
import { observationOf, sendReport } from "./observation_report.ts";
import { printJson, printLines } from "./output.ts";
import { printTable } from "./print_table.ts";
import { readOptions, type ServiceAddress, serviceAddress } from "./service_client.ts";

const HELP = `
Only networks in CERTMGR_PROBE_ALLOWED_NETWORKS are scanned. Without --url, endpoints are created in the
configured database; with it, they are reported to a running service (the token needs push_observations).

Examples:
  certmgr scan 10.0.0.0/24 --ports 443,8443,636 --dry-run
  certmgr scan 10.0.0.0/24 10.0.5.7 --ports 443 --concurrency 64 --rate 200/s
  CERTMGR_TOKEN=… certmgr scan 10.0.0.0/24 --url https://certs.example.com --json`;

const MAX_TARGETS = 1_048_576;
/** Number of servers that are stored in one transaction. */
const BATCH = 50;
/** Number of attempts to report to a service: about half a minute. */
const ATTEMPTS = 5;

interface Options {
  readonly url?: string;
  readonly token?: string;
  readonly ports: string;
  readonly concurrency: string;
  readonly rate: string;
  readonly dryRun: boolean;
  readonly json: boolean;
}

export function scanCommand(): Command {
  return new Command("scan").description("search networks for endpoints")
    .argument("<network...>", "network or address to scan")
    .option("--ports <list>", "ports, separated by commas", "443")
    .option("--concurrency <number>", "connections at the same time", "64")
    .option("--rate <number/s>", "connections per second", "100/s")
    .option("--dry-run", "print how many connections would be made", false)
    .option("--url <address>", "service to report to (or set CERTMGR_URL)")
    .option("--token <key>", "API token for --url (prefer CERTMGR_TOKEN)")
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action(run);
}

async function run(given: string[], options: Options): Promise<void> {
  const service = serviceAddress(options);
  const plan = planOf(given, options);
  const connections = countTargets(plan.networks, plan.ports.length);
  if (connections > MAX_TARGETS) {
    throw new UsageError(
      `This would be ${counted(connections, "connection")}. At most ${MAX_TARGETS} are allowed.`,
    );
  }
  const refused = refusedNetworks(plan.networks, plan.allowedNetworks);
  if (refused.length > 0) throw new CommandError(refused.map((one) => textOf(one)).join("\n"));
  if (options.dryRun) {
    const seconds = Math.ceil(connections / plan.rate);
    if (options.json) return printJson({ connections, seconds });
    return printLines(
      `${counted(connections, "connection")}, at least ${
        counted(seconds, "second")
      } at ${plan.rate} per second`,
    );
  }
  const stopping = new AbortController();
  untilSignal().then(() => stopping.abort(), () => {});
  const hits: ScanHit[] = [];
  const tried = await scan(plan, {
    probe: probeBySockets,
    signal: stopping.signal,
    onHit: (hit) => {
      hits.push(hit);
      return Promise.resolve();
    },
  });
  const created = service === undefined
    ? await withDatabase(async (ctx) => {
      let count = 0;
      for (const batch of batchesOf(hits)) count += await storeHits(ctx, batch, { tenantId: null });
      return count;
    }, { make: true })
    : await report(service, hits);
  print(hits, { tried, created, json: options.json });
}

function planOf(given: readonly string[], options: Options): ScanPlan {
  const networks = given.map((text) => {
    const read = readNetwork(text);
    if ("network" in read) return read.network;
    throw new UsageError(`${read.error}, not ${JSON.stringify(text)}.`);
  });
  const ports = options.ports.split(",").map((text) =>
    wholeNumber(text.trim(), { name: "--ports", max: 65_535 })
  );
  return {
    networks,
    ports: [...new Set(ports)],
    rate: wholeNumber(options.rate.replace(/\/s$/, ""), { name: "--rate", max: 10_000 }),
    concurrency: wholeNumber(options.concurrency, { name: "--concurrency", max: 1_000 }),
    allowedNetworks: readOptions(options).settings.probing.allowedNetworks,
  };
}

function wholeNumber(text: string, { name, max }: { name: string; max: number }): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= max) return value;
  throw new UsageError(`Invalid ${name} "${text}". Use a whole number from 1 to ${max}.`);
}

function* batchesOf(hits: readonly ScanHit[]): Generator<readonly ScanHit[]> {
  for (let at = 0; at < hits.length; at += BATCH) yield hits.slice(at, at + BATCH);
}

/**
 * Reports servers to a service, which creates endpoints for unknown ones. Returns the number of new
 * endpoints.
 */
async function report(service: ServiceAddress, hits: readonly ScanHit[]): Promise<number> {
  const at = formatDatetime(systemClock.now());
  const observations = hits.map((hit) => ({ ...scannedEndpoint(hit), at, ...observationOf(hit.answer) }));
  const { created } = await sendReport(
    service,
    { agent: "scan", source: "scan", observations, certificates: [] },
    { attempts: ATTEMPTS },
  );
  return created;
}

function print(
  hits: readonly ScanHit[],
  { tried, created, json }: { tried: number; created: number; json: boolean },
): void {
  const found = hits.map(({ target, answer }) => ({
    address: target.address,
    port: target.port,
    name: nameOf(answer.presented?.certificates[0]),
    tls_version: answer.presented?.tlsVersion ?? "",
  }));
  if (json) return printJson({ connections: tried, answered: hits.length, created, found });
  if (found.length > 0) printTable(["Address", "Port", "Certificate", "Protocol"], found.map(Object.values));
  printLines(`${counted(tried, "connection")}, ${hits.length} answered, ${created} new`);
}

function nameOf(der: Uint8Array | undefined): string {
  const certificate = der === undefined ? undefined : parseCertificate(der).certificate;
  return certificate?.subjectAltNames.find(({ kind }) => kind === "dns")?.value ??
    certificate?.subject.text ?? "";
}
