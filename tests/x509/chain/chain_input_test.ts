import assert from "node:assert/strict";
import { chainInputFromPem, MAX_CHAIN_CHARS, validateChain } from "../../../src/x509/chain/mod.ts";
import { TEST_NOW, TestCa } from "../../support/test_ca/mod.ts";
import { assertResult, pure } from "./support.ts";

async function validateTexts(pemContent: string, issuerChain: string): ReturnType<typeof validateChain> {
  return await validateChain({ ...chainInputFromPem(pemContent, issuerChain), anchors: [], at: TEST_NOW });
}

pure(
  "The first certificate of the text is the leaf; those after it and those of the chain text are the pool",
  async () => {
    const root = await TestCa.root();
    const ca = await root.intermediate();
    const leaf = await ca.issue({ cn: "a.example" });
    assertResult(await validateTexts(leaf.pem, `${root.pem}\n# comment\n${ca.pem}`), "valid");
    assertResult(await validateTexts(`${leaf.pem}${ca.pem}${root.pem}`, ""), "valid");
    const input = chainInputFromPem(leaf.pem + ca.pem, root.pem);
    assert.equal(input.pool.length, 2);
  },
);

pure("An empty chain text means no chain; a text without a certificate is a parse_error", async () => {
  const root = await TestCa.root();
  const leaf = await root.issue({ cn: "a.example" });
  assertResult(await validateTexts(leaf.pem, " \n\t"), "no_chain", ["issuer_missing"]);
  assert.equal((await validateTexts(leaf.pem, "no PEM here")).status, "parse_error");
  assert.equal((await validateTexts(leaf.pem, root.pem.replace("MII", "AAA"))).status, "parse_error");
});

pure("A chain text of 256 KiB is read, a longer one is a parse_error that names the limit", async () => {
  const root = await TestCa.root();
  const leaf = await root.issue({ cn: "a.example" });
  const full = root.pem.padEnd(MAX_CHAIN_CHARS, "# comment\n");
  assertResult(await validateTexts(leaf.pem, full), "valid");
  const result = await validateTexts(leaf.pem, `${full}\n`);
  assert.equal(result.status, "parse_error");
  assert.ok(result.errors.some((error) => error.includes("more than 256 KiB")), result.errors.join(" "));
});

pure(
  "A chain text with one broken block still provides its other certificates, with a warning about the block",
  async () => {
    const root = await TestCa.root();
    const leaf = await root.issue({ cn: "a.example" });
    const result = await validateTexts(leaf.pem, root.pem.replace("MII", "AAA") + root.pem);
    assertResult(result, "valid");
    assert.equal(result.warnings.length, 1);
    assert.match(result.warnings[0]!, /\(block 1, line 1\)$/);
  },
);

pure(
  "A certificate text whose first block is broken is a parse_error, not validated by its second",
  async () => {
    const root = await TestCa.root();
    const leaf = await root.issue({ cn: "a.example" });
    for (
      const text of ["", "nothing", leaf.pem.replace("MII", "AAA"), leaf.pem.replace("MII", "AAA") + root.pem]
    ) {
      const result = await validateTexts(text, root.pem);
      assert.deepEqual([result.status, result.depth], ["parse_error", 0], text.slice(0, 40));
      assert.ok(result.errors.length > 0);
    }
  },
);
