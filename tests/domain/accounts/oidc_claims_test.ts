/** Claims of every type, and claims that are missing: neither gives more rights, and neither takes any away. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import type { OidcProvider } from "../../../src/auth/mod.ts";
import { claimAt, emailOf, mapGroups, textOfClaim } from "../../../src/domain/accounts/oidc/claims.ts";
import type { TestApp } from "../../support/app.ts";
import { settingsFor, signIn, withProvider } from "./oidc_app.ts";
import type { TestProvider } from "./oidc_server.ts";

const [PROVIDER] = settingsFor({ issuer: "https://id.example" } as TestProvider).providers as [OidcProvider];
const MANY = Array.from({ length: 1_200 }, (_, index) => `group ${index}`);

for (
  const [what, groups, expected] of [
    ["a list", ["it-security"], { groups: ["Operators"], isSuperuser: false, hasAccess: true }],
    ["a text", "admins", { groups: [], isSuperuser: true, hasAccess: true }],
    ["a list without the mapped ones", ["x", 7], { groups: [], isSuperuser: false, hasAccess: false }],
    ["an empty list", [], { groups: [], isSuperuser: false, hasAccess: false }],
    ["a long list, the last of which counts", [...MANY, "it-security"], {
      groups: ["Operators"],
      isSuperuser: false,
      hasAccess: true,
    }],
    ["missing", undefined, undefined],
    ["null", null, undefined],
    ["an empty text", "", undefined],
    ["true", true, undefined],
    ["an object", { "it-security": true }, undefined],
    ["a list with an object", ["admins", { name: "it-security" }], undefined],
    ["a list with a list", [["admins"]], undefined],
    ["a list with null", [null], undefined],
    ["too long", Array.from({ length: 10_001 }, () => "admins"), undefined],
  ] as const
) {
  Deno.test(`a groups claim that is ${what} is mapped ${expected === undefined ? "to nothing known" : "as it says"}`, () => {
    assert.deepEqual(mapGroups(PROVIDER, { groups }), expected);
  });
}

Deno.test("groups that are numbers are mapped by their digits", () => {
  const provider: OidcProvider = { ...PROVIDER, groups: [["17", "Operators"]] };
  assert.deepEqual(mapGroups(provider, { groups: [17] })?.groups, ["Operators"]);
  assert.equal(mapGroups(provider, { groups: [17.5] }), undefined);
});

for (
  const [path, expected] of [
    ["realm_access.roles", ["a"]],
    ["resource_access.my.client.roles", ["b"]],
    ["https://acme.example/roles", ["c"]],
    ["plain", "d"],
    ["realm_access.missing", undefined],
    ["plain.length", undefined],
    ["list.0", undefined],
    ["constructor.name", undefined],
    ["__proto__.x", undefined],
    ["", undefined],
    [".", undefined],
  ] as const
) {
  Deno.test(`the path "${path}" of a claim leads to ${JSON.stringify(expected)}`, () => {
    const claims = {
      realm_access: { roles: ["a"] },
      resource_access: { "my.client": { roles: ["b"] } },
      "https://acme.example/roles": ["c"],
      plain: "d",
      list: ["e"],
    };
    assert.deepEqual(claimAt(claims, path), expected);
  });
}

for (
  const [verified, expected] of [
    [true, "a@b.example"],
    [undefined, "a@b.example"],
    [false, undefined],
    ["false", undefined],
    ["true", undefined],
    [null, undefined],
    [0, undefined],
    [1, undefined],
    [[true], undefined],
    [{}, undefined],
  ] as const
) {
  Deno.test(`an address with email_verified ${JSON.stringify(verified)} is ${expected === undefined ? "not used" : "used"}`, () => {
    assert.equal(emailOf({ email: "a@b.example", email_verified: verified }), expected);
  });
}

Deno.test("a claim is text if it is a text or an integer, and an address only if it is a text", () => {
  assert.deepEqual(["dora", 17, 1.5, 2 ** 60, true, ["dora"], null, {}].map(textOfClaim), [
    ...["dora", "17", undefined, undefined, undefined, undefined, undefined, undefined],
  ]);
  for (const email of [["a@b.example"], 17, null, {}]) assert.equal(emailOf({ email }), undefined);
});

async function account({ database }: TestApp, username = "dora"): Promise<unknown> {
  const [row] = await database.all(
    sql`SELECT is_active, is_superuser, (SELECT group_concat(g.name) FROM user_groups JOIN groups AS g
        ON g.id = group_id WHERE user_id = users.id) AS groups FROM users WHERE username = ${username}`,
  );
  return row;
}

const IN_GROUP = { is_active: 1, is_superuser: 0, groups: "Operators" };

/** Lets the provider leave its groups claim out, and send these claims instead. */
function leaveOut(provider: TestProvider, claims: Readonly<Record<string, unknown>>): void {
  provider.users.set("17", { name: "dora", groups: [], claims: { groups: undefined } });
  provider.falsify = (token) => provider.signed(token, { claims: { groups: undefined, ...claims } });
}

