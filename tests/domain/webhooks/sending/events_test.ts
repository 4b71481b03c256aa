/** Messages about requests over REST. */

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { sql } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { expirySweep } from "../../../../src/domain/certificates/status/expiry_sweep.ts";
import { type Client, type TestApp, testApp } from "../../../support/app.ts";
import { callJson } from "../../../support/call_json.ts";
import { WHOLE_CERTIFICATE } from "../../../support/certificate_bodies.ts";
import { certificate, PATHS } from "../../../support/paths.ts";
import { CHAIN, pki } from "../../../support/pki.ts";
import { seed } from "../../../support/seed.ts";
import { metadata, NEXT_CERTIFICATE, storeCertificates } from "../../../support/stored.ts";
import { buildRequest } from "../../../support/test_ca/mod.ts";
import { addWebhook, drain, type Receiver, receiver } from "./support.ts";

const REQUEST = await buildRequest({ subject: "O=Acme Corp, CN=soon.acme.example" });

/** Returns a seeded application with one webhook and no pending messages. */
async function applicationWithWebhook(
  own: Parameters<typeof addWebhook>[1] = {},
): Promise<{ app: TestApp; received: Receiver }> {
  const app = await testApp();
  await forget(app);
  await app.database.write((tx) => tx.run(sql`DELETE FROM webhooks`));
  await addWebhook(app.database, own);
  return { app, received: receiver() };
}

/** Deletes earlier events, so that they are not delivered. */
async function forget({ database }: TestApp): Promise<void> {
  await database.write((tx) => tx.run(sql`UPDATE outbox SET state = 'done'`));
}

/** Sends requests as a superuser and returns the messages about them. */
async function after(
  app: TestApp,
  received: Receiver,
  act: (client: Client) => Promise<unknown>,
  // deno-lint-ignore no-explicit-any -- what a test looks at is what it says
): Promise<any[]> {
  await act(await app.as("superuser"));
  await drain(app.ctx, received);
  // Messages about different objects arrive in any order.
  return received.bodies.toSorted((a, b) =>
    a.object_type.localeCompare(b.object_type) || a.data.id - b.data.id
  );
}

