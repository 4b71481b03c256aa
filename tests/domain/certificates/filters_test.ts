/** Compares every filter of certificates with a predicate in memory over the same rows. */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { granted } from "../../support/actors.ts";
import { type Client, testApp } from "../../support/app.ts";
import { PATHS } from "../../support/paths.ts";
import { seed } from "../../support/seed.ts";
import { metadata, storeCertificates } from "../../support/stored.ts";

/** A certificate as the list returns it. */
// deno-lint-ignore no-explicit-any
type Row = any;
type Predicate = (row: Row) => boolean;

const lower = (text: string): string => text.toLowerCase();
const hex = (text: string): string => lower(text).replaceAll(":", "").replace(/^0+(?=.)/, "");
const slugs = (row: Row): string[] => row.tags.map((tag: Row) => tag.slug);
const sanHas = (row: Row, part: string): boolean =>
  row.sans.some((san: string) => lower(san).includes(lower(part)));
const isMetadata = (row: Row): boolean => row.issuer === "C=US, O=Metadata CA, CN=Issuer 1";
const NOON = "2026-06-15T12:00:00Z";

/** Both are assigned to a device. */
const ASSIGNED = [seed.certificates.acmeWeb, seed.certificates.globexWeb];

/** Filters of the specification, and further ones. */
const FILTERS: readonly (readonly [query: string, predicate: Predicate])[] = [
  ["common_name=acme", (row) => row.common_name.includes("acme")],
  ["common_name=Acme", (row) => row.common_name.includes("Acme")],
  [`valid_to_before=${NOON}`, (row) => row.valid_to <= NOON],
  [`valid_to_after=${NOON}`, (row) => row.valid_to >= NOON],
  ["common_name__ic=ACME", (row) => lower(row.common_name).includes("acme")],
  ["common_name__nic=acme", (row) => !lower(row.common_name).includes("acme")],
  ["common_name__isw=WWW", (row) => lower(row.common_name).startsWith("www")],
  ["common_name__nisw=www", (row) => !lower(row.common_name).startsWith("www")],
  ["common_name__iew=GLOBEX.example", (row) => lower(row.common_name).endsWith("globex.example")],
  ["common_name__niew=acme.example", (row) => !lower(row.common_name).endsWith("acme.example")],
  ["common_name__ie=WWW.acme.EXAMPLE", (row) => lower(row.common_name) === "www.acme.example"],
  ["common_name__nie=www.acme.example", (row) => lower(row.common_name) !== "www.acme.example"],
  ["common_name__n=www.acme.example", (row) => row.common_name !== "www.acme.example"],
  ["common_name__regex=^[a-s]", (row) => /^[a-s]/.test(row.common_name)],
  ["common_name__iregex=^WWW\\.", (row) => /^WWW\./i.test(row.common_name)],
  ["common_name=bücher", (row) => row.common_name.includes("bücher")],
  ["common_name=w", (row) => row.common_name.includes("w")],
  ["common_name=twin&common_name=today", (row) => /twin|today/.test(row.common_name)],
  ["status=active", (row) => row.status === "active"],
  ["status=active&status=revoked", (row) => ["active", "revoked"].includes(row.status)],
  ["status__n=active", (row) => row.status !== "active"],
  [`tenant_id=${seed.tenants.acme}`, (row) => row.tenant?.id === seed.tenants.acme],
  ["tenant_id=null", (row) => row.tenant === null],
  ["tenant_id__n=1", (row) => row.tenant?.id !== 1],
  ["tenant=globex", (row) => row.tenant?.slug === "globex"],
  ["tenant=Globex Corp", (row) => row.tenant?.name === "Globex Corp"],
  ["tenant=acme&tenant=globex", (row) => row.tenant !== null],
  ["tenant__n=acme", (row) => row.tenant?.slug !== "acme"],
  ["tenant=null&status=active", (row) => row.tenant === null && row.status === "active"],
  ["tenant_id=null&tenant_id=2", (row) => row.tenant === null || row.tenant.id === 2],
  ["tenant__name__ic=ACME", (row) => lower(row.tenant?.name ?? "").includes("acme")],
  ["tenant__empty=true", (row) => row.tenant === null],
  ["issuer=let's encrypt", (row) => lower(row.issuer).includes("let's encrypt")],
  // Orders and notations of names; a single part, and one in another notation that has no such name.
  ["issuer__ie=CN=Issuer 1,O=Metadata CA,C=US", isMetadata],
  ["issuer=CN=Issuer 1, O=Metadata CA", isMetadata],
  ["issuer__ic=/C=US/O=Metadata CA/CN=Issuer 1", isMetadata],
  ["issuer__isw=/C=US/O=Metadata CA", isMetadata],
  ["issuer__n=C = US, O = Metadata CA, CN = Issuer 1", (row) => !isMetadata(row)],
  ["q=/C=US/O=Metadata CA/CN=Issuer 1", isMetadata],
  ["q=CN=Issuer 1,O=Metadata CA,C=US", isMetadata],
  ["issuer=CN=Issuer 1", (row) => lower(row.issuer).includes("cn=issuer 1")],
  ["issuer=O=Metadata CA,C=US", isMetadata],
  ["issuer=50%_off", (row) => row.issuer.includes("50%_off")],
  ["issuer=\\", (row) => row.issuer.includes("\\")],
  ["issuer__ie=cn=another ISSUER", (row) => lower(row.issuer) === "cn=another issuer"],
  ["issuing_ca_id=1", (row) => row.issuing_ca?.id === 1],
  ["issuing_ca_id=null", (row) => row.issuing_ca === null],
  ["issuing_ca=Let's Encrypt", (row) => row.issuing_ca?.name === "Let's Encrypt"],
  ["has_issuing_ca=true", (row) => row.issuing_ca !== null],
  ["has_issuing_ca=false", (row) => row.issuing_ca === null],
  [`valid_to__lt=${NOON}`, (row) => row.valid_to < NOON],
  ["valid_to__lt=2026-06-15", (row) => row.valid_to < "2026-06-15T00:00:00Z"],
  ["valid_to__lte=2026-06-15T11:59:59Z", (row) => row.valid_to <= "2026-06-15T11:59:59Z"],
  ["valid_to__gt=2026-06-15T13:59:59%2B02:00", (row) => row.valid_to > "2026-06-15T11:59:59Z"],
  ["valid_to__gte=2026-07-16", (row) => row.valid_to >= "2026-07-16T00:00:00Z"],
  ["valid_to=2026-07-16", (row) => row.valid_to === "2026-07-16T00:00:00Z"],
  ["valid_to__n=2026-12-31T23:59:59", (row) => row.valid_to !== "2026-12-31T23:59:59Z"],
  ["valid_from__gte=2026-05-01", (row) => row.valid_from >= "2026-05-01T00:00:00Z"],
  [
    "valid_from__lt=2026-05-01&valid_to__gt=2026-07-01",
    (row) => row.valid_from < "2026-05" && row.valid_to > "2026-07",
  ],
  ["tag=prod", (row) => slugs(row).includes("prod")],
  ["tag=prod&tag=pci", (row) => slugs(row).includes("prod") && slugs(row).includes("pci")],
  ["tag__n=prod", (row) => !slugs(row).includes("prod")],
  [`tag_id=${seed.tags.staging}`, (row) => slugs(row).includes("staging")],
  ["is_acme=true", (row) => row.is_acme],
  ["is_acme=false", (row) => !row.is_acme],
  ["acme_provider=letsencrypt", (row) => row.acme_provider === "letsencrypt"],
  ["acme_provider=letsencrypt&acme_provider=letsencrypt_staging", (row) => row.is_acme],
  ["acme_provider__empty=true", (row) => row.acme_provider === ""],
  ["acme_auto_renewal=true", (row) => row.acme_auto_renewal],
  ["acme_auto_renewal=False", (row) => !row.acme_auto_renewal],
  ["algorithm=rsa", (row) => row.algorithm === "rsa"],
  ["algorithm=ecdsa&algorithm=ed25519", (row) => ["ecdsa", "ed25519"].includes(row.algorithm)],
  ["key_size=2048", (row) => row.key_size === 2048],
  ["key_size__lt=2048", (row) => row.key_size !== null && row.key_size < 2048],
  ["key_size__gte=2048", (row) => row.key_size !== null && row.key_size >= 2048],
  ["key_size=null", (row) => row.key_size === null],
  ["key_size__empty=false", (row) => row.key_size !== null],
  ["key_size__n=2048", (row) => row.key_size !== 2048],
  ["serial_number=010002", (row) => hex(row.serial_number) === "10002"],
  ["serial_number=1:00:02", (row) => hex(row.serial_number) === "10002"],
  ["serial_number=000000000a1b2c", (row) => hex(row.serial_number) === "a1b2c"],
  ["serial_number__n=7F", (row) => hex(row.serial_number) !== "7f"],
  ["serial_number__isw=0A:1b", (row) => hex(row.serial_number).startsWith("a1b")],
  [`fingerprint_sha256=${"ab:".repeat(31)}AB`, (row) => hex(row.fingerprint_sha256) === "ab".repeat(32)],
  ["fingerprint_sha256__isw=ABAB", (row) => hex(row.fingerprint_sha256).startsWith("abab")],
  ["san=api-2", (row) => sanHas(row, "api-2")],
  ["san=IP:192", (row) => sanHas(row, "IP:192")],
  ["san__ie=API.ACME.example", (row) => row.sans.some((san: string) => lower(san) === "api.acme.example")],
  ["san__empty=true", (row) => row.sans.length === 0],
  ["san__iregex=^alt\\.", (row) => row.sans.some((san: string) => /^alt\./i.test(san))],
  ["expiry_status=expired", (row) => row.expiry_status === "expired"],
  ["expiry_status=critical", (row) => row.expiry_status === "critical"],
  ["expiry_status=warning", (row) => row.expiry_status === "warning"],
  ["expiry_status=ok", (row) => row.expiry_status === "ok"],
  ["expiry_status=critical&expiry_status=warning", (row) => row.is_expiring_soon],
  ["expired=true", (row) => row.is_expired],
  ["expired=false", (row) => !row.is_expired],
  ["expiring_soon=true", (row) => row.is_expiring_soon],
  ["expiring_soon=false", (row) => !row.is_expiring_soon],
  ["has_assignments=true", (row) => row.assignment_count > 0],
  ["assigned_or_served=true", (row) => row.assignment_count + row.endpoint_count > 0],
  ["assigned_or_served=false", (row) => row.assignment_count + row.endpoint_count === 0],
  ["has_assignments=false", (row) => row.assignment_count === 0],
  [`device_id=${seed.devices.edge}`, (row) => row.id === seed.certificates.acmeWeb],
  [`device_id=${seed.devices.edge}&device_id=${seed.devices.spare}`, (row) => ASSIGNED.includes(row.id)],
  [`device_id__n=${seed.devices.edge}`, (row) => row.id !== seed.certificates.acmeWeb],
  ["device=edge-2", (row) => row.id === seed.certificates.globexWeb],
  ["device=edge-1&device=edge-2", (row) => ASSIGNED.includes(row.id)],
  ["device__empty=true", (row) => !ASSIGNED.includes(row.id)],
  ["device__description__ic=FRONT", (row) => row.id === seed.certificates.acmeWeb],
  ["replaced_by_id=1", (row) => row.replaced_by?.id === 1],
  ["replaced_by_id=null", (row) => row.replaced_by === null],
  ["pem_matches=true", (row) => row.pem_matches === true],
  ["pem_matches=null", (row) => row.pem_matches === null],
  ["private_key_location=VAULT", (row) => lower(row.private_key_location).includes("vault")],
  ["private_key_location__empty=true", (row) => row.private_key_location === ""],
  ["comments__ic=RACK", (row) => lower(row.comments).includes("rack")],
  ["comments__nic=rack", (row) => !lower(row.comments).includes("rack")],
  ["comments__empty=true", (row) => row.comments === ""],
  ["comments__iregex=^behind", (row) => /^behind/i.test(row.comments)],
  ["description__ic=SHOP", (row) => lower(row.description).includes("shop")],
  ["renewal_note__isw=ask", (row) => lower(row.renewal_note).startsWith("ask")],
  ["id=1&id=7&id=999", (row) => [1, 7].includes(row.id)],
  ["id__gt=10", (row) => row.id > 10],
  ["id__in=3", (row) => row.id === 3],
  ["created__gt=2026-06-14T12:00:20Z", (row) => row.created > "2026-06-14T12:00:20Z"],
  [
    "q=ACME",
    (row) => [row.common_name, row.issuer, ...row.sans].some((text) => lower(text).includes("acme")),
  ],
  ["q=r1", (row) => [row.common_name, row.issuer, ...row.sans].some((text) => lower(text).includes("r1"))],
  ["q=xn--bcher", (row) => sanHas(row, "xn--bcher")],
  // Ends of numbers with four digits, parts with six; in a name, too.
  ["q=0A:1B", (row) => hex(row.serial_number).startsWith("a1b")],
  ["q=1b2c", (row) => hex(row.serial_number).endsWith("1b2c")],
  [`q=${"ba:".repeat(4)}`, (row) => hex(row.fingerprint_sha256).includes("babababa")],
  ["q=IP:192", (row) => sanHas(row, "IP:192")],
  ["q=EDGE-2", (row) => row.id === seed.certificates.globexWeb],
  ["q=Web team", (row) => row.owner?.contact.display === "Web team"],
  ["owner_name=NETWORK", (row) => lower(row.owner?.contact.display ?? "").includes("network")],
  ["owner_name=web@acme.example", (row) => row.owner?.contact.display === "Web team"],
  ["lifetime_days__gt=200", (row) => row.lifetime_days > 200],
  [
    "lifetime_days__lte=200&lifetime_days__gte=160",
    (row) => row.lifetime_days >= 160 && row.lifetime_days <= 200,
  ],
  ["tls_version=TLS 1.3", (row) => row.id === seed.certificates.acmeWeb],
  ["tenant=acme&status=active&tag=prod&q=api", (row) => row.id === seed.certificates.acmeCritical],
];

