/** A private key is never stored in any field, by any method or in any form, and is never repeated. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createPrivateKey } from "node:crypto";
import { z } from "zod";
import { resources } from "../../src/domain/registry.ts";
import type { Operation } from "../../src/rest/mod.ts";
import { PRIVATE_KEY_MESSAGE } from "../../src/x509/mod.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { seedUser } from "../support/accounts.ts";
import { ask, bodyOf, refused } from "../support/hostile.ts";
import { quickHash } from "../support/quick_hash.ts";
import { operations } from "../support/operations.ts";
import { certificate, PATHS } from "../support/paths.ts";
import { keysInTurn, privateKeys } from "../support/private_keys.ts";
import { sampleOf } from "../support/samples.ts";
import { pkcs7 } from "../support/test_ca/mod.ts";

const writable = resources.filter((resource) => resource.methods.collection.includes("POST"));

const KEYS = await privateKeys();
const someKeys = keysInTurn(KEYS);

for (const resource of writable) {
  Deno.test(`a private key is refused in every field of ${resource.labelPlural}, by every method`, async () => {
    await using app = await testApp();
    const path = `/api/${resource.path}/`;
    const { create, seen } = sampleOf(resource);
    await refused(app, async (client) => {
      const statuses: number[] = [];
      for (const name of [...Object.keys(resource.fields), "custom_fields", "__proto__"]) {
        for (const [kind, key] of someKeys()) {
          const body = bodyOf(create?.(1) ?? {}, [{ name }], JSON.stringify(key));
          const answers = [await ask(client, "POST", path, body)];
          if (kind === "pkcs8") {
            answers.push(await ask(client, "PUT", `${path}${seen}/`, body));
            if (!resource.written?.oneByOne) answers.push(await ask(client, "POST", path, `[${body}]`));
            answers.push(
              await ask(
                client,
                "POST",
                path,
                bodyOf(create?.(1) ?? {}, [{ name }], JSON.stringify([{ a: key }])),
              ),
            );
            if (resource.methods.item.includes("PATCH")) {
              answers.push(await ask(client, "PATCH", `${path}${seen}/`, body));
            }
          }
          for (const { status, text } of answers) {
            assert(text.includes(PRIVATE_KEY_MESSAGE), `${kind} in ${name}: ${status} ${text}`);
            assertNoPart(key, text);
            statuses.push(status);
          }
        }
      }
      return statuses;
    });
    assertNotLogged(app);
  });
}

function assertNotLogged(app: TestApp): void {
  for (const line of app.log) {
    for (const key of Object.values(KEYS)) assertNoPart(key, JSON.stringify(line));
  }
}

/**
 * Asserts that the text has no 24 consecutive characters from the middle of a key, where keys have nothing in common,
 * in upper or lower case.
 */
function assertNoPart(key: string, text: string, where = ""): void {
  const middle = key.slice(Math.floor(key.length / 2) - 12, Math.floor(key.length / 2) + 12);
  const shown = text.toLowerCase();
  for (const part of [middle, JSON.stringify(middle).slice(1, -1)]) {
    assert(!shown.includes(part.toLowerCase()), `A part of a key is shown ${where.slice(0, 200)}`);
  }
}

