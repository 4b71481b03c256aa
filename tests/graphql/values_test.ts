/** Compares the values of every resource with those of REST, which has no further ones. */

import assert from "node:assert/strict";
import { buildSchema, getNamedType, type GraphQLObjectType, isLeafType } from "graphql";
import { SCHEMA_RESOURCES, schemaText } from "../../src/graphql/mod.ts";
import { testApp } from "../support/app.ts";
import { callJson } from "../support/call_json.ts";
import { ask, data } from "./support.ts";

type Json = Record<string, unknown>;

const schema = buildSchema(schemaText());

/** Returns the names of the fields of a type that are values. */
function valuesOf(type: string): string[] {
  const fields = Object.values((schema.getType(type) as GraphQLObjectType).getFields());
  return fields.filter((field) => field.args.length === 0 && isLeafType(getNamedType(field.type)))
    .map(({ name }) => name);
}

/** Returns the value of a choice with a label. */
function plain(value: unknown): unknown {
  const labelled = typeof value === "object" && value !== null && "value" in value && "label" in value;
  return labelled ? value.value : value;
}

for (const { name, type, resource } of SCHEMA_RESOURCES) {
  Deno.test(`${name}_list has the values of REST`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    const archived = "archived" in resource.fields ? "&archived=any" : "";
    const path = `/api/${resource.path}/?limit=0&include_pem=true&ordering=id${archived}`;
    const { results } = await callJson(client, path) as { results: Json[] };
    assert.ok(results.length > 0, "the seed has none");
    const values = valuesOf(type);
    const filters = archived === "" ? "" : `filters: {archived: "any"}, `;
    const found = await data(
      client,
      `{ rows: ${name}_list(${filters}ordering: ["id"], pagination: {limit: 0}) { ${values.join(" ")} } }`,
    );
    // Long texts are part of REST's lists only on request.
    const shown = values.filter((value) => results.every((row) => value in row));
    assert.ok(shown.length >= values.length - 3, `REST shows ${shown.length} of ${values.length} values`);
    const only = (row: Json): Json => Object.fromEntries(shown.map((value) => [value, plain(row[value])]));
    assert.deepEqual(found.rows.map(only), results.map(only));
  });
}

const SECRETS = /s3cret|scrypt|whsec_|_hash/;

Deno.test("no field and no value is a secret", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const made = await client("/api/plugins/certmgr/notification-channels/", {
    method: "POST",
    body: {
      name: "Chat",
      kind: "slack",
      settings: { url: "https://hooks.example/s3cret/path" },
    },
  });
  assert.equal(made.status, 201, await made.clone().text());
  const hook = await client("/api/extras/webhooks/", {
    method: "POST",
    body: {
      name: "Hook",
      object_types: ["certmgr.certificate"],
      events: ["created"],
      payload_url: "https://hooks.example/",
      secret: "s3cret-s3cret-s3cret-s3cret",
      additional_headers: { "X-Key": "s3cret" },
    },
  });
  assert.equal(hook.status, 201, await hook.clone().text());
  for (const { name, type } of SCHEMA_RESOURCES) {
    const values = valuesOf(type);
    assert.deepEqual(values.filter((value) => /^(?:secret|password)$/.test(value)), [], type);
    const { rows } = await data(client, `{ rows: ${name}_list { ${values.join(" ")} } }`);
    assert.doesNotMatch(JSON.stringify(rows), SECRETS, name);
  }
  for (const field of ["user { password }", "webhook { secret }", "notification_channel { secret }"]) {
    const [root, rest] = [field.slice(0, field.indexOf(" ")), field.slice(field.indexOf(" "))];
    const { errors } = await ask(client, `{ ${root}(id: 1)${rest} }`);
    assert.match(errors?.[0]?.message ?? "", /^Cannot query field/);
  }
});