/** Filters that match all of these rows or none of them. */
const EXTREMES: readonly (readonly [query: string, predicate: Predicate])[] = [
  ["common_name=WWW.ACME", () => false],
  ["chain_status=null", (row) => row.chain_status === null],
  ["chain_status=valid", (row) => row.chain_status === "valid"],
  ["chain_is_valid=null", (row) => row.chain_is_valid === null],
  ["pem_matches=false", (row) => row.pem_matches === false],
  ["issuer=%25", (row) => row.issuer.includes("%")],
  ["common_name__empty=true", () => false],
  ["tenant=nobody", () => false],
  ["tag=nothing", () => false],
  ["tag=prod&tag=nothing", () => false],
  ["id=999999", () => false],
  ["device_id=999999", () => false],
  ["device=nobody", () => false],
  ["device_id__n=999999", () => true],
  ["virtual_machine__empty=true", () => true],
  [`service_id=${seed.services.https}`, () => false],
  ["q=nowhere to be found", () => false],
  ["q=' OR 1=1 --", () => false],
  ["q=b2c1", () => false],
  ["tls_version=TLS 1.2", () => false],
  ['q="NEAR(acme', () => false],
];

async function idsOf(client: Client, query: string): Promise<number[]> {
  const response = await client(`${PATHS.certificates}?limit=0&fields=id&ordering=id&${query}`);
  const body = await response.json();
  assert.equal(response.status, 200, `${query} → ${JSON.stringify(body)}`);
  assert.equal(body.count, body.results.length, `Count of ${query}`);
  return body.results.map((row: Row) => row.id);
}

