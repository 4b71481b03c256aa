/** Messages to webhooks over REST: their log, tests of a webhook, redelivery of a message. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { type Actor, granted } from "../../support/actors.ts";
import type { TestApp } from "../../support/app.ts";
import { PATHS } from "../../support/paths.ts";
import { type Scenario, scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const WEBHOOK = "extras.webhook";
const DELIVERY = "extras.webhookdelivery";
const TEST = `${PATHS.webhooks}${seed.webhooks.inventory}/test/`;
const ARRIVED = `${PATHS.deliveries}${seed.deliveries.arrived}/`;
const REDELIVER = `${ARRIVED}redeliver/`;
const DETAIL_403 = { detail: "You do not have permission to perform this action." };
const DETAIL_404 = { detail: "Not found." };
const DISABLED = { detail: "The webhook is disabled. Enable it first." };

/** Enables all webhooks. */
async function enable({ database }: TestApp): Promise<void> {
  await database.write((tx) => tx.run(sql`UPDATE webhooks SET enabled = 1`));
}

function changerOf(constraints: unknown, more: Parameters<typeof granted>[0] = []): Actor {
  return granted([{ types: [WEBHOOK], actions: ["change"], constraints }, ...more]);
}

scenario(`GET ${PATHS.deliveries} lists messages, the newest first, without their bodies`, {
  as: "superuser",
  get: PATHS.deliveries,
  status: 200,
  json: (body) => {
    assert.deepEqual(body.results.map((row: { event_id: string }) => row.event_id), [
      "msg-dead",
      "msg-arrived",
    ]);
    const { webhook, url, ...row } = body.results[0];
    assert.equal(url, `https://certmgr.example${PATHS.deliveries}${seed.deliveries.dead}/`);
    assert.equal(webhook.name, "Globex");
    assert.deepEqual(row, {
      id: seed.deliveries.dead,
      display_url: `https://certmgr.example/webhook-deliveries/${seed.deliveries.dead}/`,
      display: "created certmgr.certificate 1",
      event_id: "msg-dead",
      event: "created",
      object_type: "certmgr.certificate",
      object_id: 1,
      state: "dead",
      attempts: 9,
      response_status: 503,
      duration_ms: 950,
      failure: "refused",
      error: "Status 503",
      next_attempt: null,
      created: "2026-06-14T12:00:00Z",
      last_updated: "2026-06-15T12:00:00Z",
    });
  },
});
scenario(`GET ${PATHS.deliveries}{id}/ has the message and the beginning of the response`, {
  as: "superuser",
  get: `${PATHS.deliveries}${seed.deliveries.dead}/`,
  status: 200,
  json: (body) => {
    assert.deepEqual(body.body, { event: "created" });
    assert.equal(body.response_body, "Try later");
  },
});
for (
  const [query, ids] of [
    ["state=dead", ["dead"]],
    ["state__n=dead", ["arrived"]],
    ["attempts__gt=2", ["dead"]],
    ["response_status=204", ["arrived"]],
    ["response_status__gte=500", ["dead"]],
    ["duration_ms__lt=100", ["arrived"]],
    ["failure=refused&failure=timeout", ["dead"]],
    ["failure=timeout", []],
    ["failure__empty=true", ["arrived"]],
    ["error__empty=false", ["dead"]],
    ["error__ic=status", ["dead"]],
    ["next_attempt__empty=false", []],
    ["event=created", ["dead"]],
    ["object_type=certmgr.certificate&object_id=1", ["dead", "arrived"]],
    ["object_id=2", []],
    ["webhook=Globex", ["dead"]],
    [`webhook_id=${seed.webhooks.inventory}`, ["arrived"]],
    ["webhook__enabled=true", []],
    ["webhook__payload_url__ic=acme", ["arrived"]],
    ["event_id=msg-dead", ["dead"]],
    ["created__lt=2026-06-14", []],
    ["last_updated__gte=2026-06-15T12:00:00Z", ["dead", "arrived"]],
  ] as const
) {
  scenario(`GET ${PATHS.deliveries}?${query} filters the list`, {
    as: "superuser",
    get: `${PATHS.deliveries}?${query}`,
    status: 200,
    json: (body) =>
      assert.deepEqual(
        body.results.map((row: { id: number }) => row.id),
        ids.map((name) => seed.deliveries[name]),
      ),
  });
}
scenario("Messages of webhooks that the caller may not view do not exist", {
  as: granted([
    { types: [DELIVERY], actions: ["view"] },
    { types: [WEBHOOK], actions: ["view"], constraints: { name: "Globex" } },
  ]),
  get: PATHS.deliveries,
  status: 200,
  json: (body) => assert.deepEqual(body.results.map((row: { id: number }) => row.id), [seed.deliveries.dead]),
});
scenario("A caller who may view webhooks, but not their messages, gets no messages", {
  as: granted([{ types: [WEBHOOK], actions: ["view"] }]),
  get: PATHS.deliveries,
  status: 403,
});
for (const method of ["post", "put", "patch", "delete"] as const) {
  scenario(`${method.toUpperCase()} ${PATHS.deliveries}{id}/ is refused, because messages are read-only`, {
    as: "superuser",
    [method]: ARRIVED,
    status: 405,
    answers: { allow: "GET, HEAD, OPTIONS" },
  });
}

function test(title: string, expected: Partial<Scenario>): void {
  scenario(`POST ${PATHS.webhooks}{id}/test/ ${title}`, {
    as: "superuser",
    post: TEST,
    before: enable,
    status: 202,
    ...expected,
  });
}

