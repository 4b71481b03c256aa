/**
 * With a libSQL server, the cost of a request is the number of its round trips: few, and independent of the number of
 * rows.
 */

import assert from "node:assert/strict";
import type { RemoteDatabase } from "../../src/db/remote_client.ts";
import { managerOf } from "../support/actors.ts";
import { type Ask, type Client, testApp } from "../support/app.ts";
import { useServers } from "../support/database.ts";
import { PATHS } from "../support/paths.ts";
import { pki } from "../support/pki.ts";
import { metadata } from "../support/stored.ts";

await useServers();

const { certificates, tenants } = PATHS;
const QUERY = "{ certificate_list { id tenant { name } assignments { id assigned_object { __typename } } } }";

function post(body: unknown): Ask {
  return { method: "POST", body };
}

/** Kinds of requests with their maximum number of round trips; repeated paths run in this order. */
const KINDS: readonly (readonly [kind: string, most: number, path: string, ask?: Ask])[] = [
  ["a first list", 3, certificates],
  ["a list whose count is known", 1, certificates],
  ["a search", 3, `${certificates}?q=web&ordering=-valid_to`],
  ["a detail", 1, `${certificates}2/`],
  ["a GraphQL query of three levels", 3, "/graphql/", post({ query: QUERY })],
  ["an export", 2, `${certificates}export/?format=csv`],
  ["a created object", 7, tenants, post({ name: "One", slug: "one" })],
  ["a created object with tags", 8, tenants, post({ name: "Two", slug: "two", tags: [{ slug: "prod" }] })],
  ["a created certificate", 7, certificates, post(metadata(1))],
  [
    "a hundred created certificates",
    7,
    certificates,
    post(Array.from({ length: 100 }, (_, n) => metadata(n + 2))),
  ],
  ["an import", 8, `${certificates}import/`, post({ pem_content: pki.fresh.pem })],
  ["a change", 6, `${certificates}2/`, { method: "PATCH", body: { private_key_location: "hsm", tags: [1] } }],
  ["a change of two", 5, certificates, {
    method: "PATCH",
    body: [{ id: 1, private_key_location: "a" }, { id: 2, private_key_location: "b" }],
  }],
  ["a change that changes nothing", 4, `${certificates}2/`, {
    method: "PATCH",
    body: { private_key_location: "b" },
  }],
  ["a new status of many", 5, `${certificates}bulk-status-update/`, post({ ids: [2, 3], status: "revoked" })],
  // One of them records the run.
  ["a sweep", 9, `${certificates}expiry-sweep/`, post({})],
  ["a deletion that others depend on", 19, `${certificates}1/`, { method: "DELETE" }],
];

/** Sends a request and returns the number of its round trips. */
async function tripsOf(
  database: RemoteDatabase,
  client: Client,
  [path, ask]: readonly [string, Ask?],
): Promise<number> {
  const before = database.roundTrips;
  const response = await client(path, ask);
  const text = await response.text();
  assert(response.ok, `${ask?.method ?? "GET"} ${path} → ${response.status} ${text}`);
  return database.roundTrips - before;
}

Deno.test("each kind of request waits for the server at most the known number of times", async (t) => {
  await using app = await testApp();
  const database = app.database as unknown as RemoteDatabase;
  const client = await app.as("superuser");
  await tripsOf(database, client, ["/api/status/"]); // the token is cached from now on
  for (const [kind, most, path, ask] of KINDS) {
    await t.step(`${kind}: ${most}`, async () => {
      const trips = await tripsOf(database, client, ask === undefined ? [path] : [path, ask]);
      assert(trips >= 1 && trips <= most, `${kind} waited ${trips} times, expected at most ${most}`);
    });
  }
});

Deno.test("restrictions need no additional round trip", async () => {
  await using app = await testApp();
  const database = app.database as unknown as RemoteDatabase;
  const client = await app.as(managerOf("acme"));
  await tripsOf(database, client, [`${certificates}2/`]);
  assert.equal(await tripsOf(database, client, [`${certificates}2/`]), 1);
  assert.equal(await tripsOf(database, client, [certificates]), 3);
});