Deno.test("A certificate filter selects the rows that the same filter in memory selects", async (t) => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const notes = { description: "The shop", comments: "Behind the rack.", renewal_note: "Ask Bob." };
  await client(`${PATHS.certificates}${seed.certificates.acmeWeb}/`, { method: "PATCH", body: notes });
  // A server that has had TLS 1.2 first.
  await app.database.write(async (tx) => {
    await tx.run(sql`UPDATE endpoints SET certificate_id = ${seed.certificates.acmeWeb} WHERE id = 1`);
    await tx.run(sql`UPDATE observations SET tls_version = 'TLS 1.2' WHERE endpoint_id = 1`);
    await tx.run(
      sql`INSERT INTO observations (id, endpoint_id, address, certificate_id, tls_version, state, first_seen,
      last_seen, created, last_updated) SELECT id + 1000, endpoint_id, address, certificate_id, 'TLS 1.3', state,
      first_seen, last_seen, created, last_updated FROM observations WHERE endpoint_id = 1`,
    );
  });
  const rows: Row[] = (await (await client(`${PATHS.certificates}?limit=0`)).json()).results;
  for (const [query, predicate] of [...FILTERS, ...EXTREMES]) {
    await t.step(query, async () => {
      const expected = rows.filter(predicate).map((row) => row.id);
      assert.deepEqual(await idsOf(client, query), expected);
    });
  }
  await t.step("and each of them selects some rows, but not all", () => {
    for (const [query, predicate] of FILTERS) {
      const count = rows.filter(predicate).length;
      assert(count > 0 && count < rows.length, `${query} selects ${count} of ${rows.length} rows`);
    }
  });
});

