/** Responses of a passkey that must be refused, each with what a genuine one has except for one part. */

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Context } from "../../../../src/auth/mod.ts";
import { AppError } from "../../../../src/base/errors.ts";
import {
  addPasskey,
  beginPasskey,
  checkPasskey,
  requestPasskey,
} from "../../../../src/domain/accounts/second_factors/passkeys.ts";
import { seedUser } from "../../../support/accounts.ts";
import { contextOf, testContext } from "../../../support/context.ts";
import { testDatabase } from "../../../support/database.ts";
import { quickHash } from "../../../support/quick_hash.ts";
import { TestCa } from "../../../support/test_ca/mod.ts";
import { type Claims, Credential, type Response } from "./authenticator.ts";

const PASSWORD = "correct horse battery";
const ORIGIN = "https://certmgr.example";
const RP_ID = "certmgr.example";

/** Ann and Bob, each with a passkey. */
interface Scene extends AsyncDisposable {
  readonly ann: Context;
  readonly bob: Context;
  readonly anns: Credential;
  readonly bobs: Credential;
}

async function startScene(): Promise<Scene> {
  const database = await testDatabase();
  const ctx = testContext({ database });
  const password_hash = quickHash(PASSWORD);
  const [ann, bob] = await Promise.all(
    ["ann", "bob"].map(async (name) => await contextOf(ctx, await seedUser(ctx, name, { password_hash }))),
  ) as [Context, Context];
  const [anns, bobs] = [new Credential(), new Credential()];
  await register(ann, anns);
  await register(bob, bobs);
  return { ann, bob, anns, bobs, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

/** Begins to add a passkey, and returns the sealed state and the challenge. */
async function begin(ctx: Context): Promise<{ setup: string; challenge: string }> {
  const { setup, options } = await beginPasskey(ctx, { name: "Key", current: PASSWORD, address: null });
  return { setup, challenge: JSON.parse(options).challenge };
}

async function request(
  ctx: Context,
  userId: number | null = null,
): Promise<{ setup: string; challenge: string }> {
  const { setup, options } = await requestPasskey(ctx, userId) ?? { setup: "", options: "{}" };
  return { setup, challenge: JSON.parse(options).challenge };
}

async function add(ctx: Context, setup: string, response: unknown): Promise<unknown> {
  return await addPasskey(ctx, { setup, response: JSON.stringify(response), keepSession: 0 });
}

async function register(ctx: Context, credential: Credential, claims: Partial<Claims> = {}): Promise<void> {
  const { setup, challenge } = await begin(ctx);
  await add(ctx, setup, credential.create({ challenge, origin: ORIGIN, rpId: RP_ID, ...claims }));
}

/** Everything that a response may change for a user. */
async function stored({ database }: Context): Promise<unknown> {
  return [
    await database.all(sql`SELECT * FROM passkeys`),
    await database.all(sql`SELECT hash FROM recovery_codes`),
    await database.all(sql`SELECT id FROM sessions`),
  ];
}

/** Returns the code of the error; fails without one, and for a defect. */
async function codeOf(attempt: Promise<unknown>, what = ""): Promise<string> {
  const error = await attempt.then(() => undefined, (error) => error);
  assert.ok(error instanceof AppError, error === undefined ? `${what} was accepted` : String(error.stack));
  return error.code;
}

const stranger = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

/** What differs from a genuine response of Ann's passkey. */
const FALSE_CLAIMS: Readonly<Record<string, Partial<Claims>>> = {
  "a foreign origin": { origin: "https://evil.example" },
  "the origin of a subdomain": { origin: "https://evil.certmgr.example" },
  "another port": { origin: `${ORIGIN}:8443` },
  "plain http": { origin: "http://certmgr.example" },
  "the RP ID of another host": { rpId: "evil.example" },
  "the RP ID of the parent domain": { rpId: "example" },
  "no user verification": { flags: 0x01 },
  "no user presence": { flags: 0x04 },
  "another challenge": { challenge: "A".repeat(58) },
};
/** The same, for a sign-in only. */
const FALSE_ANSWERS: Readonly<Record<string, Partial<Claims>>> = {
  ...FALSE_CLAIMS,
  "the type of a registration": { type: "webauthn.create" },
  "the same counter": { count: 7 },
  "a counter that goes back": { count: 6 },
  "a counter that starts again": { count: 0 },
  "the handle of another user": { count: 8, userHandle: "user 2" },
  "the signature of another key": { key: stranger },
};

Deno.test("a genuine response signs in once", async () => {
  await using scene = await startScene();
  const { ann, anns } = scene;
  for (const userId of [null, ann.actor.userId]) {
    const { setup, challenge } = await request(ann, userId);
    const response = JSON.stringify(anns.get({ challenge, origin: ORIGIN, rpId: RP_ID }));
    assert.equal(await checkPasskey(ann, { setup, response, userId }), ann.actor.userId);
    assert.equal(await codeOf(checkPasskey(ann, { setup, response, userId })), "conflict");
    const other = await request(ann, userId);
    assert.equal(await codeOf(checkPasskey(ann, { ...other, response, userId })), "unauthenticated");
  }
});

for (const [what, claims] of Object.entries(FALSE_ANSWERS)) {
  Deno.test(`a sign-in with ${what} is refused and changes nothing`, async () => {
    await using scene = await startScene();
    const { ann, anns } = scene;
    const { setup: first, challenge: used } = await request(ann);
    const genuine = anns.get({ challenge: used, origin: ORIGIN, rpId: RP_ID, count: 7 });
    await checkPasskey(ann, { setup: first, response: JSON.stringify(genuine), userId: null });
    const before = await stored(ann);
    for (const userId of [null, ann.actor.userId]) {
      const { setup, challenge } = await request(ann, userId);
      const response = anns.get({ challenge, origin: ORIGIN, rpId: RP_ID, count: 8, ...claims });
      const given = { setup, response: JSON.stringify(response), userId };
      assert.equal(await codeOf(checkPasskey(ann, given)), "unauthenticated");
    }
    assert.deepEqual(await stored(ann), before);
  });
}

Deno.test("a sign-in at a subdomain that claims the service's RP ID is refused, also if it forwards its name", async () => {
  await using scene = await startScene();
  const { ann, anns } = scene;
  for (const origin of ["https://evil.certmgr.example", "https://www.certmgr.example:8443"]) {
    const there = { ...ann, baseUrl: origin };
    const { setup, challenge } = await request(there);
    const response = JSON.stringify(anns.get({ challenge, origin, rpId: RP_ID }));
    assert.equal(await codeOf(checkPasskey(there, { setup, response, userId: null })), "unauthenticated");
  }
});

Deno.test("a challenge and a passkey are those of the user of the second step", async () => {
  await using scene = await startScene();
  const { ann, bob, anns, bobs } = scene;
  const [annId, bobId] = [ann.actor.userId as number, bob.actor.userId as number];
  const answer = (credential: Credential, challenge: string): string =>
    JSON.stringify(credential.get({ challenge, origin: ORIGIN, rpId: RP_ID }));
  const forAnn = await request(ann, annId);
  const cases = [
    ["Bob's passkey at Ann's second step", { ...forAnn, userId: annId, by: bobs }, "unauthenticated"],
    ["Ann's challenge at Bob's second step", { ...forAnn, userId: bobId, by: bobs }, "conflict"],
    ["Ann's challenge without a user", { ...forAnn, userId: null, by: anns }, "conflict"],
    [
      "a challenge of no user at Ann's second step",
      { ...await request(ann), userId: annId, by: anns },
      "conflict",
    ],
    ["the challenge of a registration", { ...await begin(ann), userId: annId, by: anns }, "conflict"],
    ["an unknown passkey", { ...forAnn, userId: annId, by: new Credential() }, "unauthenticated"],
  ] as const;
  const before = await stored(ann);
  for (const [what, { setup, challenge, userId, by }, code] of cases) {
    const given = { setup, response: answer(by, challenge), userId };
    assert.equal(await codeOf(checkPasskey(ann, given)), code, what);
  }
  assert.deepEqual(await stored(ann), before);
});

for (const [what, claims] of Object.entries(FALSE_CLAIMS)) {
  Deno.test(`a new passkey with ${what} is refused and changes nothing`, async () => {
    await using scene = await startScene();
    const before = await stored(scene.ann);
    assert.equal(await codeOf(register(scene.ann, new Credential(), claims)), "invalid");
    assert.deepEqual(await stored(scene.ann), before);
  });
}

Deno.test("a credential id is registered once, for all users", async () => {
  await using scene = await startScene();
  const { ann, bob, anns } = scene;
  const copy = new Credential(Uint8Array.fromBase64(anns.id, { alphabet: "base64url" }));
  const before = await stored(ann);
  for (const ctx of [ann, bob]) assert.equal(await codeOf(register(ctx, copy)), "conflict");
  assert.deepEqual(await stored(ann), before);
  const { setup, challenge } = await request(ann);
  const response = JSON.stringify(copy.get({ challenge, origin: ORIGIN, rpId: RP_ID }));
  assert.equal(await codeOf(checkPasskey(ann, { setup, response, userId: null })), "unauthenticated");
});

Deno.test("the challenge of a registration is for one user, once, and not that of a sign-in", async () => {
  await using scene = await startScene();
  const { ann, bob } = scene;
  const made = (challenge: string): Response =>
    new Credential().create({ challenge, origin: ORIGIN, rpId: RP_ID });
  const { setup, challenge } = await begin(ann);
  assert.equal(await codeOf(add(bob, setup, made(challenge))), "conflict");
  const other = await request(ann);
  assert.equal(await codeOf(add(ann, other.setup, made(other.challenge))), "conflict");
  await add(ann, setup, made(challenge));
  assert.equal(await codeOf(add(ann, setup, made(challenge))), "conflict");
});

Deno.test("certificates of an attestation, which nobody asked for, are not read", async () => {
  await using scene = await startScene();
  const { ann } = scene;
  const { der } = await (await TestCa.root({ cn: "Authenticators" })).issue({ cn: "Model 1" });
  const before = await stored(ann);
  for (const fmt of ["packed", "fido-u2f", "tpm", "apple", "android-key", "android-safetynet", "", "other"]) {
    for (
      const statement of [new Map<string, unknown>([["alg", -7], ["sig", der], ["x5c", [der]]]), new Map()]
    ) {
      const error = await register(ann, new Credential(), { fmt, statement }).then(
        () => undefined,
        (error) => error,
      );
      assert.match(String(error?.cause), /attestation/, fmt);
    }
  }
  assert.deepEqual(await stored(ann), before);
});

/** Texts that are no response. */
const GARBAGE: readonly unknown[] = [
  null,
  1,
  "x",
  [],
  {},
  { id: 1 },
  { id: {} },
  { id: "" },
  { response: null },
  { response: [] },
  { __proto__: { id: "x" } },
];

const FALSE_VALUES: readonly unknown[] = [
  undefined,
  null,
  1,
  {},
  [],
  "",
  "A",
  "AAAA",
  "%",
  "A".repeat(15_000),
];

Deno.test("what is no response of a browser is refused, and is no defect", async () => {
  await using scene = await startScene();
  const { ann, anns } = scene;
  const before = await stored(ann);
  const { setup, challenge } = await request(ann);
  const genuine = anns.get({ challenge, origin: ORIGIN, rpId: RP_ID });
  const made = new Credential().create({
    challenge: (await begin(ann)).challenge,
    origin: ORIGIN,
    rpId: RP_ID,
  });
  const falsified = ({ response, clientExtensionResults: _, ...rest }: Response): unknown[] => [
    ...GARBAGE,
    ...Object.keys(rest).map((name) => ({ ...rest, response, [name]: undefined })),
    ...Object.keys(response).filter((name) => name !== "transports").flatMap((name) =>
      FALSE_VALUES.map((value) => ({ ...rest, response: { ...response, [name]: value } }))
    ),
  ];
  for (const response of falsified(genuine)) {
    const given = { setup, response: JSON.stringify(response), userId: null };
    assert.equal(await codeOf(checkPasskey(ann, given), given.response), "unauthenticated", given.response);
  }
  for (const text of ["", "{", "[".repeat(19_000), " ".repeat(1_000_000)]) {
    assert.equal(await codeOf(checkPasskey(ann, { setup, response: text, userId: null })), "unauthenticated");
  }
  const { setup: first } = await begin(ann);
  for (const response of falsified(made)) {
    const text = JSON.stringify(response);
    assert.equal(await codeOf(add(ann, first, response), text), "invalid", text);
  }
  assert.deepEqual(await stored(ann), before);
});

Deno.test("transports that are no list of words are left out", async () => {
  await using scene = await startScene();
  const { ann, anns } = scene;
  for (const transports of [...FALSE_VALUES, [1], [null], ["usb", {}], Array<string>(500).fill("usb")]) {
    const { setup, challenge } = await begin(ann);
    const made = new Credential().create({ challenge, origin: ORIGIN, rpId: RP_ID });
    await add(ann, setup, { ...made, response: { ...made.response, transports } });
  }
  const { options } = await requestPasskey(ann, ann.actor.userId) ?? { options: "{}" };
  const { allowCredentials: [first, ...others] } = JSON.parse(options);
  assert.deepEqual([first.id, first.transports], [anns.id, ["internal"]]);
  for (const { transports } of others) assert.deepEqual(transports, []);
});
