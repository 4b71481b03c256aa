import assert from "node:assert/strict";
import { chainInputFromPem, validateChain } from "../../src/x509/chain/mod.ts";
import { TEST_NOW, TestCa } from "../support/test_ca/mod.ts";
import { validateByService, validateInProcess } from "./validators.ts";

interface Stored {
  readonly pem_content: string;
  readonly issuer_chain: string;
}

/** Serves the three API calls of the validator from an inventory in memory. */
function service(inventory: Map<string, Stored>, seen: string[]): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    seen.push(`${request.method} ${pathname} ${request.headers.get("Authorization")}`);
    const match = /^\/api\/plugins\/certmgr\/certificates\/(?:(\d+)\/(validate-chain\/)?)?$/.exec(pathname);
    const [, id, action] = match ?? [];
    if (request.method === "DELETE") return new Response(null, { status: inventory.delete(id!) ? 204 : 404 });
    const body = await request.json();
    if (action === undefined) {
      if (!body.pem_content.includes("BEGIN")) {
        return Response.json({ pem_content: ["No PEM"] }, { status: 400 });
      }
      inventory.set("7", body);
      return Response.json({ id: 7 }, { status: 201 });
    }
    const { pem_content, issuer_chain } = inventory.get(id!)!;
    const at = Date.parse(body.at);
    const result = await validateChain({ ...chainInputFromPem(pem_content, issuer_chain), anchors: [], at });
    return Response.json({ status: result.status, is_valid: result.isValid, errors: result.errors });
  });
}

Deno.test("The service has the same results as the process: a certificate is created, validated at the case's time and deleted", async () => {
  const root = await TestCa.root();
  const leaf = await root.issue({ cn: "a.example" });
  const inventory = new Map<string, Stored>();
  const seen: string[] = [];
  const server = service(inventory, seen);
  try {
    const validate = validateByService(`http://127.0.0.1:${server.addr.port}/`, "secret");
    for (const at of [TEST_NOW, TEST_NOW + 1e12]) {
      const question = { leaf: leaf.pem, pool: [root.pem], at: new Date(at).toISOString() };
      assert.deepEqual(await validate(question), await validateInProcess(question));
      assert.equal(inventory.size, 0);
    }
    assert.deepEqual(seen.slice(0, 3), [
      "POST /api/plugins/certmgr/certificates/ Token secret",
      "POST /api/plugins/certmgr/certificates/7/validate-chain/ Token secret",
      "DELETE /api/plugins/certmgr/certificates/7/ Token secret",
    ]);
    const refused = await validate({ leaf: "nothing", pool: [], at: new Date(TEST_NOW).toISOString() });
    assert.deepEqual([refused.status, refused.isValid], ["parse_error", false]);
  } finally {
    await server.shutdown();
  }
});
