/** `deno task bundle`: the folder contains everything, and its programs behave like those of the checkout. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import Native from "libsql";
import manifest from "../../deno.json" with { type: "json" };
import { asciiCode, bundleManifest, readArguments } from "../../tools/bundle.ts";
import { certmgr, type Environment, startService, testFolder } from "../cli/process.ts";
import { KEY, startWorkers } from "../cli/workers.ts";
import { startEdge } from "../support/edge.ts";
import { startLibsqlServer } from "../support/libsql_server.ts";
import { CHAIN, pki } from "../support/pki.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const PASSWORD = "correct horse battery";
/** What the bundler reports when its own program cannot be downloaded. */
const NO_BUNDLER = /esbuild[^]*(error sending request|bad response|does not exist|not found in the cache)/i;

/** Writes a bundle. Returns false, and prints why, if the bundler cannot be downloaded from here. */
async function makeBundle(folder: string): Promise<boolean> {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "-q", "bundle", "--output", folder],
    cwd: PROJECT,
    env: { NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder().decode(stderr);
  if (code !== 0 && NO_BUNDLER.test(text)) {
    console.error(`The bundle was neither made nor tried, because esbuild cannot be downloaded:\n${text}`);
    return false;
  }
  assert.equal(code, 0, text);
  return true;
}

type Ask = (method: string, path: string, options?: { body?: unknown }) => Promise<{
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- what a test looks at is what it says
  readonly json: any;
}>;

function asker(url: string): Ask {
  return async (method, path, { body } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Token ${KEY}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: await response.json() };
  };
}

/** Signs in with the form, and returns the page and the files that it loads. */
async function readPage(url: string, path: string): Promise<{ page: string; files: Map<string, string> }> {
  const signedIn = await fetch(`${url}/sign-in/`, {
    method: "POST",
    headers: { origin: url },
    body: new URLSearchParams({ username: "admin", password: PASSWORD }),
    redirect: "manual",
  });
  await signedIn.body?.cancel();
  assert.equal(signedIn.status, 303);
  const cookie = signedIn.headers.getSetCookie().map((one) => one.split(";")[0]).join("; ");
  const response = await fetch(url + path, { headers: { cookie } });
  const page = await response.text();
  assert.equal(response.status, 200, page);
  const files = new Map<string, string>();
  for (const [, file = ""] of page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)) {
    const loaded = await fetch(url + file);
    assert.equal(loaded.status, 200, file);
    files.set(file, await loaded.text());
  }
  return { page, files };
}