Deno.test("Filters on expiry agree with the fields on each day around the limits", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (let days = 0; days < 40; days++) {
    const rows: Row[] = (await (await client(`${PATHS.certificates}?limit=0`)).json()).results;
    for (const status of ["expired", "critical", "warning", "ok"]) {
      const expected = rows.filter((row) => row.expiry_status === status).map((row) => row.id);
      assert.deepEqual(
        await idsOf(client, `expiry_status=${status}`),
        expected,
        `${status} after ${days} days`,
      );
    }
    const soon = rows.filter((row) => row.is_expiring_soon).map((row) => row.id);
    assert.deepEqual(await idsOf(client, "expiring_soon=true"), soon, `Soon after ${days} days`);
    for (const limit of [0, 1, 17]) {
      const within = rows.filter((row) => !row.is_expired && row.days_remaining <= limit).map(({ id }) => id);
      assert.deepEqual(await idsOf(client, `expires_within=${limit}`), within, `${limit} after ${days} days`);
    }
    app.clock.advance(86_400_000);
  }
});

Deno.test("expires_within refuses what is no number of days", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  for (const none of ["-1", "-9007199254740991"]) {
    assert.deepEqual(await idsOf(client, `expires_within=${none}`), []);
  }
  assert.ok((await idsOf(client, "expires_within=9007199254740991")).length > 0);
  for (const value of ["90d", "1.5", "soon", ""]) {
    const response = await client(`${PATHS.certificates}?expires_within=${value}`);
    assert.equal(response.status, 400, value);
    assert.ok(Object.keys(await response.json()).includes("expires_within"), value);
  }
});

