/** The algorithm of a certificate with PEM is that of its key. */

import assert from "node:assert/strict";
import { testApp } from "../../support/app.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { pki } from "../../support/pki.ts";

Deno.test("`unknown` with a PEM becomes the algorithm of its key, in each kind of write", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const { pem } = pki.fresh;
  async function send(
    method: string,
    path: string,
    body: unknown,
  ): Promise<{ id: number; algorithm: string }> {
    const response = await client(path, { method, body });
    assert(response.ok, await response.clone().text());
    return await response.json();
  }
  const { id, algorithm: expected } = await send("POST", PATHS.certificates, { pem_content: pem });
  assert.notEqual(expected, "unknown");
  const unknown = { pem_content: pem, algorithm: "unknown" };
  assert.equal((await send("PATCH", certificate(id), { algorithm: "unknown" })).algorithm, expected);
  assert.equal((await send("PATCH", certificate(id), unknown)).algorithm, expected);
  assert.equal((await send("PUT", certificate(id), unknown)).algorithm, expected);
  const cleared = await send("PATCH", certificate(id), { pem_content: "", algorithm: "unknown" });
  assert.equal(cleared.algorithm, "unknown");
  assert.equal((await send("PATCH", certificate(id), { pem_content: pem })).algorithm, expected);
  await client(certificate(id), { method: "DELETE" });
  assert.equal((await send("POST", PATHS.certificates, unknown)).algorithm, expected);
});

Deno.test("`unknown` with a PEM in a table becomes the algorithm of its key", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const { pem } = pki.fresh;
  const row = { ...await described(client, pem), algorithm: "unknown", pem_content: pem };
  const response = await client(`${PATHS.certificates}bulk-data-import/`, {
    method: "POST",
    body: { content: JSON.stringify([row]) },
  });
  assert.equal(response.status, 201, await response.clone().text());
  const [{ id }] = (await response.json()).certificates;
  assert.notEqual((await (await client(certificate(id))).json()).algorithm, "unknown");
});

/** Returns the required columns of a certificate. */
async function described(
  client: Awaited<ReturnType<Awaited<ReturnType<typeof testApp>>["as"]>>,
  pem: string,
): Promise<Record<string, unknown>> {
  const made = await (await client(PATHS.certificates, { method: "POST", body: { pem_content: pem } }))
    .json();
  await client(certificate(made.id), { method: "DELETE" });
  const { common_name, serial_number, issuer, fingerprint_sha256 } = made;
  return {
    common_name,
    serial_number,
    issuer,
    fingerprint_sha256,
    valid_from: made.valid_from.slice(0, 10),
    valid_to: made.valid_to.slice(0, 10),
  };
}
