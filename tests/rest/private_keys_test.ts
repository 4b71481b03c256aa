/** A private key is never stored: not in any field, by any method, in any form; and it is never repeated. */

import assert from "node:assert/strict";
import { resources } from "../../src/features/registry.ts";
import { PRIVATE_KEY_MESSAGE } from "../../src/x509/mod.ts";
import { testApp } from "../support/app.ts";
import { ask, bodyOf, refused } from "../support/hostile.ts";
import { PATHS } from "../support/paths.ts";
import { privateKeys } from "../support/private_keys.ts";
import { sampleOf } from "../support/samples.ts";

const writable = resources.filter((resource) => resource.methods.collection.includes("POST"));

const KEYS = await privateKeys();

for (const resource of writable) {
  Deno.test(`a private key is refused in every field of a ${resource.label}, by every method`, async () => {
    await using app = await testApp();
    const path = `/api/${resource.path}/`;
    const { create, seen } = sampleOf(resource);
    await refused(app, async (client) => {
      const statuses: number[] = [];
      for (const name of [...Object.keys(resource.fields), "custom_fields", "__proto__"]) {
        for (const [kind, key] of Object.entries(KEYS)) {
          const body = bodyOf(create?.(1) ?? {}, [{ name }], JSON.stringify(key));
          const answers = [await ask(client, "POST", path, body)];
          if (kind === "pkcs8") {
            answers.push(await ask(client, "PUT", `${path}${seen}/`, body));
            answers.push(await ask(client, "POST", path, `[${body}]`));
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
    for (const line of app.log) {
      for (const key of Object.values(KEYS)) assertNoPart(key, JSON.stringify(line));
    }
  });
}

/** No run of 24 characters out of the middle of a key, where nothing is common to all keys, is in the text. */
function assertNoPart(key: string, text: string): void {
  const middle = key.slice(Math.floor(key.length / 2) - 12, Math.floor(key.length / 2) + 12);
  assert(
    !text.includes(middle) && !text.includes(JSON.stringify(middle).slice(1, -1)),
    "A part of a key is shown",
  );
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
        ] as const
      ) {
        const answer = await ask(
          client,
          method,
          path,
          typeof body === "string" ? JSON.stringify(body) : body,
        );
        assertNoPart(key, answer.text);
        statuses.push(answer.status);
      }
    }
    return statuses;
  });
});
