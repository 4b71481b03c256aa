import assert from "node:assert/strict";
import { chainInputFromPem, validateChain } from "../../../src/x509/chain/mod.ts";
import { TEST_NOW, TestCa } from "../../support/test_ca/mod.ts";
import { assertVerdict, pure } from "./support.ts";

/** The verdict on two texts. */
async function judgeTexts(pemContent: string, issuerChain: string): ReturnType<typeof validateChain> {
  return await validateChain({ ...chainInputFromPem(pemContent, issuerChain), anchors: [], at: TEST_NOW });
}

pure(
  "The first certificate of the text is the leaf; what follows it and the chain text are the pool",
  async () => {
    const root = await TestCa.root();
    const ca = await root.intermediate();
    const leaf = await ca.issue({ cn: "a.example" });
    assertVerdict(await judgeTexts(leaf.pem, `${root.pem}\n# comment\n${ca.pem}`), "valid");
    assertVerdict(await judgeTexts(`${leaf.pem}${ca.pem}${root.pem}`, ""), "valid");
    const input = chainInputFromPem(leaf.pem + ca.pem, root.pem);
    assert.equal(input.pool.length, 2);
  },
);

pure("An empty chain text is no chain; one that holds no certificate is a parse_error", async () => {
  const root = await TestCa.root();
  const leaf = await root.issue({ cn: "a.example" });
  assertVerdict(await judgeTexts(leaf.pem, " \n\t"), "no_chain", ["issuer_missing"]);
  assert.equal((await judgeTexts(leaf.pem, "no PEM here")).status, "parse_error");
  assert.equal((await judgeTexts(leaf.pem, root.pem.replace("MII", "AAA"))).status, "parse_error");
});

pure(
  "A chain text with one broken block still gives its other certificates, and a warning with the block",
  async () => {
    const root = await TestCa.root();
    const leaf = await root.issue({ cn: "a.example" });
    const verdict = await judgeTexts(leaf.pem, root.pem.replace("MII", "AAA") + root.pem);
    assertVerdict(verdict, "valid");
    assert.equal(verdict.warnings.length, 1);
    assert.match(verdict.warnings[0]!, /\(block 1, line 1\)$/);
  },
);

pure(
  "A certificate text whose first block is broken is a parse_error, not judged by its second",
  async () => {
    const root = await TestCa.root();
    const leaf = await root.issue({ cn: "a.example" });
    for (
      const text of ["", "nothing", leaf.pem.replace("MII", "AAA"), leaf.pem.replace("MII", "AAA") + root.pem]
    ) {
      const verdict = await judgeTexts(text, root.pem);
      assert.deepEqual([verdict.status, verdict.depth], ["parse_error", 0], text.slice(0, 40));
      assert.ok(verdict.errors.length > 0);
    }
  },
);
