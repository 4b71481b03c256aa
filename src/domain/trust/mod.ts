/**
 * Trust data: keys and certificates that are not trusted, roots that are not trusted for certificates issued after a
 * date, public roots that are not for servers, and roots that are public, too. Shipped as dated data, and extended or
 * corrected by a file.
 */

import { z } from "zod";
import { sha256Hex } from "../../base/bytes.ts";
import { DAY_MS, type Millis, parseDatetime } from "../../base/clock.ts";
import type { Distrust } from "../../x509/chain/mod.ts";
import { issuerAndSerial } from "../../x509/mod.ts";
import shippedData from "./trust_data.json" with { type: "json" };

/** Maximum size of the file in bytes; the shipped data has 25 kB. */
export const MAX_TRUST_FILE_BYTES = 1_000_000;

const hash = z.string().transform((text) => text.replaceAll(":", "").toLowerCase())
  .refine((text) => /^[0-9a-f]{64}$/.test(text), { error: "Expected a SHA-256 hash: 64 hexadecimal digits" });
const text = z.string().max(1_000).default("");
const day = z.string().refine((given) => parseDatetime(given) !== undefined, {
  error: ({ input }) => `Expected a date such as 2026-12-01, not ${JSON.stringify(input)}`,
});
/** `withdrawn` removes the shipped entry with the same hash or serial number. */
const about = { name: text, reason: text, source: text, withdrawn: z.boolean().default(false) };

/** The format of the data, and of the file that `CERTMGR_TRUST_FILE` names. */
const TrustFile = z.strictObject({
  version: z.literal(1, { error: ({ input }) => `Expected 1, not ${JSON.stringify(input)}` }),
  updated: day.optional(),
  distrusted_keys: z.array(z.strictObject({ spki_sha256: hash, since: day.optional(), ...about })).default(
    [],
  ),
  distrusted_certificates: z.array(z.union([
    z.strictObject({ fingerprint_sha256: hash, since: day.optional(), ...about }),
    z.strictObject({
      issuer: z.string().min(1).max(4_000),
      serial_number: z.string().regex(/^[0-9A-Fa-f]{1,2}(:?[0-9A-Fa-f]{1,2})*$/, {
        error: "Expected a serial number in hexadecimal",
      }),
      since: day.optional(),
      ...about,
    }),
  ], { error: "Expected fingerprint_sha256, or issuer and serial_number" })).default([]),
  distrust_after: z.array(z.strictObject({ spki_sha256: hash, not_before_after: day, ...about })).default([]),
  not_for_servers: z.array(z.strictObject({ fingerprint_sha256: hash, ...about })).default([]),
  public_roots: z.array(z.strictObject({ fingerprint_sha256: hash, ...about })).default([]),
});
type TrustFile = z.infer<typeof TrustFile>;

/** Trust data that chain validation applies. */
export interface TrustData extends Omit<TrustFile, "version"> {
  /** The same data for chain validation. */
  readonly distrust: Distrust;
}

/** A file that is not trust data. The message names the first fault, and where it is. */
export class InvalidTrustFile extends Error {}

/** Reads the text of a file and merges it over the shipped data. Errors: {@link InvalidTrustFile}. */
export function readTrustFile(content: string): TrustData {
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch (error) {
    throw new InvalidTrustFile(`Expected JSON: ${error instanceof Error ? error.message : error}`);
  }
  const { data, error } = TrustFile.safeParse(json);
  if (data !== undefined) return trustOf(merged(SHIPPED, data));
  const [issue] = error.issues;
  throw new InvalidTrustFile(`${issue?.path.join(".") || "The file"}: ${issue?.message}.`);
}

const SHIPPED = TrustFile.parse(shippedData);
let shipped: TrustData | undefined;

/** Returns the data of this release. */
export function shippedTrust(): TrustData {
  return shipped ??= trustOf(SHIPPED);
}

/** Returns the entries of both; one of `over` replaces that of `under` with the same key, or withdraws it. */
function merged(under: TrustFile, over: TrustFile): TrustFile {
  return {
    ...under,
    updated: over.updated ?? under.updated,
    distrusted_keys: mergedBy(under.distrusted_keys, over.distrusted_keys, (one) => one.spki_sha256),
    distrusted_certificates: mergedBy(
      under.distrusted_certificates,
      over.distrusted_certificates,
      certificateKey,
    ),
    distrust_after: mergedBy(under.distrust_after, over.distrust_after, (one) => one.spki_sha256),
    not_for_servers: mergedBy(under.not_for_servers, over.not_for_servers, (one) => one.fingerprint_sha256),
    public_roots: mergedBy(under.public_roots, over.public_roots, (one) => one.fingerprint_sha256),
  };
}

function mergedBy<Entry extends { readonly withdrawn: boolean }>(
  under: readonly Entry[],
  over: readonly Entry[],
  keyOf: (entry: Entry) => string,
): Entry[] {
  const entries = new Map([...under, ...over].map((entry) => [keyOf(entry), entry]));
  return [...entries.values()].filter(({ withdrawn }) => !withdrawn);
}

function certificateKey(entry: TrustFile["distrusted_certificates"][number]): string {
  return "issuer" in entry ? issuerAndSerial(entry.issuer, entry.serial_number) : entry.fingerprint_sha256;
}

function trustOf({ version: _, ...data }: TrustFile): TrustData {
  const reasonOf = ({ reason, source, name }: { reason: string; source: string; name: string }) => ({
    reason: reason || name || "it is distrusted",
    source: source || "trust data",
  });
  return {
    ...data,
    distrust: {
      digest: sha256Hex(JSON.stringify(data)),
      keys: new Map(data.distrusted_keys.map((one) => [one.spki_sha256, reasonOf(one)])),
      certificates: new Map(data.distrusted_certificates.map((one) => [certificateKey(one), reasonOf(one)])),
      after: new Map(
        data.distrust_after.map((
          one,
        ) => [one.spki_sha256, { ...reasonOf(one), last: lastOf(one.not_before_after) }]),
      ),
      notForServers: new Set(data.not_for_servers.map((one) => one.fingerprint_sha256)),
      publicRoots: new Set(data.public_roots.map((one) => one.fingerprint_sha256)),
    },
  };
}

/** Returns the last trusted time: a date includes its whole day. */
function lastOf(text: string): Millis {
  const at = parseDatetime(text) ?? 0;
  return text.length === 10 ? at + DAY_MS - 1_000 : at;
}
