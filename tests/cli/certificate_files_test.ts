/** Files and folders that commands read: unreadable, special, and very many. */

import assert from "node:assert/strict";
import { filesReport } from "../../src/cli/agent_sources.ts";
import { findFiles } from "../../src/cli/certificate_files.ts";
import { TestCa } from "../support/test_ca/mod.ts";
import { certmgr, testFolder } from "./process.ts";

const ca = await TestCa.root({ cn: "Files Root" });

/** Runs `work` while the names in a folder come from `read`. */
async function withFolder(folder: string, read: () => string[], work: () => Promise<void>): Promise<void> {
  const original = Deno.readDir;
  async function* entries(path: string): AsyncGenerator<Deno.DirEntry> {
    if (path.startsWith(`${folder}/`)) return; // an empty folder
    if (path !== folder) return yield* original(path);
    for (const name of read()) yield { name, isFile: true, isDirectory: false, isSymlink: false };
  }
  Deno.readDir = entries as typeof Deno.readDir;
  try {
    await work();
  } finally {
    Deno.readDir = original;
  }
}

Deno.test("a folder that may not be read is reported, and everything next to it is found", async () => {
  await using folder = await testFolder();
  const [open, closed] = [`${folder.path}/certs`, `${folder.path}/private`];
  for (const path of [open, closed]) await Deno.mkdir(path);
  await Deno.writeTextFile(`${open}/a.pem`, ca.pem);
  await withFolder(closed, () => {
    throw new Deno.errors.PermissionDenied(`Permission denied (os error 13): readdir '${closed}'`);
  }, async () => {
    assert.deepEqual(await findFiles([folder.path]), {
      files: [`${open}/a.pem`],
      unreadable: [{ folder: closed, reason: "permission denied" }],
    });
    const { certificates, problems } = await filesReport([folder.path], []);
    assert.deepEqual([certificates.map(({ location }) => location), problems], [
      [`${open}/a.pem`],
      [`${closed}: permission denied`],
    ]);
    await assert.rejects(findFiles([closed]), {
      name: "CommandError",
      message: `File ${JSON.stringify(closed)} cannot be read: permission denied.`,
    });
  });
});

Deno.test("a pattern may match more names than a call can have arguments", async () => {
  const names = Array.from({ length: 150_000 }, (_, index) => `${index}`);
  await withFolder("/nowhere", () => names, async () => {
    const { problems } = await filesReport(["/nowhere/*/*.pem"], []);
    assert.deepEqual(problems, ["/nowhere/*/*.pem: no certificate files"]);
  });
});

Deno.test("an agent does not read devices and pipes", async () => {
  const { problems } = await filesReport(["/dev/null"], []);
  assert.deepEqual(problems, ["/dev/null: not a regular file."]);
});

Deno.test("a path that is a loop of links, or below a file, is refused with the reason", async () => {
  await using folder = await testFolder();
  const { path } = folder;
  await Deno.symlink("b", `${path}/a`);
  await Deno.symlink("a", `${path}/b`);
  await Deno.writeTextFile(`${path}/file`, "");
  for (
    const [name, reason] of [
      ["a", "too many levels of symbolic links"],
      ["file/below", "a part of the path is a file, not a folder"],
      ["x".repeat(300), "file name too long"],
    ]
  ) {
    const { code, stderr } = await certmgr(["import", `${path}/${name}`]);
    assert.equal(stderr, `certmgr: File ${JSON.stringify(`${path}/${name}`)} cannot be read: ${reason}.\n`);
    assert.equal(code, 1);
  }
});
