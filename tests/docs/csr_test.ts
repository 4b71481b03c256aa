/** The API guide's commands for keys and signing requests work as described. */

import assert from "node:assert/strict";
import { certmgr, startService, testFolder } from "../cli/process.ts";
import { openssl } from "../support/openssl.ts";
import { TestCa } from "../support/test_ca/mod.ts";

const guide = await Deno.readTextFile(new URL("../../docs/api.md", import.meta.url));
const KEY = "abcdefghijABCDEFGHIJ0123456789abcdefghij";

Deno.test("the guide's commands create keys and requests, and print the output that the guide shows", async () => {
  const section = guide.split("### A key and its signing request\n")[1]?.split("\n### ")[0] as string;
  const shown = [...section.matchAll(/^ {4}\$ certmgr (.*)\n((?: {4}[^$].*\n)+)/gm)];
  assert.equal(shown.length, 2);

  await using folder = await testFolder();
  const env = { CERTMGR_DATA_DIR: `${folder.path}/data` };
  const ca = await TestCa.root();
  await Deno.writeTextFile(`${folder.path}/shop.pem`, (await ca.issue({ cn: "shop.example.org" })).pem);
  assert.equal((await certmgr(["import", `${folder.path}/shop.pem`], { env })).code, 0);
  await using service = await startService({ ...env, CERTMGR_ADMIN_TOKEN: KEY });
  for (const [, args, output] of shown) {
    const words = (args as string).split(" ").map((word) =>
      word.replace(/^(\w+\.(key|csr))$/, `${folder.path}/$1`)
    );
    const { code, stderr } = await certmgr(words, { env: { CERTMGR_URL: service.url, CERTMGR_TOKEN: KEY } });
    const received = stderr.replaceAll(`${folder.path}/`, "").replaceAll(
      service.url,
      "http://127.0.0.1:8000",
    );
    assert.deepEqual([code, received], [0, (output as string).replaceAll(/^ {4}/gm, "")]);
  }
  for (const name of ["new", "shop"]) {
    await openssl(["req", "-verify", "-in", `${folder.path}/${name}.csr`, "-noout"]);
  }
});
