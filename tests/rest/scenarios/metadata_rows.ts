/** Metadata rows: columns, required ones, and the stored values. */

import assert from "node:assert/strict";
import { certificate, PATHS } from "../../support/paths.ts";
import { CHAIN, pki } from "../../support/pki.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";
import { metadata, NEXT_CERTIFICATE } from "../../support/stored.ts";

const BULK_DATA = `${PATHS.certificates}bulk-data-import/`;

/** Fields by name. */
type Body = Readonly<Record<string, unknown>>;

/** A row of metadata as the specification has it: dates without a time. */
const ROW: Body = { ...metadata(1), valid_to: "2026-12-31" };
const REQUIRED = [
  "common_name",
  "serial_number",
  "issuer",
  "valid_from",
  "valid_to",
  "fingerprint_sha256",
  "algorithm",
];

function csvOf(row: Body): string {
  const cells = Object.values(row).map((value) => `"${Array.isArray(value) ? value.join(";") : value}"`);
  return `${Object.keys(row).join(",")}\n${cells.join(",")}\n`;
}

for (const name of REQUIRED) {
  const row = Object.fromEntries(Object.entries(ROW).filter(([key]) => key !== name));
  scenario(`Metadata rows: ${name} is required`, {
    as: "superuser",
    post: BULK_DATA,
    body: { content: JSON.stringify([row]) },
    status: 400,
    json: (body) => {
      assert.equal(typeof body.detail, "string");
      assert.deepEqual(body.errors.map((one: { field: string }) => one.field), [name]);
      assert.deepEqual(Object.keys(body.errors[0]), ["row", "field", "message"]);
    },
  });
}
const REQUIRED_ROW = Object.fromEntries(REQUIRED.map((name) => [name, ROW[name]]));
const OPTIONAL: readonly (readonly [title: string, name: string, value: unknown, read: unknown])[] = [
  ["key_size", "key_size", 3072, 3072],
  ["status", "status", "pending", "pending"],
  ["sans", "sans", ["a.example", "b.example"], ["a.example", "b.example"]],
  ["the tenant's name", "tenant", "Acme Corp", seed.tenants.acme],
  ["the tenant's id", "tenant", seed.tenants.globex, seed.tenants.globex],
  ["private_key_location", "private_key_location", "vault:row", "vault:row"],
  ["pem_content", "pem_content", pki.fresh.pem, pki.fresh.pem],
  ["issuer_chain", "issuer_chain", CHAIN, CHAIN],
];
for (const [what, name, value, read] of OPTIONAL) {
  const row = { ...REQUIRED_ROW, [name]: value };
  for (const [form, content] of [["CSV", csvOf(row)], ["JSON", JSON.stringify([row])]] as const) {
    for (const format of [form.toLowerCase(), "auto", undefined]) {
      importsRow(`${what} in ${form}, format ${format ?? "not given"}`, {
        body: { content, format },
        reads: { [name]: read },
      });
    }
  }
}
for (const algorithm of ["ecdsa", "ed25519", "rsa", "unknown"]) {
  importsRow(`the algorithm ${algorithm}, and nothing that is optional`, {
    body: { content: csvOf({ ...REQUIRED_ROW, algorithm }) },
    reads: { algorithm, status: "active", valid_from: "2026-01-01T00:00:00Z" },
  });
}

/** Registers a scenario that imports a row and reads the stored object. */
function importsRow(title: string, { body, reads }: { body: Body; reads: Body }): void {
  scenario(`Metadata rows: ${title}`, {
    as: "superuser",
    before: async (app) => {
      const chief = await app.as("superuser");
      const answer = await chief(BULK_DATA, { method: "POST", body });
      const { created_count, skipped_count, certificates } = await answer.json();
      assert.deepEqual([answer.status, created_count, skipped_count], [201, 1, 0]);
      assert.deepEqual(Object.keys(certificates[0]), ["id", "common_name", "serial_number", "status"]);
    },
    get: certificate(NEXT_CERTIFICATE),
    status: 200,
    json: (object) => {
      for (const [name, value] of Object.entries(reads)) {
        assert.deepEqual(name === "tenant" ? object.tenant.id : object[name], value, name);
      }
    },
  });
}