Deno.test("a message about a certificate has exactly the specified data, with user, action and time", async () => {
  const { app, received } = await applicationWithWebhook();
  await using _app = app;
  const [{ id, snapshots, request_id, ...body }] = await after(
    app,
    received,
    (client) => callJson(client, PATHS.certificates, "POST", WHOLE_CERTIFICATE),
  );
  assert.match(id, /^msg_\w{26}$/);
  assert.match(request_id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(body, {
    event: "created",
    timestamp: "2026-06-15T12:00:00Z",
    model: "certificate",
    object_type: "certmgr.certificate",
    username: "chief",
    data: {
      id: NEXT_CERTIFICATE,
      common_name: "new.example",
      status: "active",
      valid_to: "2026-12-31T00:00:00Z",
      days_remaining: 199,
    },
  });
  assert.equal(snapshots.prechange, null);
  assert.equal(snapshots.postchange.issuer, "CN=Some CA");
});

Deno.test("messages about assignments and signing requests have their own data", async () => {
  const { app, received } = await applicationWithWebhook();
  await using _app = app;
  const [assigned, requested] = await after(app, received, async (client) => {
    await callJson(client, PATHS.assignments, "POST", {
      certificate: seed.certificates.acmeWeb,
      assigned_object_type: "dcim.device",
      assigned_object_id: seed.devices.spare,
      is_primary: true,
    });
    await callJson(client, `${PATHS.requests}import/`, "POST", {
      pem_content: REQUEST.pem,
      requested_by: "jo",
    });
  });
  assert.deepEqual([assigned.model, requested.model], ["certificateassignment", "certificatesigningrequest"]);
  assert.deepEqual(Object.keys(assigned.data), [
    "id",
    "certificate",
    "assigned_object_type",
    "assigned_object_id",
    "is_primary",
  ]);
  assert.equal(assigned.data.certificate, seed.certificates.acmeWeb);
  assert.deepEqual(Object.keys(requested.data), ["id", "common_name", "status", "requested_by", "target_ca"]);
});

Deno.test("no message has a PEM text, neither the old nor the new one", async () => {
  const { app, received } = await applicationWithWebhook();
  await using _app = app;
  const body = { pem_content: pki.fresh.pem + CHAIN };
  await after(app, received, async (client) => {
    const { id } = await callJson(client, `${PATHS.certificates}import/`, "POST", body);
    await drain(app.ctx, received);
    await callJson(client, certificate(id), "PATCH", { issuer_chain: "" });
    await callJson(client, `${PATHS.requests}import/`, "POST", { pem_content: REQUEST.pem });
    await drain(app.ctx, received);
    await callJson(client, certificate(id), "DELETE");
  });
  assert.deepEqual(received.bodies.map(({ event }) => event), ["created", "updated", "created", "deleted"]);
  for (const { body } of received.requests) assert.doesNotMatch(body, /BEGIN|MII/);
});

const SECRETS = [
  ["a text", "correct horse battery staple"],
  ["a key in base64", `whsec_${new Uint8Array(32).fill(7).toBase64()}`],
] as const;

for (const [title, secret] of SECRETS) {
  Deno.test(`a receiver verifies both signatures with ${title} as secret, and detects a changed body`, async () => {
    const { app, received } = await applicationWithWebhook({
      secret,
      additional_headers: '{"X-Api-Key":"k"}',
    });
    await using _app = app;
    app.clock.advance(Date.now() - app.clock.now());
    await after(
      app,
      received,
      (client) => callJson(client, certificate(1), "PATCH", { sans: ["ü.example"] }),
    );
    const [{ headers, body }] = received.requests as [Receiver["requests"][number]];
    const verifier = secret.startsWith("whsec_")
      ? new Webhook(secret)
      : new Webhook(secret, { format: "raw" });
    assert.deepEqual(verifier.verify(body, { ...headers }), JSON.parse(body));
    assert.throws(() => verifier.verify(body.replace("ü", "u"), { ...headers }));
    assert.equal(headers["x-hook-signature"], createHmac("sha512", secret).update(body).digest("hex"));
    assert.deepEqual([headers["content-type"], headers["X-Api-Key"]], ["application/json", "k"]);
    for (const line of app.log) assert.ok(!JSON.stringify(line).includes(secret));
  });
}

Deno.test("of a response that repeats the request, the log has everything except secrets", async () => {
  const secret = "correct horse battery staple";
  const { app } = await applicationWithWebhook({
    secret,
    additional_headers: '{"X-Api-Key":"key-of-the-house","X-Env":"lab"}',
  });
  await using _app = app;
  const echo = receiver(({ headers }) => ({ status: 400, body: `lab ${JSON.stringify(headers)} ${secret}` }));
  await after(app, echo, (client) => callJson(client, certificate(1), "PATCH", { status: "revoked" }));
  const [row] = await app.database.all<{ response_body: string }>(
    sql`SELECT response_body FROM webhook_deliveries ORDER BY id DESC LIMIT 1`,
  );
  assert.match(row?.response_body ?? "", /^lab \{.*"X-Api-Key":"\[concealed\]".*\} \[concealed\]$/);
  assert.doesNotMatch(row?.response_body ?? "", /key-of-the-house|battery/);
});

Deno.test("without a secret a message is not signed, but has its id and time", async () => {
  const { app, received } = await applicationWithWebhook();
  await using _app = app;
  await after(app, received, (client) => callJson(client, certificate(1), "PATCH", { status: "revoked" }));
  const { headers } = received.requests[0] as Receiver["requests"][number];
  assert.deepEqual(
    Object.keys(headers).sort(),
    ["content-type", "user-agent", "webhook-id", "webhook-timestamp"],
  );
});

/** Requests and their messages: `event model id`. */
const ACTS: readonly (readonly [
  title: string,
  act: (client: Client, app: TestApp) => Promise<unknown>,
  messages: string[],
])[] = [
  ["a change of one field", (client) => callJson(client, certificate(1), "PATCH", { status: "pending" }), [
    "updated certificate 1",
  ]],
  [
    "a change that changes nothing",
    (client) => callJson(client, certificate(1), "PATCH", { status: "active" }),
    [],
  ],
  ["a refused request", async (client) => {
    assert.equal((await client(certificate(1), { method: "PATCH", body: { status: "lost" } })).status, 400);
  }, []],
  ["a bulk call of which one row is refused", async (client) => {
    const body = [{ id: 1, status: "pending" }, { id: 2, status: "lost" }];
    assert.equal((await client(PATHS.certificates, { method: "PATCH", body })).status, 400);
  }, []],
  ["a bulk call", async (client) => {
    await callJson(client, `${PATHS.certificates}bulk-status-update/`, "POST", {
      ids: [1, 2],
      status: "pending",
    });
  }, ["updated certificate 1", "updated certificate 2"]],
  [
    "a chain result, and the same once more",
    async (client) => {
      for (let n = 0; n < 2; n++) await callJson(client, certificate(1, "validate-chain/"), "POST");
    },
    ["updated certificate 1"],
  ],
  ["the detection of ACME", async (client, app) => {
    await app.database.write((tx) =>
      tx.run(sql`UPDATE certificates SET issuer = 'O=ZeroSSL, CN=x' WHERE id = 1`)
    );
    await callJson(client, certificate(1, "detect-acme/"), "POST");
  }, ["updated certificate 1"]],
  ["the expiry sweep", async (_client, { ctx, database, clock }) => {
    await database.write((tx) =>
      tx.runAll([
        sql`UPDATE certificates SET status = 'expired' WHERE valid_to < ${clock.now()}`,
        sql`UPDATE certificates SET valid_to = ${clock.now() - 1} WHERE id = 1`,
      ])
    );
    await expirySweep({ ctx });
  }, ["updated certificate 1"]],
  [
    "an import of a certificate with its chain",
    (client) =>
      callJson(client, `${PATHS.certificates}import/`, "POST", { pem_content: pki.fresh.pem + CHAIN }),
    [
      `created certificate ${NEXT_CERTIFICATE}`,
    ],
  ],
];

for (const [title, act, messages] of ACTS) {
  Deno.test(`${title} is reported as ${messages.join(" and ") || "nothing"}`, async () => {
    const { app, received } = await applicationWithWebhook();
    await using _app = app;
    const bodies = await after(app, received, (client) => act(client, app));
    assert.deepEqual(bodies.map(({ event, model, data }) => `${event} ${model} ${data.id}`), messages);
  });
}

Deno.test("a deletion is reported with the objects that it deletes or changes, and with the deleted values", async () => {
  const { app, received } = await applicationWithWebhook();
  await using _app = app;
  const { assignment_count } = await callJson(await app.as("superuser"), certificate(1));
  assert.ok(assignment_count > 0);
  const bodies = await after(app, received, (client) => callJson(client, certificate(1), "DELETE"));
  assert.deepEqual(bodies.map(({ event, model }) => `${event} ${model}`), [
    "deleted certificate",
    // It was the successor of another certificate, and the result of a signing request.
    "updated certificate",
    ...Array(assignment_count).fill("deleted certificateassignment"),
    "updated certificatesigningrequest",
  ]);
  assert.equal(bodies[0].data.common_name, "www.acme.example");
  assert.equal(bodies[0].snapshots.postchange, null);
});

Deno.test("a renewal is reported once for each object that it changes", async () => {
  const { app, received } = await applicationWithWebhook();
  await using _app = app;
  const successor = metadata(1, {
    common_name: "www.acme.example",
    tenant: { slug: "acme" },
    valid_to: "2027-12-31",
  });
  const [id] = await storeCertificates(app, [successor]);
  await forget(app);
  const bodies = await after(
    app,
    received,
    (client) => callJson(client, certificate(1, "renew/"), "POST", { certificate: id }),
  );
  const messages = bodies.map(({ event, object_type, data }) => `${event} ${object_type} ${data.id}`);
  assert.equal(new Set(messages).size, messages.length);
  assert.ok(messages.includes("updated certmgr.certificate 1"));
  assert.ok(messages.some((one) => one.startsWith("updated certmgr.certificateassignment")));
  assert.equal(bodies.find(({ data }) => data.id === 1)?.data.status, "replaced");
});

Deno.test("a request that renews, imports and links is one event for each object", async () => {
  const { app, received } = await applicationWithWebhook();
  await using _app = app;
  const file = new FormData();
  file.append("file", new Blob([pki.fresh.pem + pki.other.pem + CHAIN]), "bundle.pem");
  const bodies = await after(app, received, async (client) => {
    const response = await client(`${PATHS.certificates}import-file/`, { method: "POST", body: file });
    assert.equal(response.status, 201, await response.text());
  });
  assert.deepEqual([...new Set(bodies.map(({ event }) => event))], ["created"]);
  assert.deepEqual(bodies.length, new Set(bodies.map(({ data }) => data.id)).size);
  assert.ok(bodies.length >= 3);
});

Deno.test("a message about a certificate has its owner, also an inherited one", async () => {
  const { app, received } = await applicationWithWebhook();
  await using _app = app;
  const bodies = await after(app, received, async (client) => {
    await callJson(client, certificate(seed.certificates.acmeWeb), "PATCH", { private_key_location: "safe" });
    await callJson(client, PATHS.certificates, "POST", { ...WHOLE_CERTIFICATE, tenant: { slug: "acme" } });
    await callJson(client, certificate(seed.certificates.twin), "PATCH", { private_key_location: "safe" });
  });
  const network = { id: 2, name: "Network team", email: "", phone: "+1 555 0100" };
  assert.deepEqual(bodies.map(({ snapshots }) => snapshots.postchange.owner), [
    {
      contact: { id: 1, name: "Web team", email: "web@acme.example", phone: "" },
      role: { id: 1, name: "Owner", slug: "owner" },
      via: "certificate",
    },
    null,
    { contact: network, role: null, via: "tenant" },
  ]);
});
