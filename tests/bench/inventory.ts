/**
 * A realistic inventory of any size, the same each time: row `n` depends only on `n`. It is for benchmarks, and for
 * looking at pages with many rows.
 */

import type { SQL } from "drizzle-orm";
import { DAY_MS, type Millis } from "../../src/base/clock.ts";
import { type Database, insertRows, type Row } from "../../src/db/mod.ts";
import {
  certificate_assignments,
  certificate_authorities,
  certificates,
  devices,
  tagged_items,
  tags,
  tenants,
} from "../../src/db/schema/mod.ts";

/** The current day in generated data. */
export const GENERATED_NOW: Millis = Date.UTC(2026, 10, 20);
/** Rows in one statement. */
const CHUNK = 2_000;
/** Chunks in one transaction. */
const CHUNKS_PER_TRANSACTION = 25;
const TENANTS = 200;
const TAGS = 20;
/** Certificates for each device. */
const PER_DEVICE = 50;

const WORDS =
  ("api app auth billing blog build cache cdn chat cloud core crm data db dev dns docs edge erp files " +
    "gate git grafana hr id img imap intra jira jobs kafka ldap legal log mail map media mq news ops orders pay " +
    "portal proxy queue red repo sales search shop sip sso staging stats store test time vault vpn web wiki www")
    .split(" ");
const ISSUERS = [
  ["C=US, O=Let's Encrypt, CN=R10", "letsencrypt"],
  ["C=US, O=Let's Encrypt, CN=R11", "letsencrypt"],
  ["C=US, O=Let's Encrypt, CN=E5", "letsencrypt"],
  ["C=US, O=DigiCert Inc, CN=DigiCert Global G2 TLS RSA SHA256 2020 CA1", ""],
  [
    "C=GB, ST=Greater Manchester, L=Salford, O=Sectigo Limited, CN=Sectigo RSA Domain Validation Secure Server CA",
    "",
  ],
  ["C=US, O=Google Trust Services, CN=WR2", "google"],
  ["C=AT, O=ZeroSSL, CN=ZeroSSL ECC Domain Secure Site CA", "zerossl"],
  ["DC=corp, DC=example, CN=Example Corp Issuing CA 1", ""],
  ["DC=corp, DC=example, CN=Example Corp Issuing CA 2", ""],
  ["O=Example Networks, OU=PKI, CN=Device CA", ""],
] as const;
const STATUSES = [[70, "active"], [85, "expired"], [93, "replaced"], [95, "revoked"], [
  100,
  "pending",
]] as const;
const STAMPS = { created: GENERATED_NOW, last_updated: GENERATED_NOW };

/** Fills an empty, migrated database with `count` certificates and the objects to which they refer. */
export async function fillInventory(
  database: Database,
  options: { readonly count: number; readonly progress?: (done: number) => void },
): Promise<void> {
  await database.write((tx) => tx.runAll(referenceRows(options.count)));
  for (let first = 1; first <= options.count;) {
    first = await database.write(async (tx) => {
      let next = first;
      for (let chunk = 0; chunk < CHUNKS_PER_TRANSACTION && next <= options.count; chunk++) {
        const size = Math.min(CHUNK, options.count - next + 1);
        await tx.runAll(certificateRows(next, size));
        next += size;
      }
      return next;
    });
    options.progress?.(first - 1);
  }
}

/** Returns the statements that insert the objects to which `count` certificates refer. */
export function referenceRows(count: number): SQL[] {
  return [
    insertRows(tenants, numbered(TENANTS, (n) => ({ name: tenantName(n), slug: tenantName(n), ...STAMPS }))),
    insertRows(tags, numbered(TAGS, (n) => ({ name: `Tag ${n}`, slug: `tag-${n}`, ...STAMPS }))),
    insertRows(
      certificate_authorities,
      ISSUERS.map(([issuer], index) => ({ id: index + 1, name: issuer, issuer_pattern: issuer, ...STAMPS })),
    ),
    insertRows(
      devices,
      numbered(
        Math.ceil(count / PER_DEVICE),
        (n) => ({ name: `device-${n}`, tenant_id: tenantOf(n), ...STAMPS }),
      ),
    ),
  ];
}