Deno.test("a private key in place of an id, a filter, a parameter or a name is not repeated", async () => {
  await using app = await testApp();
  await refused(app, async (client) => {
    const statuses: number[] = [];
    for (const key of Object.values(KEYS)) {
      const query = encodeURIComponent(key);
      for (
        const [method, path, body] of [
          ["PATCH", PATHS.tenants, [{ id: key }]],
          ["DELETE", PATHS.tenants, [{ id: key }]],
          ["POST", PATHS.tenants, key],
          ["POST", PATHS.tenants, [key]],
          ["POST", `${PATHS.certificates}import/`, { pem_content: [key] }],
          ["POST", `${PATHS.certificates}export/`, { format: key }],
          ["POST", `${PATHS.certificates}export/`, { ids: [key] }],
          ["GET", `${PATHS.certificates}?status=${query}`],
          ["GET", `${PATHS.certificates}?tenant_id=${query}`],
          ["GET", `${PATHS.certificates}?ordering=${query}`],
          ["GET", `${PATHS.certificates}?fields=${query}`],
          ["GET", `${PATHS.certificates}?limit=${query}`],
          ["GET", `${PATHS.certificates}export/?format=${query}`],
          ["GET", `${PATHS.certificates}?${query}=1`],
          ["GET", `${PATHS.certificates}1/history/?${query}`],
          ["GET", `${PATHS.certificates}export/?format=csv&${query}=`],
          ["GET", `/api/schema/?${query}=1`],
          ["GET", `/certificates/?${query}=1`],
          ["GET", `/graphql/?query=${query}`],
          ["POST", PATHS.webhooks, { [key]: 1 }],
          ["POST", "/graphql/", { query: `{ certificate_list(filters: {${key}: 1}) { id } }` }],
          ["POST", "/graphql/", { query: "{ certificate_list { id } }", [key]: 1 }],
          ["POST", "/graphql/", { query: "{ certificate_list { id } }", variables: { [key]: key } }],
        ] as const
      ) {
        const answer = await ask(
          client,
          method,
          path,
          typeof body === "string" ? JSON.stringify(body) : body,
        );
        assertNoPart(key, answer.text, `${method} ${path}`);
        statuses.push(answer.status);
      }
    }
    return statuses;
  });
});

Deno.test("a private key in the path or the user agent is refused, and neither logged nor recorded", async () => {
  await using app = await testApp();
  await seedUser(app.ctx, "ann", { password_hash: quickHash("correct horse battery") });
  const client = await app.as("superuser");
  for (const [kind, key] of Object.entries(KEYS)) {
    const line = key.replaceAll(/\s+/g, " ");
    for (const path of [`/x/${encodeURIComponent(key)}`, `/api/${encodeURIComponent(key)}/`]) {
      assert.equal((await ask(client, "GET", path)).status, 400, `${kind} ${path}`);
    }
    if (!/^[\x20-\x7e]+$/.test(line)) continue;
    const { status } = await client("/api/users/tokens/provision/", {
      method: "POST",
      body: { username: "ann", password: "wrong" },
      headers: { "user-agent": `x ${line}` },
    });
    assert.equal(status, 400, kind);
  }
  assertNotLogged(app);
  const { results } = await (await client("/api/core/audit-events/?username=ann")).json();
  assert.deepEqual(results, []);
});

/** Operations with a separate body; those of the resources are tested above. */
const ACTIONS = operations.filter(({ method, request }) => method === "POST" && request instanceof z.ZodType);

/** Returns the names of the members of an operation's body. */
function membersOf({ request }: Operation): string[] {
  const schema = z.toJSONSchema(request as z.ZodType, { io: "input", unrepresentable: "any" });
  const forms = [schema, ...schema.anyOf ?? []] as readonly z.core.JSONSchema.JSONSchema[];
  return [...new Set(forms.flatMap(({ properties = {} }) => Object.keys(properties)))];
}

for (const operation of ACTIONS) {
  const members = membersOf(operation);
  if (members.length === 0) continue;
  Deno.test(`a private key is refused and not repeated, in every member of ${operation.operationId}`, async () => {
    await using app = await testApp();
    const path = operation.path.replace("{id}", "1");
    await refused(app, async (client) => {
      const statuses: number[] = [];
      for (const name of members) {
        for (const [kind, key] of Object.entries(KEYS)) {
          for (const value of [key, [key], { name: key }, [{ name: key }]]) {
            if (operation.requestType !== undefined && typeof value !== "string") continue;
            const body = operation.requestType === undefined ? { [name]: value } : formOf(name, key);
            const { status, text } = await ask(client, "POST", path, body);
            assertNoPart(key, text);
            assert.equal(status < 500, true, `${kind} in ${name}`);
            statuses.push(status);
          }
        }
      }
      return statuses;
    });
    assertNotLogged(app);
  });
}

function formOf(name: string, text: string): FormData {
  const form = new FormData();
  form.set(name, name === "file" ? new File([text], "certificates.pem") : text);
  return form;
}

