/** Users, groups, tokens and permissions: what REST shows, and what it never shows. */

import assert from "node:assert/strict";
import { hashKey } from "../../../src/auth/mod.ts";
import { sql } from "drizzle-orm";
import { granted, keyOf, stranger, superuser } from "../../support/actors.ts";
import type { TestApp } from "../../support/app.ts";
import { PATHS } from "../../support/paths.ts";
import { quickHash } from "../../support/quick_hash.ts";
import { scenario } from "../../support/scenario.ts";
import { seed } from "../../support/seed.ts";

const PASSWORD = "correct horse battery";
const PROVISION = `${PATHS.tokens}provision/`;

scenario("POST users/ never shows the password or its hash", {
  as: "superuser",
  post: PATHS.users,
  body: { username: "dora", password: PASSWORD, groups: [{ name: "operators" }] },
  status: 201,
  changes: ["create users.user"],
  excludes: [PASSWORD, "scrypt", "password"],
  json: (body) =>
    assert.deepEqual([body.groups[0].name, body.is_active, body.is_superuser], ["operators", true, false]),
});
for (
  const [field, value, message] of [
    ["username", "ALICE", "A user with this username already exists."],
    ["username", "with space", 'Expected letters, digits and @ . + - _, not "with space".'],
    ["username", "аlice", /^Expected letters, digits/],
    ["password", "short", /characters/],
    ["password", 5, "Expected text."],
    ["email", "nobody", 'Expected an e-mail address, not "nobody".'],
    ["groups", [{ name: "nobody knows" }], /^Related object not found/],
    ["is_active", null, "This field may not be null."],
  ] as const
) {
  scenario(`POST users/ refuses the ${field} ${JSON.stringify(value)}`, {
    as: "superuser",
    post: PATHS.users,
    body: { username: "dora", password: PASSWORD, [field]: value },
    status: 400,
    json: (body) => {
      assert.deepEqual(Object.keys(body), [field]);
      if (typeof message === "string") assert.deepEqual(body[field], [message]);
      else assert.match(body[field][0], message);
    },
  });
}
scenario("A refused password is not quoted", {
  as: "superuser",
  post: PATHS.users,
  body: { username: "dora", password: "hunter2" },
  status: 400,
  excludes: ["hunter2"],
});
scenario("Users without permissions see only their own account", {
  as: stranger(),
  get: PATHS.users,
  status: 200,
  json: (body) =>
    assert.deepEqual(body.results.map((row: { username: string }) => row.username), ["stranger"]),
});
scenario("Users cannot make themselves superusers", {
  as: granted([{ types: ["users.user"], actions: ["view", "change"] }]),
  patch: `${PATHS.users}${seed.users.alice}/`,
  body: { is_superuser: true },
  status: 403,
});
scenario("A user filter by password does not exist", {
  as: "superuser",
  get: `${PATHS.users}?password_hash__isw=a`,
  status: 400,
});

scenario("POST tokens/ shows the key once, and stores only its hash", {
  as: stranger(),
  post: PATHS.tokens,
  body: { description: "CI", allowed_ips: ["10.0.0.0/8"], user: undefined },
  status: 201,
  changes: ["create users.token"],
  json: (body) => {
    assert.match(body.key, /^[A-Za-z0-9]{40}$/);
    assert.equal(body.key_prefix, body.key.slice(0, 8));
    assert.equal(body.user.username, "stranger");
  },
});
scenario("GET tokens/{id}/ shows no key", {
  as: "superuser",
  get: `${PATHS.tokens}${seed.tokens.alice}/`,
  status: 200,
  json: (body) => assert.deepEqual([body.key, body.key_prefix.length], [null, 8]),
});
scenario("Users without permissions see only their own tokens", {
  as: stranger(),
  get: PATHS.tokens,
  status: 200,
  json: (body) => assert.deepEqual([body.count, body.results[0].user.username], [1, "stranger"]),
});
scenario("Users cannot create tokens for other users", {
  as: granted([{ types: ["users.user"], actions: ["view"] }]),
  post: PATHS.tokens,
  body: { user: seed.users.alice },
  status: 403,
});
for (
  const [field, value] of [
    ["allowed_ips", ["10.0.0.1/8"]],
    ["allowed_ips", ["example.com"]],
    ["allowed_ips", "10.0.0.1"],
    ["expires", "soon"],
    ["expires", "2026-06-15T12:00:00Z"],
    ["write_enabled", 2],
    ["user", 999],
  ] as const
) {
  scenario(`POST tokens/ refuses ${field} ${JSON.stringify(value)}`, {
    as: "superuser",
    post: PATHS.tokens,
    body: { [field]: value },
    status: 400,
    json: (body) => assert.deepEqual(Object.keys(body), [field]),
  });
}