Deno.test("the last second of the validity is inside of it (RFC 5280 §4.1.2.5), in fields and filters alike", async () => {
  await using app = await testApp();
  const client = await app.as("superuser");
  const id = seed.certificates.globexLastDay;
  const look = async (): Promise<[boolean, string, boolean]> => {
    const row: Row = await (await client(`${PATHS.certificates}${id}/`)).json();
    return [row.is_expired, row.expiry_status, (await idsOf(client, "expired=true")).includes(id)];
  };
  app.clock.advance(6 * 3_600_000);
  assert.deepEqual(await look(), [false, "critical", false]);
  app.clock.advance(999);
  assert.deepEqual(await look(), [false, "critical", false]);
  app.clock.advance(1);
  assert.deepEqual(await look(), [true, "expired", true]);
});

Deno.test("weak_key finds RSA and DSA keys below 2048 bits and elliptic-curve keys below 256 bits", async () => {
  await using app = await testApp();
  const keys = [
    ["rsa", 1024, true],
    ["rsa", 2047, true],
    ["rsa", 2048, false],
    ["rsa", null, false],
    ["ecdsa", 192, true],
    ["ecdsa", 224, true],
    ["ecdsa", 256, false],
    ["ecdsa", 521, false],
    ["ed25519", 256, false],
    // DSA, Ed448, ML-DSA.
    ["unknown", 1024, true],
    ["unknown", 456, false],
    ["unknown", null, false],
  ] as const;
  const ids = await storeCertificates(
    app,
    keys.map(([algorithm, key_size], index) => metadata(index + 1, { algorithm, key_size })),
  );
  const client = await app.as("superuser");
  for (const weak of [true, false]) {
    const answer = await client(`${PATHS.certificates}?weak_key=${weak}&limit=1000&id__gte=${ids[0]}`);
    const { results } = await answer.json();
    assert.deepEqual(
      results.map(({ id }: Row) => id).sort((one: number, other: number) => one - other),
      ids.filter((_, index) => keys[index]?.[2] === weak),
    );
  }
});

Deno.test("has_approved_authority finds certificates of approved authorities that the caller may view", async () => {
  await using app = await testApp();
  const { database } = app.ctx;
  const [one, other, ...more] = (await database.all<{ id: number }>(
    sql`SELECT id FROM certificates WHERE archived = 0 ORDER BY id`,
  )).map(({ id }) => id);
  const [yes, no] = (await database.all<{ id: number }>(
    sql`SELECT id FROM certificate_authorities ORDER BY id LIMIT 2`,
  )).map(({ id }) => id);
  await database.write((tx) =>
    tx.runAll([
      sql`UPDATE certificate_authorities SET is_approved = (id = ${yes})`,
      sql`UPDATE certificates SET issuing_ca_id = CASE id WHEN ${one} THEN ${yes} WHEN ${other} THEN ${no} END`,
    ])
  );
  const found = async (as: Parameters<typeof app.as>[0], value: boolean): Promise<number[]> => {
    const answer = await (await app.as(as))(
      `${PATHS.certificates}?has_approved_authority=${value}&limit=1000&fields=id`,
    );
    return (await answer.json()).results.map(({ id }: Row) => id).sort((a: number, b: number) => a - b);
  };
  assert.deepEqual(await found("superuser", true), [one]);
  assert.deepEqual(await found("superuser", false), [other, ...more]);
  const blind = granted([{ types: ["certmgr.certificate"], actions: ["view"] }]);
  assert.deepEqual(await found(blind, true), []);
});
