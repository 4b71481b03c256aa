/** Versions: ETag, If-Match and If-None-Match (RFC 9110 §8.8.3, §13.1). */

import assert from "node:assert/strict";
import type { TestApp } from "../../support/app.ts";
import { PATHS } from "../../support/paths.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const TENANT = `${PATHS.tenants}${seed.tenants.acme}/`;
/** The version of the seeded tenant: its `last_updated`, the fourth second of the seeding. */
const VERSION = Date.UTC(2026, 5, 14, 12, 0, 4);
/** A tag of this version, with the hash of any representation. */
const CURRENT = `W/"${VERSION}-0123456789abcdef"`;
const TAG = new RegExp(`^W/"${VERSION}-[0-9a-f]{16}"$`);
const OLD = 'W/"1"';

scenario("A detail has its version and a hash as a weak entity tag", {
  as: "superuser",
  get: TENANT,
  status: 200,
  answers: { etag: TAG },
});
scenario("The version does not depend on the requested fields", {
  as: "superuser",
  get: `${TENANT}?fields=name`,
  status: 200,
  answers: { etag: TAG },
  equals: { name: "Acme Corp" },
});
scenario("If-None-Match: * answers 304 without a body", {
  as: "superuser",
  get: TENANT,
  headers: { "if-none-match": "*" },
  status: 304,
  answers: { etag: TAG, "content-type": null },
});
for (const known of [OLD, CURRENT, `W/"${VERSION}"`, "nonsense", '""', ""]) {
  scenario(`If-None-Match: ${known || "(empty)"} returns the object`, {
    as: "superuser",
    get: TENANT,
    headers: { "if-none-match": known },
    status: 200,
  });
}
for (const known of [CURRENT, CURRENT.slice(2), `W/"${VERSION}"`, `${OLD}, ${CURRENT}`, "*"]) {
  scenario(`If-Match: ${known} allows the change`, {
    as: "superuser",
    patch: TENANT,
    headers: { "if-match": known },
    body: { description: "More anvils" },
    status: 200,
    changes: ["update tenancy.tenant"],
    answers: { etag: new RegExp(`^W/"${Date.UTC(2026, 5, 15, 12)}-`) },
  });
}
for (const known of [OLD, "nonsense", '""', `${OLD}, W/"2"`]) {
  scenario(`If-Match: ${known} answers 412`, {
    as: "superuser",
    patch: TENANT,
    headers: { "if-match": known },
    body: { description: "More anvils" },
    status: 412,
    equals: { detail: "Precondition failed." },
  });
}
scenario("If-Match on a missing row answers 404, not 412", {
  as: "superuser",
  delete: `${PATHS.tenants}999/`,
  headers: { "if-match": OLD },
  status: 404,
});
scenario("A version that another change has replaced prevents the second change", {
  as: "superuser",
  before: async (app: TestApp) => {
    const chief = await app.as("superuser");
    const answer = await chief(TENANT, {
      method: "PATCH",
      headers: { "if-match": CURRENT },
      body: { description: "x" },
    });
    assert.equal(answer.status, 200);
  },
  patch: TENANT,
  headers: { "if-match": CURRENT },
  body: { description: "y" },
  status: 412,
});