/** Sets a password for all users except root. It is hashed once, because this takes long. */
async function withPassword({ database }: TestApp): Promise<void> {
  const hash = quickHash(PASSWORD);
  await database.write((tx) =>
    tx.run(sql`UPDATE users SET password_hash = ${hash} WHERE username <> 'root'`)
  );
}
scenario("POST tokens/provision/ creates a token for a caller who knows the password", {
  as: "nobody",
  before: withPassword,
  post: PROVISION,
  body: { username: "alice", password: PASSWORD, description: "Laptop" },
  status: 201,
  changes: ["create users.token"],
  excludes: [PASSWORD],
  json: (body) => {
    assert.match(body.key, /^[A-Za-z0-9]{40}$/);
    assert.deepEqual([body.user.username, body.description], ["alice", "Laptop"]);
  },
});
for (
  const [what, body] of [
    ["a wrong password", { username: "alice", password: "wrong horse battery" }],
    ["an unknown user", { username: "nobody", password: PASSWORD }],
    ["an inactive user", { username: "bob", password: PASSWORD }],
    ["a user without a password", { username: "root", password: PASSWORD }],
  ] as const
) {
  scenario(`POST tokens/provision/ answers the same to ${what}`, {
    as: "nobody",
    before: withPassword,
    post: PROVISION,
    body,
    status: 401,
    equals: { detail: "Invalid username/password" },
    answers: { "www-authenticate": "Token" },
    isRecorded: true,
  });
}
scenario("POST tokens/provision/ refuses a body without username and password", {
  as: "nobody",
  post: PROVISION,
  body: { username: 5 },
  status: 400,
  equals: { username: ["Expected text, not 5."], password: ["This field is required."] },
});
scenario("POST tokens/provision/ accepts only JSON", {
  as: "nobody",
  post: PROVISION,
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: `username=alice&password=${PASSWORD}`,
  status: 415,
});
scenario("POST tokens/provision/ limits its body", {
  as: "nobody",
  post: PROVISION,
  body: { username: "x".repeat(200), password: "y" },
  app: { maxBodyBytes: 100 },
  status: 413,
});
for (
  const [field, value, message] of [
    [
      "constraints",
      { tenant__nmae: "x" },
      "certmgr.certificate: “tenant__nmae”: Unknown filter. Did you mean “tenant__name”?",
    ],
    ["constraints", { status: "gone" }, /“status”: Select a valid choice/],
    ["constraints", "all", "Expected an object of filters, a list of such objects, or null."],
    ["constraints", { common_name__regex: "." }, /Regular expressions cannot be used in constraints/],
    [
      "object_types",
      ["certmgr.certificat"],
      'Unknown object type "certmgr.certificat". Did you mean “certmgr.certificate”?',
    ],
    ["object_types", [], "Expected at least one name."],
    ["actions", ["destroy"], 'Unknown action "destroy" on certmgr.certificate.'],
    ["actions", "view", "Expected a list of names."],
  ] as const
) {
  scenario(`POST permissions/ refuses ${field} ${JSON.stringify(value)}`, {
    as: "superuser",
    post: PATHS.permissions,
    body: { name: "x", object_types: ["certmgr.certificate"], actions: ["view"], [field]: value },
    status: 400,
    json: (body) => {
      assert.deepEqual(Object.keys(body), [field]);
      if (typeof message === "string") assert.deepEqual(body[field], [message]);
      else assert.match(body[field][0], message);
    },
  });
}
scenario("A permission stores the short name of an action", {
  as: "superuser",
  post: PATHS.permissions,
  body: {
    name: "x",
    object_types: ["certmgr.certificate"],
    actions: ["import_certificate", "certmgr.renew_certificate"],
  },
  status: 201,
  changes: ["create users.objectpermission"],
  json: (body) => assert.deepEqual(body.actions, ["import", "renew"]),
});
scenario("Permissions are found by the types that they name", {
  as: "superuser",
  get: `${PATHS.permissions}?object_types=extras.tag`,
  status: 200,
  json: (body) => assert.deepEqual(body.results.map((row: { name: string }) => row.name), ["Nothing"]),
});
scenario("A partial administrator grants no more than their own permissions", {
  as: granted([{
    types: ["users.objectpermission"],
    actions: ["view", "add"],
    constraints: { name__isw: "acme" },
  }]),
  post: PATHS.permissions,
  body: { name: "acme all", object_types: ["certmgr.certificate"], actions: ["delete"] },
  status: 403,
});

