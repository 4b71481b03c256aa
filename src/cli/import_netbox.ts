/** `certmgr import netbox`: imports the inventory of a NetBox instance with a certificate plugin. */

import { SingleBar } from "cli-progress";
import { Command } from "commander";
import type { Context } from "../auth/mod.ts";
import {
  type DeferredReference,
  type ImportKind,
  importObjects,
  KINDS,
  type Outcome,
  setDeferredReferences,
} from "../domain/netbox/mod.ts";
import { withDatabase } from "./database.ts";
import { EXIT, UsageError } from "./failure.ts";
import { type Netbox, netboxAddress, readNetboxPages, readToken, requirePlugin } from "./netbox_reader.ts";
import { printJson } from "./output.ts";
import { printTable } from "./print_table.ts";

const HELP = `
Reads tenants, sites, devices, virtual machines, services, tags and contacts, and from the plugin
authorities, certificates with their chains, assignments, signing requests and policies. Writes
them into the configured database. A second run updates what has changed in NetBox since, and
leaves the rest alone; after an interruption, run the command again.

Examples:
  certmgr import netbox --from https://netbox.example.com --token-file netbox.token --dry-run
  certmgr import netbox --from https://netbox.example.com --token-file netbox.token
  certmgr import netbox --from https://netbox.example.com --token-file netbox.token --only tags,tenants`;

/** Maximum number of refusals in the table. The report file and --json contain all. */
const SHOWN_REFUSALS = 50;

interface Options {
  readonly from: string;
  readonly tokenFile: string;
  readonly pluginPath: string;
  readonly dryRun: boolean;
  readonly only?: string;
  readonly report?: string;
  readonly json: boolean;
}

/** Results by kind. */
type Results = Map<string, Outcome>;

export function importNetboxCommand(): Command {
  return new Command("netbox").description("import the inventory of a NetBox instance through its REST API")
    .requiredOption("--from <address>", "address of the NetBox instance")
    .requiredOption("--token-file <file>", "file with an API token of that NetBox instance")
    .option("--plugin-path <path>", "path of the certificate plugin below /api/", "plugins/ssl")
    .option("--dry-run", "report what would be done, and write nothing", false)
    .option(
      "--only <kinds>",
      `import only these kinds, separated by commas: ${KINDS.map(({ name }) => name).join(", ")}`,
    )
    .option("--report <file>", "write the report as JSON to a new file")
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action(run);
}

async function run(options: Options): Promise<void> {
  const kinds = chosenKinds(options.only);
  const netbox: Netbox = {
    url: netboxAddress(options.from),
    token: await readToken(options.tokenFile),
    pluginPath: options.pluginPath.replace(/^\/+|\/+$/g, ""),
  };
  if (kinds.some(({ path }) => path.startsWith("{plugin}"))) await requirePlugin(netbox);
  const results: Results = new Map();
  await withDatabase(async (ctx) => {
    for (const kind of kinds) await importKind({ ctx, netbox, kind, results }, options);
  }, { make: true });
  const report = reportOf(results, options);
  if (options.report !== undefined) {
    await Deno.writeTextFile(options.report, `${JSON.stringify(report, null, 2)}\n`, { createNew: true });
  }
  if (options.json) printJson(report);
  else print(results, options);
  if (report.refused.length > 0) Deno.exitCode = EXIT.failed;
}

/** Returns the kinds that `--only` names, by default all. Errors: UsageError. */
function chosenKinds(only: string | undefined): readonly ImportKind[] {
  if (only === undefined) return KINDS;
  const names = only.split(",").map((name) => name.trim()).filter(Boolean);
  const unknown = names.find((name) => !KINDS.some((kind) => kind.name === name));
  if (unknown !== undefined || names.length === 0) {
    throw new UsageError(
      `Invalid value ${JSON.stringify(unknown ?? only)} for --only. Expected one or more of ${
        KINDS.map(({ name }) => name).join(", ")
      }.`,
    );
  }
  return KINDS.filter(({ name }) => names.includes(name));
}

async function importKind(
  { ctx, netbox, kind, results }: { ctx: Context; netbox: Netbox; kind: ImportKind; results: Results },
  { dryRun, json }: Options,
): Promise<void> {
  const total: Outcome = { created: 0, updated: 0, unchanged: 0, refused: [] };
  results.set(kind.name, total);
  const later: DeferredReference[] = [];
  const bar = json || !Deno.stderr.isTerminal() ? undefined : new SingleBar({
    format: `${kind.name.padEnd(20)} {bar} {value}/{total}`,
    hideCursor: true,
  });
  let started = false;
  try {
    for await (const { count, records } of readNetboxPages(netbox, kind.path)) {
      if (!started) bar?.start(count, 0);
      started = true;
      const done = await importObjects({ ctx, source: netbox.url, kind, records, dryRun });
      total.created += done.created;
      total.updated += done.updated;
      total.unchanged += done.unchanged;
      total.refused.push(...done.refused);
      later.push(...done.later);
      bar?.increment(records.length);
    }
    if (later.length > 0) {
      total.refused.push(...await setDeferredReferences({ ctx, source: netbox.url, kind }, later));
    }
  } finally {
    if (started) bar?.stop();
  }
}

interface Report {
  readonly from: string;
  readonly dry_run: boolean;
  readonly kinds: Readonly<
    Record<string, Readonly<Record<"created" | "updated" | "unchanged" | "refused", number>>>
  >;
  readonly refused: Outcome["refused"];
}

function reportOf(results: Results, { from, dryRun }: Options): Report {
  const kinds = [...results].map(([name, { created, updated, unchanged, refused }]) =>
    [name, { created, updated, unchanged, refused: refused.length }] as const
  );
  return {
    from: netboxAddress(from),
    dry_run: dryRun,
    kinds: Object.fromEntries(kinds),
    refused: [...results.values()].flatMap(({ refused }) => refused),
  };
}

function print(results: Results, options: Options): void {
  const { kinds, refused } = reportOf(results, options);
  const [created, updated] = options.dryRun ? ["To create", "To update"] : ["Created", "Updated"];
  printTable(
    ["Kind", created, updated, "Unchanged", "Refused"],
    Object.entries(kinds).map(([name, numbers]) => [name, ...Object.values(numbers)]),
  );
  if (refused.length === 0) return;
  const shown = refused.slice(0, SHOWN_REFUSALS);
  printTable(
    ["Refused", "Id", "Name", "Reason"],
    shown.map(({ kind, id, display, reason }) => [kind, id, display, reason]),
  );
  if (shown.length < refused.length) {
    printTable(["More"], [[`${refused.length - shown.length} more. Use --report or --json to see all.`]]);
  }
}
