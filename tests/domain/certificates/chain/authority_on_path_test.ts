/** The authority of a certificate is the nearest tracked one on its path. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { formatDatetime } from "../../../../src/base/clock.ts";
import { evaluateInUse } from "../../../../src/domain/system/jobs/evaluate_in_use.ts";
import { type Client, type TestApp, testApp } from "../../../support/app.ts";
import { callJson as call } from "../../../support/call_json.ts";
import { certificate, PATHS } from "../../../support/paths.ts";
import { seed } from "../../../support/seed.ts";
import { storeCertificates } from "../../../support/stored.ts";
import { TestCa, type TestCertificate } from "../../../support/test_ca/mod.ts";
import { browserOf } from "../../../web/imports/browser.ts";

const key = "ed25519";
const root = await TestCa.root({ key, cn: "Nordwind Root" });
const policy = await root.intermediate({ key, cn: "Nordwind Policy CA" });
const issuing = await policy.intermediate({ key, cn: "Nordwind Issuing CA" });
const leaf = await issuing.issue({ key, cn: "www.nordwind.example" });
const stranger = await TestCa.root({ key, cn: "Nordwind Policy CA" });
const forged = await policy.intermediate({
  key: issuing.key,
  cn: "Nordwind Issuing CA",
  brokenSignature: true,
});

/** Authorities by PEM, or by a pattern of the issuer. */
type Tracked = Readonly<Record<string, TestCertificate | string>>;

async function track(
  client: Client,
  tracked: Tracked,
): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const [name, by] of Object.entries(tracked)) {
    const given = typeof by === "string" ? { issuer_pattern: by } : { pem_content: by.pem };
    ids.set(
      name,
      (await call(client, PATHS.authorities, "POST", { name, ...given })).id,
    );
  }
  return ids;
}

function nameOf(client: Client, id: number): Promise<string | null> {
  return call(client, certificate(id)).then((row) => row.issuing_ca?.name ?? null);
}

async function store(
  app: TestApp,
  ...many: Record<string, unknown>[]
): Promise<number> {
  return (await storeCertificates(app, many)).at(-1) as number;
}

const pems = (...many: TestCertificate[]): Record<string, unknown>[] =>
  many.map(({ pem }) => ({ pem_content: pem }));

const CASES: readonly [
  what: string,
  given: {
    tracked: Tracked;
    stored?: TestCertificate[];
    fields?: Record<string, unknown>;
    expected: [created: string | null, validated: string | null];
  },
][] = [
  ["a root above stored intermediates", {
    tracked: { root },
    stored: [policy, issuing],
    expected: [null, "root"],
  }],
  ["a root above the certificate's own chain", {
    tracked: { root },
    fields: { issuer_chain: issuing.pem + policy.pem },
    expected: [null, "root"],
  }],
  ["the nearest of two", {
    tracked: { root, policy },
    stored: [issuing],
    expected: [null, "policy"],
  }],
  ["one that is known by the name of an issuer on the path", {
    tracked: { pattern: "nordwind policy" },
    stored: [policy, issuing],
    expected: [null, "pattern"],
  }],
  ["the direct issuer", {
    tracked: { root, issuing },
    expected: ["issuing", "issuing"],
  }],
  ["a chosen one", {
    tracked: { root },
    stored: [policy, issuing],
    fields: { issuing_ca: seed.authorities.idle },
    expected: ["idle", "idle"],
  }],
  ["a chosen one further away", {
    tracked: { root, policy },
    stored: [issuing],
    fields: { issuing_ca: { name: "root" } },
    expected: ["root", "root"],
  }],
  ["none beyond a missing intermediate", {
    tracked: { root },
    stored: [policy],
    expected: [null, null],
  }],
  ["none above an issuer whose signature is invalid", {
    tracked: { root },
    fields: { issuer_chain: forged.pem + policy.pem },
    expected: [null, null],
  }],
];
for (const [what, { tracked, stored = [], fields = {}, expected }] of CASES) {
  Deno.test(`issuing_ca: ${what}`, async () => {
    await using app = await testApp();
    const client = await app.as("superuser");
    await call(
      client,
      `${PATHS.authorities}${seed.authorities.idle}/`,
      "PATCH",
      { name: "idle" },
    );
    const ids = await track(client, tracked);
    await store(app, ...pems(...stored));
    const { id } = await call(client, PATHS.certificates, "POST", {
      pem_content: leaf.pem,
      ...fields,
    });
    const before = await nameOf(client, id);
    await call(client, certificate(id, "validate-chain/"), "POST");
    assert.deepEqual([before, await nameOf(client, id)], expected);
    const authority = expected[1] === "idle" ? seed.authorities.idle : ids.get(expected[1] ?? "");
    if (authority === undefined) return;
    const { certificate_count: count } = await call(
      client,
      `${PATHS.authorities}${authority}/`,
    );
    const { results } = await call(
      client,
      `${PATHS.certificates}?issuing_ca_id=${authority}`,
    );
    assert.equal(count, results.length);
    assert.ok(results.some((row: { id: number }) => row.id === id));
  });
}

