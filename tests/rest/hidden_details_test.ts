/** What the service derives from an object that the caller may not view reads as if the object did not exist. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { OBJECT_TYPES } from "../../src/auth/mod.ts";
import { type Actor, granted } from "../support/actors.ts";
import { type Client, testApp } from "../support/app.ts";
import { pki } from "../support/pki.ts";
import { seed } from "../support/seed.ts";
import { NEXT_CERTIFICATE, storeCertificates } from "../support/stored.ts";
import { browserOf } from "../web/imports/browser.ts";

const ROOT = "/api/plugins/certmgr";

/** Returns a user who may view and change everything but the objects of a type with these ids. */
function allBut(type: string, ids: readonly number[]): Actor {
  const actions = ["view", "change", "import"];
  return granted([
    { types: OBJECT_TYPES.filter((other) => other !== type), actions },
    { types: [type], actions, constraints: { id__n: ids } },
  ]);
}

async function json(
  client: Client,
  path: string,
  method = "GET",
  body?: unknown,
  // deno-lint-ignore no-explicit-any
): Promise<any> {
  const response = await client(path, {
    method,
    ...(body === undefined ? {} : { body }),
  });
  assert.equal(
    response.status,
    200,
    `${path} ${await response.clone().text()}`,
  );
  return await response.json();
}

Deno.test("A chain ends below a hidden authority, and the stored result does not depend on the caller", async () => {
  await using app = await testApp();
  await storeCertificates(app, [{
    pem_content: pki.fresh.pem,
    issuer_chain: pki.issuing.pem,
  }]);
  await app.database.write((tx) =>
    tx.run(
      sql`UPDATE certificate_authorities SET pem_content = ${pki.root.pem}, last_updated = 7
               WHERE id = ${seed.authorities.internal}`,
    )
  );
  const path = `${ROOT}/certificates/${NEXT_CERTIFICATE}`;
  const actor = allBut("certmgr.certificateauthority", [
    seed.authorities.internal,
  ]);
  const results = [];
  for (const as of ["superuser", actor] as const) {
    const { anchor, chain_depth, certificates } = await json(
      await app.as(as),
      `${path}/validate-chain/`,
      "POST",
    );
    const { chain_status, chain_depth: stored } = await json(
      await app.as(as),
      `${path}/`,
    );
    const { html } = await (await (as === "superuser" ? browserOf(app) : browserOf(app, as)))
      .get(`/certificates/${NEXT_CERTIFICATE}/`);
    results.push([
      anchor,
      chain_depth,
      certificates.length,
      chain_status,
      stored,
      html.includes("a tracked authority"),
    ]);
  }
  assert.deepEqual(results, [
    ["tracked_ca", 3, 3, "valid", 3, true],
    ["none", 2, 2, "valid", 3, false],
  ]);
});

Deno.test("discovered_via is empty for callers who may not view the endpoint", async () => {
  await using app = await testApp();
  const [endpoint, certificate] = [1, seed.certificates.acmeWeb];
  const { display } = await json(await app.as("superuser"), `${ROOT}/endpoints/${endpoint}/`);
  const via = `agent:edge endpoint ${display}`;
  await app.database.write((tx) =>
    tx.run(
      sql`UPDATE certificates SET discovered_via = ${via}, discovered_at_id = ${endpoint}, last_updated = 7
        WHERE id = ${certificate}`,
    )
  );
  const host = display.split(":")[0];
  const counts = [];
  for (const [username, hidden, shown] of [["a", endpoint + 1, via], ["b", endpoint, ""]] as const) {
    const actor = { ...allBut("certmgr.endpoint", [hidden]), username };
    const client = await app.as(actor);
    const path = `${ROOT}/certificates/`;
    assert.equal((await json(client, `${path}${certificate}/`)).discovered_via, shown);
    for (
      const filter of [`discovered_via=${host}`, `discovered_via__ic=${host}`, "discovered_via__empty=false"]
    ) {
      counts.push((await json(client, `${path}?${filter}`)).count);
    }
    const query = `{ certificate(id: ${certificate}) { discovered_via } }`;
    const { data } = await json(client, "/graphql/", "POST", { query });
    assert.equal(data.certificate.discovered_via, shown);
    const csv = await (await client(`${path}export/?format=csv&fields=id,discovered_via`)).text();
    assert.equal(csv.includes(via), shown !== "");
    const [first] = (await json(client, `${path}?ordering=-discovered_via&fields=id`)).results;
    assert.equal(first.id === certificate, shown !== "");
    const { html } = await (await browserOf(app, actor)).get(`/certificates/${certificate}/`);
    if (shown === "") assert.ok(!html.includes(`agent:edge endpoint`));
  }
  assert.deepEqual(counts, [1, 1, 1, 0, 0, 0]);
});
