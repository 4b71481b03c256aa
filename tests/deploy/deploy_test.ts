/** The files that operators copy agree with the service. */

import assert from "node:assert/strict";
import { STOP_LIMIT_MS } from "../../src/server.ts";
import { settingNotes } from "../../src/config/mod.ts";

const PROJECT = new URL("../../", import.meta.url);

function read(path: string): Promise<string> {
  return Deno.readTextFile(new URL(path, PROJECT));
}

const unit = await read("deploy/certmgr.service");
const container = await read("deploy/Containerfile");

/** Returns the values of a directive in the unit. */
function values(name: string): string[] {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map((match) => match[1] as string);
}

Deno.test("systemd waits longer for the service to stop than this takes", () => {
  assert.ok(Number(values("TimeoutStopSec")[0]) * 1000 > STOP_LIMIT_MS);
});

Deno.test("systemd starts the service again after a crash, and not with settings that stay invalid", () => {
  assert.deepEqual(values("Restart"), ["on-failure"]);
  // The exit code of a command with invalid settings; tests/cli/serve_test.ts shows it.
  assert.deepEqual(values("RestartPreventExitStatus"), ["2"]);
});

Deno.test("the unit runs the service as a separate user, with a separate folder and no privileges", () => {
  const expected = {
    DynamicUser: "yes",
    NoNewPrivileges: "yes",
    ProtectSystem: "strict",
    ProtectHome: "yes",
    PrivateDevices: "yes",
    CapabilityBoundingSet: "",
    StateDirectoryMode: "0700",
    UMask: "0077",
    LimitCORE: "0",
    // The second one is where systemd keeps the folder of a dynamic user.
    NoExecPaths: `/var/lib/${values("StateDirectory")[0]} -/var/lib/private/${values("StateDirectory")[0]}`,
  };
  for (const [name, value] of Object.entries(expected)) assert.deepEqual(values(name), [value], name);
  assert.ok(values("Environment").includes(`CERTMGR_DATA_DIR=/var/lib/${values("StateDirectory")[0]}`));
  // V8 compiles at run time, so the process would fail at once with this directive.
  assert.deepEqual(values("MemoryDenyWriteExecute"), []);
});

Deno.test("the container runs without privileges, writes only data that nothing executes, and no memory is dumped", () => {
  assert.match(container, /-v certmgr-data:\/data:noexec\b/);
  assert.match(container, /--read-only --tmpfs \/tmp:noexec\b/);
  assert.match(container, /--ulimit core=0\b/);
  assert.match(container, /--cap-drop all\b/);
  assert.match(container, /--security-opt no-new-privileges\b/);
  assert.match(container, /^ARG RUN_IMAGE=\S+:nonroot$/m);
  // Only the data belongs to the service's user.
  assert.deepEqual(container.match(/--chown=\S+ .*$/gm), ["--chown=nonroot:nonroot /out/data /data"]);
  assert.doesNotMatch(container, /^ENV .*(?:TOKEN|PASSWORD|SECRET)/m);
});

Deno.test("every setting that the files name exists", () => {
  const known = new Set(settingNotes().map(({ name }) => name));
  const named = `${unit}\n${container}`.match(/CERTMGR_\w+/g) ?? [];
  assert.ok(named.length > 2);
  assert.deepEqual(named.filter((name) => !known.has(name)), []);
});

Deno.test("the container is built with the release of Deno that is tested", async () => {
  const tested = /deno@([\d.]+)/.exec(await read(".ci/run"))?.[1];
  assert.equal(/denoland\/deno:([\d.]+)/.exec(container)?.[1], tested);
  assert.equal(/deno@([\d.]+)/.exec(await read(".ci/binary"))?.[1], tested);
  assert.ok((await read(".ci/binary")).includes(`/release/v${tested}/`));
});

Deno.test("the recipe for commands is the same in unit and guide, and has the service's own settings", async () => {
  const recipe = (text: string): string => /certmgr_here\(\) \{\n(.*?)\n#? +\}/s.exec(text)?.[1] ?? "";
  const words = (text: string): string[] => recipe(text).split(/[\s#\\]+/).filter((word) => word !== "");
  const printed = words(unit);
  assert.deepEqual(words(await read("docs/operations.md")), printed);
  assert.ok(printed.includes(`EnvironmentFile=${values("EnvironmentFile")[0]}`));
  assert.deepEqual(printed.filter((word) => word.startsWith("CERTMGR_")), values("Environment"));
});