Deno.test("issuing_ca follows authorities that are added, changed and removed, unless it was chosen", async () => {
  await using app = await testApp();
  const never = {
    ctx: {
      ...app.ctx,
      settings: { ...app.ctx.settings, evaluationTime: null },
    },
  };
  const client = await app.as("superuser");
  const [chosen, found] = [
    await store(app, ...pems(policy, issuing, leaf)),
    await store(
      app,
      ...pems(await issuing.issue({ key, cn: "www2.nordwind.example" })),
    ),
  ];
  const names = async (): Promise<unknown[]> => {
    app.clock.advance(1_000);
    await evaluateInUse(never);
    return [await nameOf(client, chosen), await nameOf(client, found)];
  };
  const validate = (): Promise<unknown> =>
    call(client, `${PATHS.certificates}bulk-validate-chain/`, "POST", {
      ids: [chosen, found],
    });
  await validate();
  const ids = await track(client, { root });
  assert.deepEqual(await names(), ["root", "root"], "an authority is added");
  // Its own values again are no choice.
  await call(client, certificate(found), "PATCH", {
    issuing_ca: ids.get("root"),
  });
  await call(client, certificate(chosen), "PATCH", {
    issuing_ca: seed.authorities.idle,
  });
  await call(client, certificate(chosen), "PATCH", {
    issuing_ca: ids.get("root"),
  });
  await validate();
  const near = await track(client, { policy });
  assert.deepEqual(await names(), ["root", "policy"], "a nearer one is added");
  const path = `${PATHS.authorities}${near.get("policy")}/`;
  await call(client, path, "PATCH", { pem_content: stranger.pem });
  await validate();
  assert.deepEqual(await names(), ["root", "root"], "it becomes another one");
  await call(client, path, "PATCH", { pem_content: issuing.pem });
  assert.deepEqual(
    await names(),
    ["root", "policy"],
    "it becomes a nearer one",
  );
  await call(client, path, "DELETE");
  assert.deepEqual(await names(), ["root", null], "it is removed");
  await validate();
  assert.deepEqual(await names(), ["root", "root"]);
});

Deno.test("an authority expires with its PEM, or else with the latest certificate of it on a path", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const expiry = async (id = 0): Promise<unknown> =>
    (await call(client, `${PATHS.authorities}${id}/`)).valid_to;
  const day = (one: TestCertificate): string => formatDatetime(one.certificate.validity.notAfter);
  const early = await policy.intermediate({
    key: issuing.key,
    cn: "Nordwind Issuing CA",
    notAfter: "2034-01-01",
  });
  const ids = await track(client, { root, issuing: "Nordwind Issuing CA" });
  assert.equal(await expiry(ids.get("root")), day(root));
  assert.equal(await expiry(ids.get("issuing")), null);
  for (
    const [chain, expected] of [
      [early.pem + policy.pem, day(early)],
      [forged.pem, day(early)],
      [issuing.pem + policy.pem, day(issuing)],
      [early.pem + policy.pem, day(issuing)],
    ] as const
  ) {
    await app.database.write((tx) =>
      tx.run(sql`DELETE FROM certificates WHERE common_name = 'www.nordwind.example'`)
    );
    const id = await store(app, { pem_content: leaf.pem, issuer_chain: chain });
    await call(client, `${certificate(id)}validate-chain/`, "POST");
    assert.equal(await expiry(ids.get("issuing")), expected);
  }
  const page = (await (await browserOf(app)).get("/authorities/")).html;
  assert.ok(page.includes(day(issuing).slice(0, 10)), "CA expires");
});
