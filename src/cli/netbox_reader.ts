/** Reads the objects of a NetBox instance through its REST API, page by page. */

import { readFile } from "node:fs/promises";
import type { RemoteRecord } from "../domain/netbox/mod.ts";
import { CommandError, UsageError } from "./failure.ts";
import { reasonOf } from "./reason.ts";

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
/** Maximum size of a page in bytes: more than two hundred certificates with their chains. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024;

/** A NetBox instance. */
export interface Netbox {
  /** Its URL, without a slash at the end. */
  readonly url: string;
  readonly token: string;
  /** Path of the certificate plugin below `/api/`. */
  readonly pluginPath: string;
}

export interface NetboxPage {
  /** Number of all objects. */
  readonly count: number;
  readonly records: readonly RemoteRecord[];
}

/** Normalizes the URL of a NetBox instance. Errors: UsageError. */
export function netboxAddress(given: string): string {
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
export async function readToken(path: string): Promise<string> {
  let text: string;
  try {
    text = (await readFile(path, "utf8")).trim();
  } catch (error) {
    throw new UsageError(`Token file ${JSON.stringify(path)} cannot be read: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  if (!/^[\x21-\x7e]{1,500}$/.test(text)) {
    throw new UsageError(`Token file ${JSON.stringify(path)} is invalid. Expected one line with a token.`);
  }
  return text;
}

/** Checks that a NetBox instance has the certificate plugin. Errors: CommandError. */
export async function requirePlugin(netbox: Netbox): Promise<void> {
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
export async function* readNetboxPages(netbox: Netbox, path: string): AsyncGenerator<NetboxPage> {
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
    yield { count: page.count, records: fresh };
    offset += page.results.length;
    // NetBox may return fewer objects per page than requested.
    if (page.next === null || page.results.length === 0) return;
  }
}

interface PageBody {
  readonly count: number;
  readonly next: string | null;
  readonly results: readonly RemoteRecord[];
}

async function readPage(netbox: Netbox, url: string): Promise<PageBody | undefined> {
  let fault = "";
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const result = await request(netbox, url);
    if ("page" in result) return result.page;
    fault = result.fault;
    if (attempt < ATTEMPTS - 1) await delay(result.waitMs ?? FIRST_WAIT_MS * 2 ** attempt);
  }
  throw new CommandError(
    `${url}: ${fault} ${ATTEMPTS} attempts failed. Run the command again: it continues.`,
  );
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
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
    text = await readBounded(response, url);
  } catch (error) {
    if (error instanceof CommandError) throw error;
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

async function readBounded(response: Response, url: string): Promise<string> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_PAGE_BYTES) {
      throw new CommandError(`${url}: the answer has more than ${MAX_PAGE_BYTES / 2 ** 20} MiB.`);
    }
    chunks.push(chunk);
  }
  return await new Blob(chunks).text();
}

function pageOf(text: string): PageBody | undefined {
  try {
    const body: PageBody = JSON.parse(text);
    const isPage = typeof body.count === "number" && Array.isArray(body.results) &&
      body.results.every((one) => Number.isSafeInteger(one?.id));
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
