/** The contents of notices: renewal notes and owners. */

import assert from "node:assert/strict";
import { describeDue } from "../../../src/domain/notices/describe_due.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { callJson } from "../../support/call_json.ts";
import { certificate, PATHS } from "../../support/paths.ts";
import { seed } from "../../support/seed.ts";

const { certificates: ids } = seed;

/** Returns the notices about two expiring certificates, as a superuser gets them. */
async function expiring(
  { ctx }: TestApp,
): Promise<Map<number, { title: string; owners: readonly string[] }>> {
  const due = [ids.acmeCritical, ids.acmeWarning].map((objectId) => ({
    event: "expiring" as const,
    objectType: "certmgr.certificate",
    objectId,
    detail: "30d",
  }));
  const notices = await describeDue(ctx, due);
  return new Map(
    notices.map(({ objectId, title, owners = [] }) => [objectId, { title, owners }]),
  );
}

Deno.test("a notice names the certificate's renewal note, else that of its authority", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await callJson(client, certificate(ids.acmeCritical), "PATCH", { renewal_note: "Ask Bob" });
  await callJson(client, `${PATHS.authorities}${seed.authorities.acme}/`, "PATCH", {
    renewal_note: "By robot",
  });
  const notices = await expiring(app);
  assert.match(notices.get(ids.acmeCritical)?.title ?? "", /; renewal note: Ask Bob$/);
  assert.match(notices.get(ids.acmeWarning)?.title ?? "", /; renewal note: By robot$/);
});

Deno.test("a notice does not name the renewal note of a hidden authority", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await callJson(client, `${PATHS.authorities}${seed.authorities.acme}/`, "PATCH", {
    renewal_note: "By robot",
  });
  const grants = [{ objectTypes: ["certmgr.certificate"], actions: ["view"], constraints: null }];
  const actor = { ...app.ctx.actor, isSuperuser: false, grants };
  const notices = await expiring({ ...app, ctx: { ...app.ctx, actor } });
  assert.equal(notices.size, 2);
  assert.doesNotMatch(notices.get(ids.acmeWarning)?.title ?? "", /robot/);
});

Deno.test("a notice goes to the effective owner if the certificate itself has no contacts", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  await callJson(client, PATHS.contactAssignments, "POST", {
    object_type: "tenancy.tenant",
    object_id: seed.tenants.acme,
    contact: seed.contacts.web,
    role: { slug: "owner" },
  });
  const notices = await expiring(app);
  assert.deepEqual(notices.get(ids.acmeWarning)?.owners, ["web@acme.example"]);
});