for (
  const [what, claims] of [
    ["missing", {}],
    ["left out, because it would be too long", {
      hasgroups: true,
      _claim_names: { groups: "src1" },
      _claim_sources: { src1: { endpoint: "https://graph.invalid/users/17/getMemberObjects" } },
    }],
    ["null", { groups: null }],
    ["an object", { groups: { "it-security": true } }],
    ["named without a source", { _claim_names: { groups: "src1" } }],
    ["at an address that is none", {
      _claim_names: { groups: "src1" },
      _claim_sources: { src1: { endpoint: "no address" } },
    }],
    ["in a token that cannot be read", {
      _claim_names: { groups: "src1" },
      _claim_sources: { src1: { JWT: "no.token.at all" } },
    }],
  ] as const
) {
  Deno.test(`a groups claim that is ${what} changes neither account nor groups, and the refusal says why`, async () => {
    await withProvider(async (app, provider) => {
      assert.equal((await signIn(app, "17")).status, 303);
      leaveOut(provider, claims);
      const refused = await signIn(app, "17");
      assert.equal(refused.status, 401);
      assert.match(
        await refused.text(),
        /did not say which groups you are in: the claim &quot;groups&quot; is/,
      );
      assert.deepEqual(await account(app), IN_GROUP);
      const [event] = await app.database.all<{ event: string; detail: string }>(
        sql`SELECT event, detail FROM audit_events ORDER BY id DESC LIMIT 1`,
      );
      assert.equal(event?.event, "sign_in_failed");
      assert.match(event?.detail ?? "", /did not say which groups/);
    });
  });
}

Deno.test("where no group is required, users sign in without the claim, and keep groups and status", async () => {
  await withProvider(async (app, provider) => {
    provider.users.set("17", { name: "dora", groups: ["admins"] });
    assert.equal((await signIn(app, "17")).status, 303);
    leaveOut(provider, { hasgroups: true });
    assert.equal((await signIn(app, "17")).status, 303);
    assert.deepEqual(await account(app), { is_active: 1, is_superuser: 1, groups: null });
  }, { groups: [] });
});

Deno.test("a groups claim of the userinfo endpoint counts", async () => {
  await withProvider(async (app, provider) => {
    provider.users.set("17", { name: "dora", groups: ["it-security", "admins"] });
    provider.falsify = (token) => provider.signed(token, { claims: { groups: undefined } });
    assert.equal((await signIn(app, "17")).status, 303);
    assert.deepEqual(await account(app), { ...IN_GROUP, is_superuser: 1 });
  });
});

Deno.test("roles below another claim are mapped by their path", async () => {
  await withProvider(async (app, provider) => {
    provider.falsify = (token) =>
      provider.signed(token, { claims: { groups: ["admins"], realm_access: { roles: ["it-security"] } } });
    assert.equal((await signIn(app, "17")).status, 303);
    assert.deepEqual(await account(app), IN_GROUP);
  }, { groupsClaim: "realm_access.roles" });
});

for (const verified of ["false", "true", 0, null]) {
  Deno.test(`email_verified ${JSON.stringify(verified)} does not sign in as the existing user with that address`, async () => {
    await withProvider(async (app, provider) => {
      await app.database.write((tx) =>
        tx.run(sql`UPDATE users SET username = 'alice@acme.example' WHERE username = 'alice'`)
      );
      provider.falsify = (token) =>
        provider.signed(token, {
          claims: { preferred_username: undefined, email: "alice@acme.example", email_verified: verified },
        });
      assert.equal((await signIn(app, "17")).status, 401);
      const [{ linked } = { linked: 0 }] = await app.database.all<{ linked: number }>(
        sql`SELECT count(*) AS linked FROM user_identities`,
      );
      assert.equal(linked, 0);
    }, { createUsers: false });
  });
}

for (
  const [what, claims, username] of [
    ["a number", { preferred_username: 1234 }, "1234"],
    ["a list", { preferred_username: ["alice"] }, "dora@acme.example"],
    ["an object", { preferred_username: { name: "alice" } }, "dora@acme.example"],
    ["true", { preferred_username: true }, "dora@acme.example"],
    ["too long", { preferred_username: "a".repeat(151) }, "dora@acme.example"],
    ["missing, and the address a list", { preferred_username: undefined, email: ["a@b.example"] }, "17"],
  ] as const
) {
  Deno.test(`a preferred_username that is ${what} makes the user "${username}"`, async () => {
    await withProvider(async (app, provider) => {
      provider.falsify = (token) =>
        provider.signed(token, { claims: { email: "dora@acme.example", ...claims } });
      assert.equal((await signIn(app, "17")).status, 303);
      assert.deepEqual(await account(app, username), IN_GROUP);
    });
  });
}

for (
  const [what, claims] of [
    ["control characters", { given_name: "Do\u0000ra", family_name: "A\u001b[2J" }],
    ["bidirectional characters", { given_name: "\u202eroD" }],
    ["half a character", { family_name: "\ud800" }],
    ["a text of 100,000 characters", { given_name: "x".repeat(100_000) }],
    ["numbers and lists", { given_name: 5, family_name: ["x"] }],
    ["an address that is an object", { email: { a: 1 } }],
    ["an address with a line break", { email: "dora@acme.example\nBcc: x@y.example" }],
  ] as const
) {
  Deno.test(`a name claim with ${what} neither fails nor shows on the page of the user`, async () => {
    await withProvider(async (app, provider) => {
      provider.falsify = (token) => provider.signed(token, { claims });
      const answer = await signIn(app, "17");
      const [row] = await app.database.all<Record<string, string>>(
        sql`SELECT first_name, last_name, email FROM users WHERE username = 'dora'`,
      );
      const stored = JSON.stringify(row);
      assert.equal(answer.status, 303, await answer.text());
      assert.doesNotMatch(Object.values(row ?? {}).join(), /[\p{Cc}\p{Bidi_C}]/u, stored);
      assert.ok(stored.length < 1_000);
    });
  });
}
