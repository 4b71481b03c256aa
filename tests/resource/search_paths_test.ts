/**
 * Text searches are answered in several ways, depending on the frequency of the text and on the changes since the last
 * count. All have the same rows and counts as a comparison with every certificate in memory.
 */

import assert from "node:assert/strict";
import { sql } from "drizzle-orm";
import { fillInventory } from "../bench/inventory.ts";
import { type Client, type TestApp, testApp } from "../support/app.ts";
import { testDatabase } from "../support/database.ts";
import { PATHS } from "../support/paths.ts";
import { metadata } from "../support/stored.ts";

/** More rows than the sample from which the frequency of a text is measured. */
const COUNT = 6_000;

interface Certificate {
  readonly id: number;
  readonly common_name: string;
  readonly issuer: string;
  readonly status: string;
  readonly valid_to: number;
  readonly tenant_id: number | null;
  readonly sans: readonly string[];
}

async function storedCertificates({ database }: TestApp): Promise<Certificate[]> {
  const rows = await database.all<Certificate & { sans: string }>(
    sql`SELECT id, common_name, issuer, status, valid_to, tenant_id, sans FROM certificates`,
  );
  return rows.map((row) => ({ ...row, sans: JSON.parse(row.sans as unknown as string) }));
}

/** Texts that all, many, few and no certificates have, in names of different kinds, some too short for an index. */
const TEXTS = [
  "example.com",
  "EXAMPLE",
  "e",
  "ap",
  "api-",
  "www.",
  "vpn-1",
  "Let's Encrypt",
  "O=Let",
  "corp",
  "com.example",
  "web-57",
  "late-arrival",
  "100%",
  "xyzzy",
  "é",
];

const has = (value: string, text: string): boolean => value.toLowerCase().includes(text.toLowerCase());

/** Filters on texts, with their predicates. */
const SEARCHES: Readonly<Record<string, (certificate: Certificate, text: string) => boolean>> = {
  q: ({ common_name, issuer, sans }, text) => [common_name, issuer, ...sans].some((name) => has(name, text)),
  common_name__ic: ({ common_name }, text) => has(common_name, text),
  common_name__nic: ({ common_name }, text) => !has(common_name, text),
  issuer__ic: ({ issuer }, text) => has(issuer, text),
  san__ic: ({ sans }, text) => sans.some((name) => has(name, text)),
  san__nic: ({ sans }, text) => !sans.some((name) => has(name, text)),
  san__iew: ({ sans }, text) => sans.some((name) => name.toLowerCase().endsWith(text.toLowerCase())),
};

const FURTHER: Readonly<Record<string, (certificate: Certificate) => boolean>> = {
  "": () => true,
  "status=active": ({ status }) => status === "active",
  "status=revoked": ({ status }) => status === "revoked",
  "tenant_id=7": ({ tenant_id }) => tenant_id === 7,
};

const ORDERS: Readonly<Record<string, (a: Certificate, b: Certificate) => number>> = {
  id: (a, b) => a.id - b.id,
  "-id": (a, b) => b.id - a.id,
  valid_to: (a, b) => a.valid_to - b.valid_to || a.id - b.id,
  common_name: (
    a,
    b,
  ) => (a.common_name < b.common_name ? -1 : a.common_name > b.common_name ? 1 : a.id - b.id),
  "status,-valid_to": (
    a,
    b,
  ) => (a.status < b.status ? -1 : a.status > b.status ? 1 : b.valid_to - a.valid_to || a.id - b.id),
};

/** Returns a function that chooses pseudo-randomly, the same each time. */
function chooser(): <T>(from: readonly T[]) => T {
  let state = 7;
  return (from) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return from[(state >>> 8) % from.length]!;
  };
}

interface Asked {
  readonly search: string;
  readonly text: string;
  readonly further: string;
  readonly order: string;
  readonly offset: number;
}

async function compare(client: Client, all: readonly Certificate[], asked: Asked): Promise<void> {
  const { search, text, further, order, offset } = asked;
  const query = new URLSearchParams(further);
  query.set(search, text);
  query.set("ordering", order);
  query.set("offset", String(offset));
  query.set("limit", "7");
  query.set("fields", "id");
  const response = await client(`${PATHS.certificates}?${query}`);
  const { count, results } = await response.json();
  const expected = all.filter((one) => SEARCHES[search]!(one, text) && FURTHER[further]!(one))
    .sort(ORDERS[order]!);
  const ids = expected.slice(offset, offset + 7).map(({ id }) => id);
  assert.deepEqual(
    { count, ids: results.map(({ id }: { id: number }) => id) },
    { count: expected.length, ids },
    query.toString(),
  );
}

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

/** Yields `number` requests of lists. */
function* askedLists(number: number, choose: ReturnType<typeof chooser>): Generator<Asked> {
  for (const _ of range(number)) {
    yield {
      search: choose(Object.keys(SEARCHES)),
      text: choose(TEXTS),
      further: choose(["", "", "", ...Object.keys(FURTHER)]),
      order: choose(Object.keys(ORDERS)),
      offset: choose([0, 0, 3, 20, 500, 5_500]),
    };
  }
}

Deno.test("text searches have the same rows and counts as a comparison with every certificate, also between writes", async () => {
  const database = await testDatabase();
  await fillInventory(database, { count: COUNT });
  // Adjacent certificates with the same text, near the end of every order.
  await database.write((tx) =>
    tx.runAll([
      sql`UPDATE certificates SET common_name = 'zz.late-arrival.example.com', valid_to = valid_to + 100000000000,
        status = 'revoked' WHERE id > ${COUNT - 500}`,
    ])
  );
  await using app = await testApp({ database });
  const client = await app.as("superuser");
  const choose = chooser();
  const write = async (path: string, method: string, body?: unknown): Promise<void> => {
    const response = await client(path, { method, ...(body === undefined ? {} : { body }) });
    const text = await response.text();
    assert(response.ok, `${method} ${path} → ${response.status} ${text}`);
  };
  const lists = [
    ...askedLists(50, choose),
    ...Object.keys(ORDERS).map((order) => ({
      search: "q",
      text: "late-arrival",
      further: "",
      order,
      offset: 0,
    })),
  ];
  const writes: readonly (() => Promise<void>)[] = [
    () => Promise.resolve(),
    () =>
      write(PATHS.certificates, "POST", {
        ...metadata(1),
        common_name: "new.xyzzy.example.com",
        sans: ["api-1.é.example.com"],
      }),
    () => write(PATHS.tags, "POST", { name: "Fresh", slug: "fresh" }),
    () => write(`${PATHS.certificates}5/`, "PATCH", { status: "revoked" }),
    () => write(PATHS.tenants, "PATCH", [{ id: 7, description: "Seven" }]),
    () => write(`${PATHS.certificates}6/`, "DELETE"),
    () => write(PATHS.certificates, "POST", { ...metadata(2), common_name: "again.example.com" }),
    () => write(`${PATHS.certificates}${COUNT + 1}/`, "PATCH", { common_name: "renamed.web-57.example.com" }),
    () => write(`${PATHS.certificates}${COUNT + 1}/`, "DELETE"),
  ];
  for (const each of writes) {
    await each();
    const all = await storedCertificates(app);
    for (const asked of lists) await compare(client, all, asked);
  }
});