Deno.test("a bundle contains the service, and behaves like the checkout", async (t) => {
  await using folder = await testFolder();
  const bundle = `${folder.path}/bundle`;
  // An earlier bundle.
  await Deno.mkdir(`${bundle}/data`, { recursive: true });
  for (const name of ["licenses.txt", "chunk-OLD.js"]) await Deno.writeTextFile(`${bundle}/${name}`, "");
  if (!await makeBundle(bundle)) return;
  const common: Environment & { CERTMGR_DATA_DIR: string } = {
    CERTMGR_DATA_DIR: `${folder.path}/data`,
    CERTMGR_ADMIN_TOKEN: KEY,
    CERTMGR_ADMIN_PASSWORD: PASSWORD,
    // Nothing is in the cache of this runtime, and nothing can be downloaded.
    DENO_DIR: `${folder.path}/cache`,
    NPM_CONFIG_REGISTRY: "http://127.0.0.1:1",
  };

  await t.step("code and source maps name no folder of the machine that made it", async () => {
    const info = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"], cwd: PROJECT }).output();
    const { npmCache } = JSON.parse(new TextDecoder().decode(info.stdout));
    let files = 0;
    for await (const { name } of Deno.readDir(bundle)) {
      if (!/\.js(\.map)?$/.test(name)) continue;
      const text = await Deno.readTextFile(`${bundle}/${name}`);
      assert.ok(!text.includes(npmCache) && !text.includes(PROJECT), name);
      if (name.endsWith(".js")) assert.doesNotMatch(text, /[^\0-\x7f]/, name);
      files++;
    }
    assert.ok(files > 100);
  });

  await t.step("the licenses of packages, and of copied files, are included", async () => {
    const text = await Deno.readTextFile(`${bundle}/licenses.txt`);
    for (const title of ["hono 4", "@libsql/linux-x64-gnu 0", "files in src/graphql/vendor"]) {
      assert.ok(text.includes(`\n${title}`), title);
    }
    assert.match(text, /Copyright \(c\) 2021 - present, Yusuke Wada/);
    assert.match(await Deno.readTextFile(`${bundle}/LICENSE`), /Apache License/);
  });

  await t.step("with two workers, it imports, validates, and serves REST, GraphQL and pages", async () => {
    await using service = await startWorkers(2, common, { bundle });
    const ask = asker(service.url);
    assert.equal((await ask("GET", "/api/status/")).json["certmgr-version"], manifest.version);
    const imported = await ask("POST", "/api/plugins/certmgr/certificates/import/", {
      body: { pem_content: pki.fresh.pem + CHAIN },
    });
    assert.equal(imported.status, 201, JSON.stringify(imported.json));
    const { json: { results: [stored] } } = await ask("GET", "/api/plugins/certmgr/certificates/");
    const path = `/api/plugins/certmgr/certificates/${stored.id}/`;
    assert.equal((await ask("GET", path)).json.common_name, stored.common_name);
    const validated = await ask("POST", `${path}validate-chain/`, { body: {} });
    assert.equal(validated.status, 200, JSON.stringify(validated.json));
    const query = "{ certificate_list { common_name } }";
    const { json: { data } } = await ask("POST", "/graphql/", { body: { query } });
    assert.deepEqual(data.certificate_list, [{ common_name: stored.common_name }]);
    const { page, files } = await readPage(service.url, new URL(stored.display_url).pathname);
    assert.ok(page.includes(stored.common_name));
    assert.ok([...files].some(([name, text]) => name.endsWith("/app.css") && text.includes("{")));
    assert.ok([...files].some(([name, text]) => name.endsWith("/app.js") && text.includes("document")));
    const metrics = await fetch(`${service.url}/metrics`, { headers: { authorization: `Token ${KEY}` } });
    assert.match(await metrics.text(), /^certmgr_/m);
    // The background process runs jobs.
    await service.logged(({ event, worker }) => event === "job" && worker === 0);
    service.signal("SIGTERM");
    assert.equal(await service.ended(), 0);
  });

  await t.step("as one process, errors name lines of source files", async () => {
    await using service = await startService({ ...common, CERTMGR_WORKERS: "1" }, { bundle });
    const database = new Native(`${folder.path}/data/certmgr.db`);
    database.exec("ALTER TABLE saved_views RENAME TO lost");
    database.close();
    const { status } = await asker(service.url)("GET", "/api/plugins/certmgr/saved-views/");
    assert.equal(status, 500);
    service.signal("SIGTERM");
    const { code, stderr } = await service.ended();
    assert.equal(code, 0);
    const line = stderr.split("\n").find((text) => text.includes('"event":"defect"'));
    assert.match(JSON.parse(line ?? "{}").error, /at \S+ \(file:\S+\/src\/db\/\w+\.ts:\d+:\d+\)/);
  });

  await t.step("with a libSQL server, its commands and its edge share the data", async () => {
    await using server = await startLibsqlServer();
    const env = { ...common, CERTMGR_DATA_DIR: `${folder.path}/other`, CERTMGR_DATABASE_URL: server.url };
    const migrated = await certmgr(["migrate"], { env, bundle });
    assert.equal(migrated.code, 0, migrated.stderr);
    await using service = await startService({ ...env, CERTMGR_WORKERS: "1" }, { bundle });
    const tag = await asker(service.url)("POST", "/api/extras/tags/", { body: { name: "a", slug: "a" } });
    assert.equal(tag.status, 201);
    await using edge = await startEdge({ ...common, CERTMGR_DATABASE_URL: server.url }, { bundle });
    assert.equal((await asker(edge.url)("GET", `/api/extras/tags/${tag.json.id}/`)).json.name, "a");
  });

  await t.step("a bundle replaces an earlier one, keeps its data, and replaces nothing else", async () => {
    assert.ok((await Deno.stat(`${bundle}/data`)).isDirectory);
    await assert.rejects(Deno.stat(`${bundle}/chunk-OLD.js`), Deno.errors.NotFound);
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["task", "-q", "bundle", "--output", `${folder.path}/data`],
      cwd: PROJECT,
      env: { NO_COLOR: "1" },
    }).output();
    assert.equal(code, 2);
    assert.match(new TextDecoder().decode(stderr), /^Folder "\S+\/data" is not empty, and not a bundle\n/);
    assert.ok((await Deno.stat(`${folder.path}/data/certmgr.db`)).isFile);
  });
});

Deno.test("a bundle has the permissions and unstable features of the checkout", () => {
  const { permissions, unstable, tasks } = bundleManifest() as unknown as typeof manifest;
  assert.deepEqual(unstable, manifest.unstable);
  for (const name of ["settings", "start", "serve", "cli"] as const) {
    assert.deepEqual(permissions[name], manifest.permissions[name]);
  }
  assert.equal(
    tasks.start.command,
    "deno run -q --no-prompt $(deno run -q --no-prompt -P=settings start.js --print)",
  );
  assert.equal(tasks.token.command, "deno run -q --no-prompt -P=cli main.js token");
});

Deno.test("code has no characters beyond ASCII, and means the same", () => {
  const code = "export default [/^[’…]$/u.test('…'), 'x', `${1}ü`]; // … 😀\n";
  assert.match(asciiCode(code), /^[\0-\x7f]*$/);
  assert.ok(asciiCode(code).startsWith(String.raw`export default [/^[\u2019\u2026]$/u.test('\u2026')`));
  const raw = "String.raw`…`;";
  assert.equal(asciiCode(raw), raw);
});

const ARGUMENTS: readonly [args: readonly string[], read: unknown][] = [
  [[], { folder: "dist/service" }],
  [["--output", "/srv/app"], { folder: "/srv/app" }],
  [["--output"], { fault: "Argument --output has no value" }],
  // As of `--output "$FOLDER"` without a value. The folder would be the checkout.
  [["--output", ""], { fault: "Argument --output has no value" }],
  [["/srv/app"], { fault: 'Argument "/srv/app" is unknown' }],
  [["--output", "a", "--minify"], { fault: 'Argument "--minify" is unknown' }],
];

for (const [args, read] of ARGUMENTS) {
  Deno.test(`the arguments ${JSON.stringify(args)} are read, or refused with their fault`, () => {
    assert.deepEqual(readArguments(args), read);
  });
}
