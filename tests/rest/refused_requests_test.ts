/**
 * A request that is refused has changed nothing, audit events aside: for every operation that can write, requests with
 * invalid bodies, missing rows, old versions, missing permissions, and results outside the caller's constraints.
 */

import assert from "node:assert/strict";
import { actionsOn, OBJECT_TYPES } from "../../src/auth/mod.ts";
import { resources } from "../../src/domain/registry.ts";
import type { Operation } from "../../src/rest/mod.ts";
import { type Actor, type As, auditor, granted, superuser } from "../support/actors.ts";
import { testApp } from "../support/app.ts";
import { operations } from "../support/operations.ts";
import { pki } from "../support/pki.ts";
import { actions, enableMessages, MISSING, noProbe, storedState } from "../support/rights.ts";
import { sampleOf } from "../support/samples.ts";
import { metadata } from "../support/stored.ts";
import { TEST_NOW } from "../support/test_ca/mod.ts";

/** Valid bodies of operations that name no existing row. */
const BODIES: Readonly<Record<string, readonly unknown[]>> = {
  importCertificate: [
    { pem_content: pki.fresh.pem },
    { pem_content: pki.stored.globex.pem },
    { pem_content: pki.fresh.pem, tenant: MISSING },
  ],
  bulkImportCertificates: [
    [{ pem_content: pki.fresh.pem }, { pem_content: pki.stored.globex.pem }],
    { data: [metadata(1), { ...metadata(2), valid_to: "soon" }] },
    { data: [metadata(1)] },
  ],
  bulkImportCertificateData: [
    { content: JSON.stringify([metadata(1), metadata(1)]) },
    { content: JSON.stringify([metadata(1)]) },
    { content: "nothing" },
  ],
  importCertificateSigningRequest: [{ pem_content: pki.fresh.pem }],
  importEndpoints: [{ content: "a.import.example\nnot a host" }, { content: "a.import.example" }],
  pushObservations: [
    {
      agent: "dmz",
      observations: [
        { host: "a.example", at: "2026-06-15T11:00:00Z", presented: [pki.fresh.pem] },
        { host: "not a host", at: "2026-06-15T11:00:00Z", presented: [pki.fresh.pem] },
      ],
    },
    {
      agent: "dmz",
      observations: [{ host: "a.example", at: "2026-06-15T11:00:00Z", presented: [pki.fresh.pem] }],
    },
  ],
  provisionToken: [{ username: "alice", password: "wrong" }],
};

interface Sent {
  readonly as: As;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const EVERYTHING = OBJECT_TYPES.map((type) => ({ types: [type], actions: actionsOn(type) }));
/** A user who may only view. */
const AUDITOR = auditor();
/** A user who may do everything, with a token that only reads. */
const READER = superuser({ username: "reader", readOnlyToken: true });
/** A user who may view everything, and do with each object type everything that leaves it as it was before this test. */
const KEEPER: Actor = granted([
  { types: OBJECT_TYPES, actions: ["view"] },
  ...EVERYTHING.map(({ types, actions }) => ({
    types,
    actions: actions.filter((action) => action !== "view"),
    constraints: { ["last_updated__lt"]: new Date(TEST_NOW - 1).toISOString() },
  })),
], { username: "keeper" });

/** Returns bodies that differ from a valid one: a field of another type, no field, more fields, no object. */
function* invalid(body: unknown): Generator<unknown> {
  yield* [undefined, [], {}, 5, [body, body], [body, {}], [{}]];
  if (typeof body !== "object" || body === null || Array.isArray(body)) return;
  for (const name of Object.keys(body).slice(0, 6)) {
    for (const value of [{}, "\u0000"]) yield { ...body, [name]: value };
  }
  yield { ...body, unknown_field: 1 };
}

function* requestsOf({ method, path, operationId }: Operation): Generator<Sent> {
  const resource = resources.find((one) => path.startsWith(`/api/${one.path}/`));
  const sample = resource === undefined ? undefined : sampleOf(resource);
  const action = actions.find(({ name }) => name === operationId);
  const callers: As[] = [KEEPER, AUDITOR, READER, "nobody"];
  const id = action?.id ?? sample?.seen ?? 1;
  const bodies = action !== undefined
    ? [action.about(id).body]
    : BODIES[operationId] ?? (method === "POST" && sample?.create !== undefined ? [sample.create(1)] : [{}]);
  const at = (one: number): string => path.replace("{id}", String(one));
  for (const body of bodies) {
    yield { as: "superuser", path: at(id), body, headers: { "if-match": 'W/"1"' } };
    yield { as: "superuser", path: at(MISSING), body };
    for (const wrong of invalid(body)) yield { as: "superuser", path: at(id), body: wrong };
    for (const as of callers) yield { as, path: at(id), body };
  }
  if (action !== undefined && !path.includes("{id}")) {
    yield { as: "superuser", path, body: action.about(MISSING).body };
    const listed = action.about(id).body;
    if (Array.isArray(listed)) {
      yield { as: "superuser", path, body: [...listed, ...action.about(MISSING).body as unknown[]] };
      yield { as: KEEPER, path, body: listed };
    }
  }
}

/** Operations whose form is a file: their tests are in `hostile_bodies_test.ts`. */
const FORMS = operations.filter(({ requestType }) => requestType !== undefined);
const writing = operations.filter((one) => one.method !== "GET" && !FORMS.includes(one));

for (const [tag, some] of Map.groupBy(writing, ({ tag, path }) => `${tag} ${path.split("/")[4] ?? ""}`)) {
  Deno.test(`A refused request has changed nothing: ${tag}`, async () => {
    let app = await testApp({ probe: noProbe });
    const faults: string[] = [];
    const refusals = new Map<string, number>();
    try {
      await enableMessages(app);
      let state = storedState(app.database);
      for (const operation of some) {
        refusals.set(operation.operationId, 0);
        for (const { as, path, body, headers = {} } of requestsOf(operation)) {
          const client = await app.as(as);
          const before = await state();
          const response = await client(path, { method: operation.method, body, headers });
          const text = await response.text();
          const after = await state();
          assert.ok(response.status < 500, `${operation.operationId} ${response.status} ${text}`);
          if (response.status >= 400) {
            refusals.set(operation.operationId, refusals.get(operation.operationId) as number + 1);
            if (after !== before) {
              const who = typeof as === "string" ? as : as.username;
              faults.push(
                `${operation.operationId} as ${who} ${
                  JSON.stringify(body)?.slice(0, 120)
                } → ${response.status} ${text.slice(0, 120)}`,
              );
            }
          }
          if (after !== before && (operation.method === "DELETE" || path.includes("reset"))) {
            // What was accepted may prevent that later requests are refused.
            await app[Symbol.asyncDispose]();
            app = await testApp({ probe: noProbe });
            await enableMessages(app);
            state = storedState(app.database);
          }
        }
      }
    } finally {
      await app[Symbol.asyncDispose]();
    }
    assert.deepEqual(faults, []);
    const untested = [...refusals].filter(([, count]) => count < 3).map(([name]) => name);
    assert.deepEqual(untested, []);
  });
}