/** Members whose text is stored or parsed, in bodies without any other error. */
const TEXTS: readonly (readonly [path: string, body: (key: string) => unknown, where: string])[] = [
  [`${PATHS.certificates}import/`, (key) => ({ pem_content: key }), "pem_content"],
  [`${PATHS.certificates}import/`, (key) => ({ pem_content: key, split: true }), "pem_content"],
  [`${PATHS.certificates}bulk-import/`, (key) => [{ pem_content: key }], "pem_content"],
  [
    `${PATHS.certificates}bulk-import/`,
    (key) => ({ data: [{ private_key_location: key }] }),
    "private_key_location",
  ],
  [`${PATHS.certificates}bulk-import/`, (key) => ({ data: [{ pem_content: key }] }), "pem_content"],
  [
    `${PATHS.certificates}bulk-data-import/`,
    (key) => ({ content: JSON.stringify([{ issuer_chain: key }]) }),
    "issuer_chain",
  ],
  [
    `${PATHS.certificates}bulk-data-import/`,
    (key) => ({ content: `pem_content\n"${key.replaceAll('"', '""')}"` }),
    "pem_content",
  ],
  [`${PATHS.certificates}import-file/`, (key) => formOf("file", key), "file"],
  [`${PATHS.certificates}import-file/`, (key) => formOf("private_key_location", key), "private_key_location"],
  [`${PATHS.requests}import/`, (key) => ({ pem_content: key }), "pem_content"],
  [certificate(1, "renew/"), (key) => ({ pem_content: key }), "pem_content"],
];

for (const [path, body, where] of TEXTS) {
  Deno.test(`POST ${path} reports every form of key in ${where}`, async () => {
    await using app = await testApp();
    await refused(app, async (client) => {
      const statuses: number[] = [];
      for (const [kind, key] of Object.entries(KEYS)) {
        const { status, text } = await ask(client, "POST", path, body(key));
        assert.equal(status, 400, kind);
        assert(text.includes(where) && text.includes(PRIVATE_KEY_MESSAGE), `${kind}: ${text}`);
        assertNoPart(key, text);
        statuses.push(status);
      }
      return statuses;
    });
    assertNotLogged(app);
  });
}

Deno.test("import-file finds a key in a DER file, in PKCS#7 and in UTF-16 text", async () => {
  await using app = await testApp();
  await refused(app, async (client) => {
    const statuses: number[] = [];
    for (const kind of ["inSan", "inName", "inExtension"]) {
      const pem = KEYS[kind] as string;
      const der = Uint8Array.fromBase64(pem.replace(/-----[A-Z ]+-----|\s/g, ""));
      for (const file of [der, pkcs7([der]), pkcs7([der], { indefinite: true }), utf16(pem)]) {
        const form = new FormData();
        form.set("file", new File([file as BlobPart], "certificates.bin"));
        const { status, text } = await ask(client, "POST", `${PATHS.certificates}import-file/`, form);
        assert.deepEqual(JSON.parse(text), { file: [PRIVATE_KEY_MESSAGE] });
        statuses.push(status);
      }
    }
    return statuses;
  });
});

function utf16(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(`\ufeff${text}`, "utf16le"));
}

Deno.test("a private key as an object, in a list of keys, or as a list of bytes is refused", async () => {
  await using app = await testApp();
  const der = Buffer.from(KEYS.base64!, "base64");
  const jwk = createPrivateKey({ key: der, format: "der", type: "pkcs8" }).export({ format: "jwk" });
  await refused(app, async (client) => {
    const statuses: number[] = [];
    // Neither is a key: the marker has no body, and the body has no head.
    const halves = [
      `${"x ".repeat(10_000)}-----BEGIN PRIVATE KEY-----`,
      KEYS.base64!.slice(-80) + " x".repeat(10_000),
    ];
    for (const value of [jwk, { keys: [jwk] }, { Curve: {}, D: jwk.d, Q: {} }, [...der], halves]) {
      const { status, text } = await ask(client, "PATCH", `${PATHS.tenants}1/`, {
        custom_fields: { note: value },
      });
      assert.deepEqual(JSON.parse(text), { custom_fields: [PRIVATE_KEY_MESSAGE] });
      statuses.push(status);
    }
    return statuses;
  });
});
