/** `certmgr import netbox`: imports the inventory of a NetBox instance with a certificate plugin. */

import { Command } from "commander";
import { wait } from "../base/wait.ts";
import {
  type ImportKind,
  KINDS,
  NetboxImport,
  type Outcome,
  type RemoteRecord,
} from "../domain/netbox/mod.ts";
import { withDatabase } from "./database.ts";
import { CommandError, EXIT, reasonOf, UsageError } from "./failure.ts";
import { printJson } from "./output.ts";
import { printTable } from "./print_table.ts";
import { withProgress } from "./progress.ts";

const HELP = `
Reads tenants, sites, devices, virtual machines, services, tags and contacts, and from the plugin
authorities, certificates with their chains, assignments, signing requests and policies. Writes
them into the configured database. A second run updates what has changed in NetBox since, and
leaves the rest alone; after an interruption, run the command again.

Examples:
  certmgr import netbox --from https://netbox.example.com --token-file netbox.token --dry-run
  certmgr import netbox --from https://netbox.example.com --token-file netbox.token
  certmgr import netbox --from https://netbox.example.com --token-file netbox.token --only tags,tenants`;

/** Maximum number of refusals in the table. */
const SHOWN_REFUSALS = 50;

interface Options {
  readonly from: string;
  readonly tokenFile: string;
  readonly pluginPath: string;
  readonly dryRun: boolean;
  readonly only?: string;
  readonly json: boolean;
}

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
  const outcomes = await withProgress((show) =>
    withDatabase(async (ctx) => {
      const importing = new NetboxImport(ctx, { source: netbox.url, dryRun: options.dryRun });
      for (const kind of kinds) {
        await importing.add(kind, []);
        let read = 0;
        for await (const records of readNetboxPages(netbox, kind.path)) {
          await importing.add(kind, records);
          show(`${kind.name}: ${read += records.length}`);
        }
        await importing.finish();
      }
      return importing.outcomes;
    }, { make: true })
  );
  const report = reportOf(outcomes, options);
  if (options.json) printJson(report);
  else print(report);
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

interface Report {
  readonly from: string;
  readonly dry_run: boolean;
  readonly kinds: Readonly<Record<string, Record<"created" | "updated" | "unchanged" | "refused", number>>>;
  readonly refused: Outcome["refused"];
}

function reportOf(results: ReadonlyMap<string, Outcome>, { from, dryRun }: Options): Report {
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

function print({ kinds, refused, dry_run: dryRun }: Report): void {
  const [created, updated] = dryRun ? ["To create", "To update"] : ["Created", "Updated"];
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
    printTable(["More"], [[`${refused.length - shown.length} more. Use --json to see all.`]]);
  }
}

/** Number of objects per page. */
const PAGE_SIZE = 200;
/** Number of attempts to read a page. */
const ATTEMPTS = 6;
/** Delay before the second attempt in milliseconds; doubles for each later one. */
const FIRST_WAIT_MS = 500;
/** The longest delay that `Retry-After` can request, in milliseconds. */
const MAX_WAIT_MS = 120_000;
/** Time limit for a response, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** A NetBox instance. */
interface Netbox {
  /** Its URL, without a slash at the end. */
  readonly url: string;
  readonly token: string;
  /** Path of the certificate plugin below `/api/`. */
  readonly pluginPath: string;
}

/** Normalizes the URL of a NetBox instance. Errors: UsageError. */
function netboxAddress(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (
    url === undefined || !["http:", "https:"].includes(url.protocol) || url.username !== "" ||
    url.search !== ""
  ) {
    throw new UsageError(
      `Invalid address ${
        JSON.stringify(given)
      } for --from. Use the address of a NetBox instance, such as https://netbox.example.com.`,
    );
  }
  return `${url.origin}${url.pathname.replace(/\/(?:api\/?)?$/, "")}`;
}

/** Reads a token from a file. Errors: UsageError. */
async function readToken(path: string): Promise<string> {
  const text = (await Deno.readTextFile(path).catch((error) => {
    throw new UsageError(`Token file ${JSON.stringify(path)} cannot be read: ${reasonOf(error)}`);
  })).trim();
  if (!/^[\x21-\x7e]{1,500}$/.test(text)) {
    throw new UsageError(`Token file ${JSON.stringify(path)} is invalid. Expected one line with a token.`);
  }
  return text;
}

