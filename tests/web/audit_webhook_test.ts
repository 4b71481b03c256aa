/** Audit events as webhook messages: from a request to the receiver. */

import assert from "node:assert/strict";
import { drainOnce } from "../../src/domain/webhooks/sending/deliver.ts";
import type { OutboundRequest } from "../../src/http/mod.ts";
import { PATHS } from "../support/paths.ts";
import { auditOf, PASSWORD, setUpApp, Visitor, withAnn } from "./second_factor_support.ts";

Deno.test("a webhook for audit events gets failed sign-ins and added factors with user and address, and no secret", async () => {
  await using app = await withAnn();
  const admin = await app.as("superuser");
  const created = await admin(PATHS.webhooks, {
    method: "POST",
    body: {
      name: "Audit",
      object_types: ["core.auditevent"],
      events: ["created"],
      payload_url: "https://siem.example/",
    },
  });
  assert.equal(created.status, 201, await created.text());
  const visitor = new Visitor(app);
  await visitor.post("/sign-in/", { username: "ann", password: "wrong horse battery" });
  await visitor.enter("ann");
  const { secret, codes } = await setUpApp(app, visitor);
  const sent: OutboundRequest[] = [];
  for (let round = 0; round < 5; round++) {
    await drainOnce(app.ctx, 20, {
      send: (request) => {
        sent.push(request);
        return Promise.resolve({ status: 204, retryAfter: null, body: "" });
      },
      more: [],
    });
    app.clock.advance(1_000);
  }
  const messages = sent.filter(({ url }) => url === "https://siem.example/").map(({ body }) => body);
  const details = messages.filter((body) => body.includes('"ann"'));
  assert.equal(details.length, (await auditOf(app)).length);
  for (const expected of ["sign_in_failed", "sign_in", "second_factor_added", "recovery_codes_created"]) {
    const found = details.filter((body) => body.includes(`"${expected}"`));
    assert.equal(found.length, 1, expected);
    assert.match(found[0] as string, /192\.0\.2\.1/);
    assert.match(found[0] as string, /Test\/1/);
  }
  for (const hidden of [PASSWORD, "wrong horse battery", secret, ...codes]) {
    assert.ok(!messages.join().includes(hidden));
  }
});
