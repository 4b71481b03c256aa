/** `deno task start`: permissions of the service, signals and exit codes. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { databaseLibraries, dataFolders, serviceFlags, startArguments } from "../../tools/start.ts";
import { TextLineStream } from "../support/text_lines.ts";
import { testFolder } from "../cli/process.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

const FOLDERS: readonly { title: string; settings: Record<string, string>; folders: string[] }[] = [
  { title: "without settings, the default one", settings: {}, folders: ["data"] },
  { title: "the data folder", settings: { CERTMGR_DATA_DIR: "/srv/certmgr" }, folders: ["/srv/certmgr"] },
  {
    title: "the data folder and that of a database elsewhere",
    settings: { CERTMGR_DATA_DIR: "/srv/a", CERTMGR_DATABASE_URL: "file:/srv/b/certmgr.db" },
    folders: ["/srv/a", "/srv/b"],
  },
  {
    title: "the data folder alone when the database is on a server",
    settings: { CERTMGR_DATA_DIR: "/srv/a", CERTMGR_DATABASE_URL: "http://127.0.0.1:8080" },
    folders: ["/srv/a"],
  },
  {
    title: "not one whose name a flag would split",
    settings: { CERTMGR_DATA_DIR: "/srv/a,/" },
    folders: ["data"],
  },
  {
    title: "the default one when a setting is invalid",
    settings: { CERTMGR_DATA_DIR: "/srv/a", CERTMGR_PORT: "x" },
    folders: ["data"],
  },
];

for (const { title, settings, folders } of FOLDERS) {
  Deno.test(`the service may write to the folders of its settings: ${title}`, () => {
    assert.deepEqual(dataFolders(settings), folders);
  });
}

Deno.test("the service's flags name every path that it may read and write", () => {
  const flags = serviceFlags(["/srv/a", "/srv/b"]);
  assert.deepEqual(flags.filter((flag) => /^(-A|--allow-(ffi|read|write|run|env|all))$/.test(flag)), []);
  assert.ok(flags.includes("-P=serve"));
  assert.ok(flags.includes("--allow-write=/srv/a,/srv/b"));
  assert.ok(flags.includes("--allow-read=/usr/bin/ldd,/srv/a,/srv/b"));
});

Deno.test("the service may load the database library and no other native code", async () => {
  const libraries = databaseLibraries();
  assert.ok(libraries.length > 0);
  for (const path of libraries) {
    assert.match(path, /[\\/]@libsql[\\/][^\\/]+[\\/][^\\/]+[\\/]index\.node$/);
    assert.ok((await Deno.stat(path)).isFile, path);
  }
  await using folder = await testFolder();
  const other = `${folder.path}/other.node`;
  await Deno.copyFile(libraries[0]!, other);
  const load = async (path: string): Promise<string> => {
    const program = `${folder.path}/load.ts`;
    await Deno.writeTextFile(
      program,
      `import { createRequire } from "node:module";
      try { createRequire(import.meta.url)(${JSON.stringify(path)}); console.log("loaded"); }
      catch (error) { console.log(error.name); }`,
    );
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "--no-prompt", "--config=deno.json", ...serviceFlags([folder.path]), program],
      cwd: PROJECT,
    }).output();
    return new TextDecoder().decode(stdout).trim();
  };
  assert.equal(await load(libraries[0]!), "loaded");
  assert.equal(await load(other), "NotCapable");
});

Deno.test("the task runs one service itself, and otherwise the program that starts the processes", async () => {
  const alone = await startArguments({ CERTMGR_DATA_DIR: "/srv/a" });
  assert.deepEqual(alone.split(" "), [...serviceFlags(["/srv/a"]), "src/service.ts"]);
  const starter = "-P=start tools/start.ts";
  for (
    const settings of [
      { CERTMGR_WORKERS: "2" },
      // The shell would divide and expand these names.
      ...["/srv/a b", "/srv/*", "/srv/[a]", "/srv/?"].map((name) => ({ CERTMGR_DATA_DIR: name })),
    ]
  ) assert.equal(await startArguments(settings), starter, JSON.stringify(settings));
  // The service reports what is wrong with its settings.
  const files = {
    CERTMGR_TRUST_FILE: "/etc/trust.json",
    CERTMGR_RULES_FILE: "/etc/a,b",
    CERTMGR_OIDC_FILE: "/etc/oidc.json",
  };
  const read = (await startArguments({ CERTMGR_DATA_DIR: "/srv/a", ...files })).split(" ")
    .find((flag) => flag.startsWith("--allow-read="))?.split(/[=,]/);
  assert.deepEqual(read?.filter((path) => path.startsWith("/etc/")), ["/etc/oidc.json", "/etc/trust.json"]);
  assert.match(await startArguments({ CERTMGR_PORT: "x" }), / src\/service\.ts$/);
});

Deno.test("no process waits for the service except the task, and the data may be in a folder with a space", async () => {
  await using folder = await testFolder();
  for (const [name, descendants] of [["data", 1], ["da ta", 2]] as const) {
    const task = runTask("start", { CERTMGR_DATA_DIR: `${folder.path}/${name}` });
    const lines = task.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());
    for await (const line of lines.values({ preventCancel: true })) {
      if (line.startsWith("Listening on ")) break;
    }
    assert.equal((await descendantsOf(task.pid)).length, descendants, name);
    task.kill("SIGTERM");
    await lines.pipeTo(new WritableStream());
    await task.stderr.cancel();
    assert.equal((await task.status).code, 0);
  }
});

async function descendantsOf(pid: number): Promise<number[]> {
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "pid=", "--ppid", String(pid)] }).output();
  const children = new TextDecoder().decode(stdout).split(/\s+/).filter(Boolean).map(Number);
  return [...children, ...(await Promise.all(children.map(descendantsOf))).flat()];
}

function runTask(name: string, env: Record<string, string>, args: readonly string[] = []): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["task", "-q", name, ...args],
    cwd: PROJECT,
    env: { CERTMGR_PORT: "0", NO_COLOR: "1", ...env },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

Deno.test("the task ends with the service's exit code and message", async () => {
  await using folder = await testFolder();
  const task = runTask("start", { CERTMGR_DATA_DIR: folder.path, CERTMGR_PORT: "80a" });
  const { code, stderr } = await task.output();
  assert.equal(code, 2);
  assert.match(new TextDecoder().decode(stderr), /^certmgr: Setting CERTMGR_PORT is "80a"\. [^\n]*\n$/);
});

Deno.test("an argument of the task is a usage error, and starts nothing", async () => {
  await using folder = await testFolder();
  const task = runTask("start", { CERTMGR_DATA_DIR: `${folder.path}/data` }, ["--port=80"]);
  const { code, stdout, stderr } = await task.output();
  assert.deepEqual([code, new TextDecoder().decode(stdout)], [2, ""]);
  assert.match(new TextDecoder().decode(stderr), /^certmgr: Unknown argument "--port=80"\. [^\n]*\n$/);
  await assert.rejects(Deno.stat(`${folder.path}/data`), Deno.errors.NotFound);
});

for (const name of ["start", "dev"]) {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    Deno.test(`${signal} to the task "${name}" stops the service, and no process is left`, async () => {
      await using folder = await testFolder();
      const task = runTask(name, { CERTMGR_DATA_DIR: folder.path });
      const stderr = new Response(task.stderr).text();
      const lines = task.stdout.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());
      let url = "";
      for await (const line of lines.values({ preventCancel: true })) {
        url = /^Listening on (\S+)$/.exec(line)?.[1] ?? "";
        if (url !== "") break;
      }
      task.kill(signal);
      // Both streams end when the last process with them has ended.
      await lines.pipeTo(new WritableStream());
      const [log, { code }] = await Promise.all([stderr, task.status]);
      // A watcher may end before the service has reported its end.
      if (name === "start") assert.deepEqual([code, log.includes('"event":"stopped"')], [0, true], log);
      await assert.rejects(fetch(url));
    });
  }
}