/** Returns the statements that insert `size` certificates, with ids from `first`, with their tags and assignments. */
export function certificateRows(first: number, size: number): SQL[] {
  const ids = Array.from({ length: size }, (_, index) => first + index);
  const tagged = ids.filter((id) => mix(id, 20) % 5 === 0);
  const assigned = ids.filter((id) => mix(id, 21) % 4 === 0);
  return [
    insertRows(certificates, ids.map(certificateRow)),
    insertRows(
      tagged_items,
      tagged.map((id) => ({
        object_type: "certmgr.certificate",
        object_id: id,
        tag_id: mix(id, 22) % TAGS + 1,
      })),
    ),
    insertRows(
      certificate_assignments,
      assigned.map((id) => ({
        certificate_id: id,
        assigned_object_type: "dcim.device",
        assigned_object_id: Math.ceil(id / PER_DEVICE),
        is_primary: 1,
        ...STAMPS,
      })),
    ),
  ].filter((_, index) => [ids, tagged, assigned][index]!.length > 0);
}

/** Returns row `n` of the certificates. */
function certificateRow(n: number): Row {
  const host = `${word(n, 1)}-${mix(n, 2) % 10_000}.${word(n, 3)}.${tenantName(tenantOf(n))}.example.com`;
  const [issuer, provider] = ISSUERS[mix(n, 4) % ISSUERS.length]!;
  const validTo = GENERATED_NOW + (mix(n, 5) % 600 - 200) * DAY_MS + (mix(n, 6) % 86_400) * 1_000;
  const serial = hex(n, 16);
  const elliptic = mix(n, 7) % 3 === 0;
  const imported = mix(n, 8) % 5 < 3;
  const sans = [
    host,
    ...Array.from({ length: mix(n, 9) % 4 }, (_, index) => `${word(n, 10 + index)}.${host}`),
  ];
  return {
    id: n,
    common_name: host,
    serial_number: serial.toUpperCase().match(/../g)!.join(":"),
    issuer,
    subject: `CN=${host}`,
    valid_from: validTo - (provider === "" ? 365 : 90) * DAY_MS,
    valid_to: validTo,
    fingerprint_sha256: hex(n, 132).toUpperCase().match(/../g)!.slice(0, 32).join(":"),
    algorithm: elliptic ? "ecdsa" : "rsa",
    key_size: elliptic ? 256 : [2048, 2048, 3072, 4096][mix(n, 13) % 4]!,
    status: STATUSES.find(([limit]) => mix(n, 14) % 100 < limit)![1],
    tenant_id: mix(n, 15) % 20 === 0 ? null : tenantOf(n),
    issuing_ca_id: mix(n, 4) % ISSUERS.length + 1,
    is_acme: provider === "" ? 0 : 1,
    acme_provider: provider,
    acme_auto_renewal: provider !== "" && mix(n, 16) % 2 === 0 ? 1 : 0,
    authority_key_id: imported ? hex(mix(n, 4) % ISSUERS.length + 1, 40) : null,
    spki_sha256: imported ? hex(n + 7, 64) : null,
    has_pem: imported ? 1 : 0,
    pem_matches: imported ? 1 : null,
    chain_status: imported && mix(n, 17) % 2 === 0 ? ["valid", "incomplete"][mix(n, 18) % 2]! : null,
    created: GENERATED_NOW - (mix(n, 19) % 700) * DAY_MS,
    last_updated: GENERATED_NOW - (mix(n, 19) % 100) * DAY_MS,
    sans: JSON.stringify(sans),
  };
}

function numbered<T extends Row>(count: number, row: (n: number) => T): Row[] {
  return Array.from({ length: count }, (_, index) => ({ id: index + 1, ...row(index + 1) }));
}

/** Returns a tenant: few tenants have many certificates, many have few. */
function tenantOf(n: number): number {
  const share = (mix(n, 30) % 10_000) / 10_000;
  return Math.floor(TENANTS * share * share) + 1;
}

function tenantName(n: number): string {
  return `${WORDS[n % WORDS.length]}-${n}`;
}

function word(n: number, salt: number): string {
  return WORDS[mix(n, salt) % WORDS.length]!;
}

/** Returns `digits` hex digits that differ for each `n`. */
function hex(n: number, digits: number): string {
  let text = "";
  for (let salt = 100; text.length < digits; salt++) text += mix(n, salt).toString(16).padStart(8, "0");
  return text.slice(0, digits);
}

/** Returns a pseudo-random integer below 2^32 (a finalizer like that of murmur3). */
function mix(n: number, salt: number): number {
  let value = Math.imul(n ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b);
  value = Math.imul(value ^ value >>> 15, 0xc2b2ae35);
  value = Math.imul(value ^ value >>> 13, 0x27d4eb2f);
  return (value ^ value >>> 16) >>> 0;
}
