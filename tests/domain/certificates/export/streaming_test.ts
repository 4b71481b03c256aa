import assert from "node:assert/strict";
import type { Context } from "../../../../src/auth/mod.ts";
import {
  EXPORT_LONG_PAGE_ROWS,
  EXPORT_PAGE_ROWS,
} from "../../../../src/domain/certificates/export/fields.ts";
import type { Database } from "../../../../src/db/mod.ts";
import { certificates } from "../../../../src/domain/certificates/mod.ts";
import { exportCertificates } from "../../../../src/domain/certificates/export/export_certificates.ts";
import { createObjects } from "../../../../src/resource/mod.ts";
import { keyOf } from "../../../support/actors.ts";
import { testApp } from "../../../support/app.ts";
import { testContext } from "../../../support/context.ts";
import { testDatabase } from "../../../support/database.ts";
import { PATHS } from "../../../support/paths.ts";
import { exportByGet, NAMES } from "./support.ts";

const LONG_NAME = "x".repeat(400);

/** Stores certificates of some 1,000 characters each. */
async function fill(ctx: Context, { from, count }: { from: number; count: number }): Promise<void> {
  const input = Array.from({ length: count }, (_, index) => ({
    common_name: `host-${from + index}.${LONG_NAME}`,
    serial_number: (0xa0000 + from + index).toString(16),
    issuer: `CN=${LONG_NAME}`,
    valid_from: "2026-01-01",
    valid_to: "2026-12-31",
    fingerprint_sha256: (from + index).toString(16).padStart(64, "b"),
    algorithm: "rsa",
  }));
  await createObjects({ ctx, resource: certificates, input });
}

Deno.test("an export takes as many statements for one row as for a full page, and one more for each further page", async () => {
  await using database = await testDatabase();
  const ctx = testContext({ database });
  const statements = async (query: string): Promise<number> => {
    const before = database.statements;
    const { text } = await exportCertificates({ ctx, params: new URLSearchParams(query) });
    await Array.fromAsync(text);
    return database.statements - before;
  };
  const wide = "fields=id,tenant,tags,assignment_count,issuing_ca,sans";
  await fill(ctx, { from: 0, count: 1 });
  const one = await statements(wide);
  await fill(ctx, { from: 1, count: EXPORT_PAGE_ROWS });
  assert.equal(await statements(`${wide}&id__lt=${EXPORT_PAGE_ROWS}`), one);
  assert.equal(await statements(wide), one + 1);
  assert.equal(await statements(`include_pem=true&id__lt=${EXPORT_LONG_PAGE_ROWS}`), one);
  assert.equal(await statements(`include_pem=true&id__lt=${2 * EXPORT_LONG_PAGE_ROWS}`), one + 1);
});

/** Makes reading fail after this number of pages. */
function failAfter(database: Database, pages: number): void {
  const all = database.all.bind(database);
  let read = 0;
  database.all = (query) => {
    const text = JSON.stringify(query, (key, value) => key === "table" ? undefined : value);
    if (text.includes("ORDER BY certificates.id LIMIT") && read++ === pages) throw new Error("Disk is gone");
    return all(query);
  };
}

for (const format of NAMES) {
  Deno.test(`${format}: an export that fails in the middle is cut off, never completed, and the log has the reason`, async () => {
    await using app = await testApp();
    await fill(app.ctx, { from: 0, count: EXPORT_PAGE_ROWS });
    await app.as("superuser");
    // Bundles are read in smaller pages, and comments are short.
    failAfter(app.database, format === "pem" ? 6 : 1);
    const path = `${PATHS.certificates}export/?format=${format}`;
    await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, app.app.fetch);
    const { port } = server.addr;
    const answer = await readRaw(port, path);
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert(answer.length > 10_000, "A part was sent");
    assert(!answer.endsWith("0\r\n\r\n"), "The last chunk would say that it is whole");
    const [line] = app.log.filter(({ level }) => level === "error");
    assert.match(String(line?.error), /Disk is gone/);
    assert.match(answer, new RegExp(`x-request-id: ${line?.request_id}`, "i"));
  });

  Deno.test(`${format}: an export that fails at its first statement answers 500`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    failAfter(app.database, 0);
    const response = await exportByGet(client, { format });
    assert.equal(response.status, 500);
    assert.equal((await response.json()).detail, "Internal server error.");
  });
}

Deno.test("the reason why an export was cut off is one line of JSON with the id of the request", async () => {
  await using app = await testApp();
  await fill(app.ctx, { from: 0, count: EXPORT_PAGE_ROWS });
  const client = await app.as("superuser");
  failAfter(app.database, 1);
  const response = await exportByGet(client, { format: "json" });
  const error = await response.text().catch((error: unknown) => error);
  assert.ok(error instanceof Error);
  assert.deepEqual(JSON.parse(Deno.inspect(error)), {
    level: "error",
    event: "broken_off",
    request_id: response.headers.get("x-request-id"),
  });
});

/** Returns the complete response of a server to one request, with its framing. */
async function readRaw(port: number, path: string): Promise<string> {
  using connection = await Deno.connect({ port, hostname: "127.0.0.1" });
  const head = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Token ${
    keyOf("superuser")
  }\r\n\r\n`;
  await connection.write(new TextEncoder().encode(head));
  let text = "";
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(64 * 1024);
  try {
    for (;;) {
      const read = await connection.read(buffer);
      if (read === null) return text;
      text += decoder.decode(buffer.subarray(0, read), { stream: true });
    }
  } catch {
    return text; // the connection was reset
  }
}