/** Checks that a NetBox instance has the certificate plugin. Errors: CommandError. */
async function requirePlugin(netbox: Netbox): Promise<void> {
  const page = await readPage(netbox, `${netbox.url}/api/${netbox.pluginPath}/certificates/?limit=1`);
  if (page !== undefined) return;
  throw new CommandError(
    `${
      JSON.stringify(netbox.pluginPath)
    } does not exist at ${netbox.url}/api/. Use --plugin-path with the path ` +
      "of the certificate plugin.",
  );
}

/**
 * Yields the pages of a list, ordered by id; none if this NetBox instance does not have the list. Errors:
 * CommandError if the instance does not respond after several attempts, or refuses the request.
 */
async function* readNetboxPages(
  netbox: Netbox,
  path: string,
): AsyncGenerator<readonly RemoteRecord[]> {
  const below = path.replace("{plugin}", netbox.pluginPath);
  // If an object is deleted in the meantime, others move to an earlier page, so objects that were already
  // read are skipped.
  let last = 0;
  for (let offset = 0;;) {
    const params = new URLSearchParams({ limit: String(PAGE_SIZE), offset: String(offset), ordering: "id" });
    const page = await readPage(netbox, `${netbox.url}/api/${below}/?${params}`);
    if (page === undefined) return;
    const fresh = page.results.filter(({ id }) => id > last);
    last = Math.max(last, ...fresh.map(({ id }) => id));
    yield fresh;
    offset += page.results.length;
    // NetBox may return fewer objects per page than requested.
    if (page.next === null || page.results.length === 0) return;
  }
}

interface PageBody {
  readonly next: string | null;
  readonly results: readonly RemoteRecord[];
}

async function readPage(netbox: Netbox, url: string): Promise<PageBody | undefined> {
  let fault = "";
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const result = await request(netbox, url);
    if ("page" in result) return result.page;
    fault = result.fault;
    if (attempt < ATTEMPTS - 1) await wait(result.waitMs ?? FIRST_WAIT_MS * 2 ** attempt);
  }
  throw new CommandError(
    `${url}: ${fault} ${ATTEMPTS} attempts failed. Run the command again: it continues.`,
  );
}

/**
 * Returns the result of a request: a page (undefined if the list does not exist), or a temporary failure.
 * Errors: CommandError.
 */
async function request(
  { token }: Netbox,
  url: string,
): Promise<{ page: PageBody | undefined } | { fault: string; waitMs?: number }> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      headers: {
        accept: "application/json",
        authorization: `${token.startsWith("nbt_") ? "Bearer" : "Token"} ${token}`,
      },
      // The token must not be sent to another host.
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    text = await response.text();
  } catch (error) {
    return { fault: `${reasonOf(error)}.` };
  }
  const { status } = response;
  if (status === 404) return { page: undefined };
  if (status === 429 || status >= 500) return { fault: `Status ${status}.`, ...waitOf(response) };
  if (status === 401 || status === 403) {
    throw new CommandError(`${url}: status ${status}. Use a valid token that may view these objects.`);
  }
  if (status !== 200) {
    throw new CommandError(`${url}: status ${status}. Use --from with the address of a NetBox instance.`);
  }
  const page = pageOf(text);
  return page === undefined ? { fault: "The answer is not a page of a list." } : { page };
}

function pageOf(text: string): PageBody | undefined {
  try {
    const body: PageBody = JSON.parse(text);
    const isPage = Array.isArray(body.results) && body.results.every((one) => Number.isSafeInteger(one?.id));
    return isPage ? body : undefined;
  } catch {
    return undefined;
  }
}

/** Reads `Retry-After` in seconds. Dates, its other form, are ignored. */
function waitOf(response: Response): { waitMs?: number } {
  const seconds = Number(response.headers.get("retry-after") ?? NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? { waitMs: Math.min(seconds * 1_000, MAX_WAIT_MS) } : {};
}
