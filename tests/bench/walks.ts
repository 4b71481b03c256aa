/**
 * The files of `src/` in which a function runs during a request, as docs/architecture.md counts them. Files that run
 * for every authenticated request (`GET /api/status/`) are counted separately.
 *
 *     deno task walks            # counts, by directory
 *     deno task walks --files    # and the files, with the functions of each
 */

import { Session } from "node:inspector/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/base/clock.ts";
import { openKvQueue } from "../../src/domain/webhooks/sending/kv_queue.ts";
import { startDelivery } from "../../src/domain/webhooks/sending/deliver.ts";
import { parseAllowedHosts } from "../../src/http/mod.ts";
import { sendGuarded } from "../../src/http/send_guarded.ts";
import { addWebhook, changeOf, commit, deliveries } from "../domain/webhooks/sending/support.ts";
import { type As, managerOf } from "../support/actors.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { testContext } from "../support/context.ts";
import { testDatabase } from "../support/database.ts";
import { PATHS } from "../support/paths.ts";
import { pki } from "../support/pki.ts";
import { benchOptions } from "./bench_options.ts";

const SOURCE = fileURLToPath(new URL("../../src/", import.meta.url));

const values = benchOptions("walks", {
  files: [false, "Print the files, and the functions of each"],
});

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly functionName: string; readonly ranges: readonly Range[] }[];
  }[];
}
interface Range {
  readonly startOffset: number;
  readonly count: number;
}

/** Returns the functions that have run since the last call, by file; the evaluation of a module is not one. */
async function takeFiles(): Promise<Map<string, string[]>> {
  const { result } = await session.post("Profiler.takePreciseCoverage") as unknown as Coverage;
  const files = new Map<string, string[]>();
  for (const { url, functions } of result) {
    const path = url.startsWith("file:") ? relative(SOURCE, fileURLToPath(url)) : "..";
    if (path.startsWith("..")) continue;
    const ran = functions.filter(({ ranges: [whole] }, index) =>
      whole !== undefined && whole.count > 0 && !(index === 0 && whole.startOffset === 0)
    );
    if (ran.length > 0) files.set(path, ran.map(({ functionName }) => functionName || "(anonymous)"));
  }
  return files;
}

/** Prints what runs during one walk: the files of every request first, then those of this one. */
async function walk(
  title: string,
  run: () => Promise<unknown>,
  everyRequest: ReadonlySet<string> = new Set(),
): Promise<void> {
  await takeFiles();
  await run();
  const files = [...await takeFiles()].sort();
  const isShared = ([path]: readonly [string, unknown]): boolean => everyRequest.has(path);
  const shared = files.filter(isShared);
  const own = files.filter((file) => !isShared(file));
  console.log(`${String(files.length).padStart(4)} files  ${title}`);
  if (shared.length > 0) print(shared, `for every request: ${perDirectory(shared)}`);
  print(own, `for this one: ${perDirectory(own)}`);
}

function print(
  files: readonly (readonly [path: string, functions: readonly string[]])[],
  title: string,
): void {
  console.log(`${String(files.length).padStart(8)}  ${title}`);
  if (!values.files) return;
  for (const [path, functions] of files) console.log(`            ${path}: ${functions.join(" ")}`);
}

/** Returns the number of files in each directory, as text. */
function perDirectory(files: readonly (readonly [path: string, unknown])[]): string {
  const counts = Map.groupBy(
    files,
    ([path]) => path.includes("/") ? path.slice(0, path.indexOf("/")) : "src",
  );
  return [...counts].map(([directory, { length }]) => `${directory} ${length}`).join(", ");
}

interface RequestOptions {
  readonly as: Exclude<As, "nobody">;
  readonly body?: unknown;
}

/** Sends a request with nothing cached: the application and its caller are new. */
async function walkRequest(
  path: string,
  options: RequestOptions & { readonly everyRequest: ReadonlySet<string> },
): Promise<void> {
  const { as, body } = options;
  await using service = await testApp();
  const run = await requestBy(service, path, options);
  const title = `${body === undefined ? "GET" : "POST"} ${path} (${as === "superuser" ? as : as.username})`;
  await walk(title, run, options.everyRequest);
}

/** Returns the files in which a function runs during the simplest authenticated request. */
async function filesOfEveryRequest(): Promise<Set<string>> {
  await using service = await testApp();
  const run = await requestBy(service, "/api/status/", { as: "superuser" });
  await takeFiles();
  await run();
  return new Set((await takeFiles()).keys());
}

/** Signs in, and returns a function that sends the request. */
async function requestBy(
  service: TestApp,
  path: string,
  { as, body }: RequestOptions,
): Promise<() => Promise<void>> {
  const send = await service.as(as);
  return async () => {
    const response = await send(path, body === undefined ? {} : { method: "POST", body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answers ${response.status}: ${text}`);
  };
}

/** Delivers one message to a local receiver: from the commit of a change to the stored outcome. */
async function walkDelivery(): Promise<void> {
  await using database = await testDatabase();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    await request.text();
    return new Response(null, { status: 204 });
  });
  const base = testContext({ database, clock: systemClock });
  const ctx = { ...base, settings: { ...base.settings, allowedTargets: parseAllowedHosts(["127.0.0.1"]) } };
  await addWebhook(database, {
    payload_url: `http://127.0.0.1:${server.addr.port}/`,
    secret: "a".repeat(40),
  });
  await commit(ctx, changeOf(1));
  await walk("a webhook delivery", async () => {
    const delivery = startDelivery({ context: () => ctx, queue: await openKvQueue(), send: sendGuarded });
    while ((await deliveries(database))[0]?.state !== "delivered") await pause();
    await delivery.stop();
  });
  await server.shutdown();
}

function pause(): Promise<void> {
  return new Promise((resume) => setTimeout(resume, 5));
}

const everyRequest = await filesOfEveryRequest();
for (const as of ["superuser", managerOf("acme")] as const) {
  await walkRequest(`${PATHS.certificates}?status=active&tenant=acme`, { as, everyRequest });
  await walkRequest(`${PATHS.certificates}import/`, {
    as,
    everyRequest,
    body: { pem_content: pki.fresh.pem, tenant: { slug: "acme" } },
  });
}
await walkDelivery();
