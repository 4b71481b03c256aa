/** Moving an inventory as the guide describes keeps everything except what the guide names. */

import assert from "node:assert/strict";
import { type Client, type TestApp, testApp } from "../support/app.ts";
import { testDatabase } from "../support/database.ts";
import { CHAIN, pki } from "../support/pki.ts";
import { readExamples } from "./examples.ts";

const CERTIFICATES = "/api/plugins/certmgr/certificates/";
/** Objects that certificates refer to; their ids differ between services. */
const NAMED = [
  ["/api/tenancy/tenants/", { name: "Acme", slug: "acme" }],
  ["/api/extras/tags/", { name: "Production", slug: "production" }],
  ["/api/extras/tags/", { name: "Web", slug: "web" }],
  ["/api/plugins/certmgr/certificate-authorities/", { name: "Chosen", type: "internal" }],
] as const;
/** Fields that the guide says are not moved, and fields that depend on the time or the service. */
const LEFT =
  /^(?:id|url|replaced_by|replacement_reason|expiry_notices|assignment_count|chain_\w+|created|last_updated)$/;

const guide = await Deno.readTextFile(new URL("../../docs/api.md", import.meta.url));
const example = readExamples(guide).find(({ title }) => title === "### Moving an inventory");

function fresh(): Promise<TestApp> {
  return testDatabase().then((database) => testApp({ database }));
}

async function send(
  client: Client,
  method: string,
  path: string,
  { body, status }: { body: unknown; status: number },
): Promise<unknown> {
  const response = await client(path, { method, body });
  const text = await response.text();
  assert.equal(response.status, status, `${path}: ${text}`);
  return JSON.parse(text);
}

/** Creates certificates with every field that a certificate can have. */
async function fill(client: Client): Promise<void> {
  for (const [path, body] of NAMED) await send(client, "POST", path, { body, status: 201 });
  const tags = [{ slug: "production" }, { slug: "web" }];
  const bodies = [
    {
      pem_content: pki.fresh.pem,
      issuer_chain: CHAIN,
      private_key_location: "=vault:web",
      tenant: { slug: "acme" },
      tags,
      issuing_ca: { name: "Chosen" },
      acme_auto_renewal: true,
      expiry_notices: ["45d"],
      status: "pending",
    },
    { pem_content: pki.byAcme.pem },
    {
      common_name: 'A "quoted", name',
      serial_number: "1",
      issuer: "CN=X",
      valid_from: "2026-01-01T01:02:03.123Z",
      valid_to: "2027-01-01",
      fingerprint_sha256: "ab".repeat(32),
      algorithm: "unknown",
      sans: ["one.example", "IP:192.0.2.7"],
      replaced_by: 2,
    },
  ];
  for (const body of bodies) await send(client, "POST", CERTIFICATES, { body, status: 201 });
}

/** Returns what must be the same in both services. */
async function inventory(client: Client): Promise<unknown[]> {
  const { results } = await (await client(`${CERTIFICATES}?include_pem=true`)).json();
  return (results as Record<string, unknown>[]).map((certificate) =>
    Object.fromEntries(
      Object.entries(certificate).filter(([name]) => !LEFT.test(name)).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map(nameOf) : nameOf(value),
      ]),
    )
  );
}

function nameOf(value: unknown): unknown {
  return typeof value === "object" && value !== null ? (value as { name: string }).name : value;
}

for (const format of ["json", "csv"]) {
  Deno.test(`an inventory moved as ${format} is the same in the other service, except for what the guide names`, async () => {
    await using from = await fresh();
    await using to = await fresh();
    const source = await from.as("superuser");
    const target = await to.as("superuser");
    await fill(source);
    const path = (example?.path ?? "").replace("format=json", `format=${format}`);
    const content = await (await source(path)).text();
    const refused = await send(target, "POST", `${CERTIFICATES}bulk-data-import/`, {
      body: { content },
      status: 400,
    }) as { errors: { row: number; field: string }[] };
    assert.deepEqual(
      [...new Set(refused.errors.map(({ row, field }) => `${row} ${field}`))].sort(),
      ["1 issuing_ca", "1 tags", "1 tenant"],
    );
    for (const [path, body] of NAMED) await send(target, "POST", path, { body, status: 201 });
    for (const [created, skipped] of [[3, 0], [0, 3]]) {
      const report = await send(target, "POST", `${CERTIFICATES}bulk-data-import/`, {
        body: { content, on_duplicate: "skip" },
        status: 201,
      }) as Record<string, unknown>;
      assert.deepEqual([report.created_count, report.skipped_count], [created, skipped]);
    }
    assert.deepEqual(await inventory(target), await inventory(source));
  });
}

Deno.test("include_pem has no effect in CSV; pem_content among the fields has", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const header = async (query: string): Promise<string[]> => {
    const text = await (await client(`${CERTIFICATES}export/?format=csv&${query}`)).text();
    return (text.split("\r\n")[0] ?? "").split(",");
  };
  assert.ok(!(await header("include_pem=true")).includes("pem_content"));
  assert.deepEqual(await header("fields=id,pem_content"), ["id", "pem_content"]);
});