test("sends a message in the usual form, and returns it", {
  json: ({ id, event_id, body, url, ...row }) => {
    assert.equal(id, Object.keys(seed.deliveries).length + 1);
    assert.equal(url, `https://certmgr.example${PATHS.deliveries}${id}/`);
    assert.match(event_id, /^msg_[A-Za-z0-9]{26}$/);
    assert.deepEqual([row.state, row.attempts, row.next_attempt], ["pending", 0, "2026-06-15T12:00:00Z"]);
    assert.deepEqual([row.event, row.object_type, row.object_id], ["test", WEBHOOK, seed.webhooks.inventory]);
    assert.equal(row.webhook.name, "Inventory");
    const { request_id, ...message } = body;
    assert.match(request_id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(message, {
      id: event_id,
      event: "test",
      timestamp: "2026-06-15T12:00:00Z",
      model: "webhook",
      object_type: WEBHOOK,
      username: "chief",
      data: { id: seed.webhooks.inventory, name: "Inventory" },
      snapshots: { prechange: null, postchange: null },
    });
  },
});
test("needs `change` for the webhook and nothing else", {
  as: changerOf({ name: "Inventory" }),
  excludes: ["hooks.acme.example"],
  json: (body) => assert.deepEqual(Object.keys(body), ["id", "url", "display"]),
});
test("answers 403 without the permission to change webhooks", {
  as: granted([{ types: [WEBHOOK, DELIVERY], actions: ["view", "add", "delete"] }]),
  status: 403,
  equals: DETAIL_403,
});
test("answers 404 for a webhook outside the caller's constraints", {
  as: changerOf({ name: "Globex" }, [{ types: [WEBHOOK], actions: ["view"] }]),
  status: 404,
  equals: DETAIL_404,
});
test("answers 404 for a missing webhook", {
  post: `${PATHS.webhooks}999/test/`,
  status: 404,
  equals: DETAIL_404,
});
test("answers 409 for a disabled webhook", {
  before: () => {},
  status: 409,
  equals: DISABLED,
});

function redeliver(title: string, expected: Partial<Scenario>): void {
  scenario(`POST ${PATHS.deliveries}{id}/redeliver/ ${title}`, {
    as: "superuser",
    post: REDELIVER,
    before: enable,
    status: 202,
    ...expected,
  });
}

for (const name of ["arrived", "dead"] as const) {
  redeliver(`sends ${name === "dead" ? "an abandoned" : "a delivered"} message again`, {
    post: `${PATHS.deliveries}${seed.deliveries[name]}/redeliver/`,
    json: (body) => {
      assert.equal(body.event_id, `msg-${name}`);
      assert.deepEqual([body.state, body.attempts, body.next_attempt], [
        "pending",
        0,
        "2026-06-15T12:00:00Z",
      ]);
      assert.deepEqual(
        [body.response_status, body.duration_ms, body.failure, body.error, body.response_body],
        [null, null, null, "", ""],
      );
      assert.equal(body.last_updated, "2026-06-15T12:00:00.001000Z");
    },
  });
}
/** Returns a preparation with a message that has failed twice; `columns` has further values. */
function pending(columns: string): (app: TestApp) => Promise<void> {
  return async (app) => {
    await enable(app);
    await app.database.write((tx) =>
      tx.run(
        sql`UPDATE webhook_deliveries SET state = 'pending', attempts = 2, response_status = 500, error = 'Status 500',
          ${sql.raw(columns)} WHERE id = ${seed.deliveries.arrived}`,
      )
    );
  };
}
redeliver("makes the next attempt of a waiting message now, and keeps the times of the others", {
  before: pending("next_attempt = 4900000000000"),
  json: (body) => {
    assert.deepEqual([body.event_id, body.state, body.next_attempt], [
      "msg-arrived",
      "pending",
      "2026-06-15T12:00:00Z",
    ]);
    assert.deepEqual([body.attempts, body.response_status, body.error], [2, 500, "Status 500"]);
    assert.equal(body.last_updated, "2026-06-15T12:00:00.001000Z");
  },
});
redeliver("sends a message again whose sender did not finish before its lease ended", {
  before: pending("next_attempt = 1, lease_owner = 'somebody'"),
});
redeliver("answers 409 while the message is being sent", {
  before: pending("next_attempt = 4900000000000, lease_owner = 'somebody'"),
  status: 409,
  equals: { detail: "This message is being sent right now." },
});
redeliver("answers 409 while the message waits for an earlier one about the same object", {
  before: pending("next_attempt = NULL"),
  status: 409,
  equals: { detail: "This message waits for an earlier one about the same object. Redeliver that one." },
});
redeliver("answers 409 for a disabled webhook", {
  before: () => {},
  status: 409,
  equals: DISABLED,
});
const VIEWING = [{ types: [WEBHOOK, DELIVERY], actions: ["view"] }];
redeliver("works for callers who may view the message and change its webhook", {
  as: changerOf({ name: "Inventory" }, VIEWING),
});
redeliver("answers 403 without `change` for webhooks", {
  as: granted([{ types: [WEBHOOK, DELIVERY], actions: ["view", "add", "delete"] }]),
  status: 403,
  equals: DETAIL_403,
});
redeliver("answers 404 if the caller may change only other webhooks", {
  as: changerOf({ name: "Globex" }, VIEWING),
  status: 404,
  equals: DETAIL_404,
});
redeliver("answers 404 for a message that the caller may not view", {
  as: changerOf(null, [
    { types: [WEBHOOK], actions: ["view"] },
    { types: [DELIVERY], actions: ["view"], constraints: { id__n: seed.deliveries.arrived } },
  ]),
  status: 404,
  equals: DETAIL_404,
});
redeliver("answers 404 for a missing message", {
  post: `${PATHS.deliveries}999/redeliver/`,
  status: 404,
  equals: DETAIL_404,
});
