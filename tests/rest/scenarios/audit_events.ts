/** The audit log: who may read it, that it cannot be changed, and its export. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { auditor, granted, stranger, superuser } from "../../support/actors.ts";
import type { TestApp } from "../../support/app.ts";
import { PATHS } from "../../support/paths.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const EXPORT = `${PATHS.audit}export/`;
const ONE = `${PATHS.audit}${seed.audit.signIn}/`;

scenario("GET audit-events/ shows user, time, address and method, the newest first", {
  as: auditor(),
  get: PATHS.audit,
  status: 200,
  json: ({ count, results }) => {
    assert.equal(count, 2);
    const [failure, signIn] = results;
    assert.deepEqual(
      [failure.event, failure.username, failure.address, failure.detail],
      ["sign_in_failed", "bob", "192.0.2.2", "password"],
    );
    assert.deepEqual([signIn.event, signIn.username, signIn.address], ["sign_in", "alice", "192.0.2.1"]);
    assert.match(signIn.time, /Z$/);
  },
});
for (
  const [query, ids] of [
    ["event=sign_in_failed", [seed.audit.failure]],
    ["username=alice", [seed.audit.signIn]],
    ["address=192.0.2.9", []],
    ["time__lt=2000-01-01T00:00:00Z", []],
  ] as const
) {
  scenario(`GET audit-events/?${query} filters the list`, {
    as: auditor(),
    get: `${PATHS.audit}?${query}`,
    status: 200,
    json: ({ results }) => assert.deepEqual(results.map(({ id }: { id: number }) => id), ids),
  });
}
scenario("GET audit-events/ refuses a user without the permission", {
  as: stranger(),
  get: PATHS.audit,
  status: 403,
});
for (const method of ["put", "patch", "delete"] as const) {
  scenario(`${method.toUpperCase()} audit-events/{id}/ does not exist, not even for superusers`, {
    as: superuser({}),
    [method]: ONE,
    body: {},
    status: 405,
    answers: { allow: "GET, HEAD, OPTIONS" },
  });
}
scenario("POST audit-events/ does not exist", {
  as: superuser({}),
  post: PATHS.audit,
  body: {},
  status: 405,
});

scenario("GET audit-events/export/ returns CSV, the oldest first", {
  as: auditor(),
  get: EXPORT,
  status: 200,
  type: "text/csv; charset=utf-8",
  answers: { "content-disposition": /^attachment; filename="audit-events\.csv"/ },
  contains: [
    "id,time,event,user_id,username,address,user_agent,detail\r\n1,",
    ",sign_in,2,alice,192.0.2.1,,password\r\n2,",
  ],
});
scenario("GET audit-events/export/ accepts the filters of the list, and JSON", {
  as: auditor(),
  get: `${EXPORT}?format=json&event=sign_in_failed`,
  status: 200,
  json: (rows) => {
    assert.equal(rows.length, 1);
    assert.deepEqual([rows[0].event, rows[0].username, rows[0].user_id], ["sign_in_failed", "bob", 3]);
  },
});
scenario("GET audit-events/export/ has only rows within the caller's constraints", {
  as: granted([{ types: ["core.auditevent"], actions: ["view"], constraints: { username: "bob" } }]),
  get: EXPORT,
  status: 200,
  type: "text/csv; charset=utf-8",
  contains: ["bob"],
  excludes: ["alice"],
});
scenario("GET audit-events/export/ refuses a user without the permission", {
  as: stranger(),
  get: EXPORT,
  status: 403,
});
for (
  const [query, field] of [["format=pem", "format"], ["format=", "format"], [
    "usernam=alice",
    "usernam",
  ]] as const
) {
  scenario(`GET audit-events/export/?${query} is refused with the name of the parameter`, {
    as: auditor(),
    get: `${EXPORT}?${query}`,
    status: 400,
    json: (body) => assert.deepEqual(Object.keys(body), [field]),
  });
}

/** A browser's name that a spreadsheet would run. */
async function withFormula({ database }: TestApp): Promise<void> {
  await database.write((tx) =>
    tx.run(
      sql`INSERT INTO audit_events (time, event, username, user_agent) VALUES (0, 'sign_in', 'eve', '=1+1')`,
    )
  );
}
scenario("GET audit-events/export/ guards names of clients, so that spreadsheets do not run them", {
  as: auditor(),
  before: withFormula,
  get: `${EXPORT}?username=eve`,
  status: 200,
  type: "text/csv; charset=utf-8",
  contains: ["eve,,'=1+1,"],
});
for (const [limit, status] of [[2, 200], [1, 400]] as const) {
  scenario(`GET audit-events/export/ of two events where ${limit} may be exported answers ${status}`, {
    as: auditor(),
    app: { settings: { maxExportSize: limit } },
    get: `${EXPORT}?format=json`,
    status,
    json: (body) =>
      status === 200
        ? assert.equal(body.length, 2)
        : assert.match(body.detail, /^Export size exceeds maximum of 1 audit/),
  });
}