scenario("The change log has the change of a password, but neither password nor hash", {
  as: "superuser",
  before: async (app) => {
    const chief = await app.as("superuser");
    const path = `${PATHS.users}${seed.users.alice}/`;
    assert.equal((await chief(path, { method: "PATCH", body: { password: PASSWORD } })).status, 200);
  },
  get: `${PATHS.changes}?object_type=users.user&action=update`,
  status: 200,
  excludes: [PASSWORD, "scrypt", "password"],
  json: (body) => assert.equal(body.count, 1),
});
scenario("The change log has no key and no hash of a token", {
  as: superuser({}),
  get: `${PATHS.changes}?object_type=users.token`,
  status: 200,
  excludes: ["key_hash", hashKey(keyOf("superuser"))],
  json: (body) => assert.equal(body.count, 2),
});

/** Adds authenticator apps of users, and a session of root. */
async function withSecondFactors({ database }: TestApp): Promise<void> {
  await database.write(async (tx) => {
    await tx.run(
      sql`INSERT INTO authenticator_apps (user_id, secret, last_step, created) SELECT id, 'GEZDGNBV', 0, 0 FROM users`,
    );
    await tx.run(sql`UPDATE users SET has_second_factor = 1`);
  });
}
const reset = (id: number): string => `${PATHS.users}${id}/reset-second-factor/`;
scenario(
  "POST users/{id}/reset-second-factor/ removes the factors, for a caller who may change the account",
  {
    as: granted([{ types: ["users.user"], actions: ["view", "change"] }], { username: "helper" }),
    before: withSecondFactors,
    post: reset(seed.users.bob),
    body: {},
    status: 200,
    changes: ["update users.user"],
    json: (body) => assert.deepEqual([body.id, body.has_second_factor], [seed.users.bob, false]),
  },
);
for (
  const [what, as, id, status] of [
    ["without permission", stranger(), seed.users.bob, 403],
    [
      "of a superuser by another user",
      granted([{ types: ["users.user"], actions: ["view", "change"] }]),
      seed.users.root,
      403,
    ],
    ["of a missing user", "superuser", 999_999, 404],
    [
      "of a user whom the caller may not change",
      granted([{ types: ["users.user"], actions: ["view", "change"], constraints: { username: "alice" } }]),
      seed.users.bob,
      404,
    ],
    ["of the caller", superuser({}), Object.keys(seed.users).length + 1, 409],
  ] as const
) {
  scenario(`POST users/{id}/reset-second-factor/ ${what} is refused`, {
    as,
    before: withSecondFactors,
    post: reset(id),
    body: {},
    status,
  });
}
scenario("POST tokens/provision/ refuses a user with a second factor, after the password only", {
  as: "nobody",
  before: async (app) => {
    await withPassword(app);
    await withSecondFactors(app);
  },
  post: PROVISION,
  body: { username: "alice", password: PASSWORD },
  status: 403,
  excludes: [PASSWORD],
  json: (body) => assert.match(body.detail, /needs a second factor/),
});
