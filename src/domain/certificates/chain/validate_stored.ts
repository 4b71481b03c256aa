/** Loads the PEM texts of certificates and validates their chains. */

import { ne, sql } from "drizzle-orm";
import { type Context, restrictionSql, visibleSql } from "../../../auth/mod.ts";
import { firstWithin } from "../../../base/bytes.ts";
import type { Millis } from "../../../base/clock.ts";
import { MAX_LONG_TEXT_BYTES } from "../../../base/limits.ts";
import { inSlices, pacer, type Pause } from "../../../base/pace.ts";
import { andAll, idsIn, perDatabase, select } from "../../../db/mod.ts";
import { certificate_authorities } from "../../../db/schema/mod.ts";
import type { Condition } from "../../../filters/mod.ts";
import type { Anchor, AnchorIndex, ChainResult, Distrust, PolicyInputs } from "../../../x509/chain/mod.ts";
import { readingCertificates } from "../../../x509/mod.ts";
import { certificates, chainHashSql, issuerChainSql, pemTextSql, readPemText } from "../mod.ts";

/** The stored texts of a certificate. A missing text is empty. */
export interface StoredTexts {
  readonly id: number;
  readonly common_name: string;
  readonly pem_content: string;
  readonly issuer_chain: string;
  /** Null without a chain. */
  readonly chain_sha256: string | null;
}

/** Returns the texts of the certificates of `ids` that match `allowed`, by id. One statement. */
export async function loadTexts(
  ctx: Context,
  allowed: Condition,
  ids: readonly number[],
): Promise<Map<number, StoredTexts>> {
  const condition = andAll(
    sql`certificates.id IN ${idsIn(ids)}`,
    restrictionSql(ctx, allowed, { map: certificates.map }),
  );
  const rows = await ctx.database.all<Omit<StoredTexts, "pem_content"> & { pem: string | null }>(
    sql`SELECT certificates.id AS id, certificates.common_name AS common_name,
               ${pemTextSql("texts")} AS pem,
               ${issuerChainSql(sql`certificates.id`)} AS issuer_chain,
               ${chainHashSql(sql`certificates.id`)} AS chain_sha256
        FROM certificates LEFT JOIN certificate_texts AS texts ON texts.certificate_id = certificates.id
        WHERE ${condition} ORDER BY certificates.id`,
  );
  return new Map(rows.map(({ pem, ...row }) => [row.id, { ...row, pem_content: readPemText(pem) }]));
}

/** Maximum number of certificates of one name. Real authorities have a handful, from renewals and cross-signing. */
const MAX_OF_NAME = 20;
/** Maximum number of issuers for all chains of a call, which share a few. */
const MAX_ISSUERS = 200;
/** Maximum length of a name; a longer one finds nothing. */
const MAX_NAME_CHARS = 4_000;
/** Maximum size of a text. A certificate has at most 64 KiB. */
const MAX_TEXT_BYTES = 100_000;

/** Returns whether a stored issuer could improve the result. */
function isOpen({ status, complete, path }: ChainResult): boolean {
  return path.length > 0 && status !== "self_signed" && !(status === "valid" && complete);
}

/**
 * Returns an index with the stored CA certificates above the paths that the caller may view, the ones that end last
 * first; undefined without any. One statement.
 */
async function withStoredIssuers(
  ctx: Context,
  results: readonly ChainResult[],
  { anchors, pause }: { anchors: AnchorIndex; pause: Pause },
): Promise<AnchorIndex | undefined> {
  const names = new Set(
    results.flatMap(({ path }) => path.map(({ certificate }) => certificate.issuer.text)),
  );
  const searched = [...names].filter((name) => name !== "" && name.length <= MAX_NAME_CHARS);
  const allowed = andAll(
    sql`named.kind = 'ca' AND named.has_pem = 1`,
    visibleSql(ctx, certificates.map, "named"),
  );
  const issuers = (name: "name.value" | "above.issuer") =>
    sql`ca.id IN (SELECT named.id FROM certificates AS named
      WHERE named.subject = ${sql.raw(name)} COLLATE NOCASE AND ${allowed}
      ORDER BY named.valid_to DESC LIMIT ${MAX_OF_NAME})`;
  // A loop of cross-certificates ends, because UNION leaves out rows that were found before.
  const rows = await ctx.database.all<{ pem: string | null; bytes: number }>(
    sql`WITH RECURSIVE above (id, issuer) AS (
        SELECT ca.id, ca.issuer FROM json_each(${JSON.stringify(searched)}) AS name
          CROSS JOIN certificates AS ca ON ${issuers("name.value")}
        UNION SELECT ca.id, ca.issuer FROM above CROSS JOIN certificates AS ca ON ${issuers("above.issuer")}
        LIMIT ${MAX_ISSUERS}
      )
      SELECT ${pemTextSql("texts")} AS pem, octet_length(coalesce(texts.der, texts.pem_content)) AS bytes
      FROM above CROSS JOIN certificate_texts AS texts ON texts.certificate_id = above.id
      WHERE bytes <= ${MAX_TEXT_BYTES}`,
  );
  if (rows.length === 0) return undefined;
  const bySubject = new Map(anchors.bySubject);
  for (const { pem } of firstWithin(rows, MAX_LONG_TEXT_BYTES)) {
    const { members: [first] } = await inSlices(readingCertificates(readPemText(pem)), pause);
    if (first === undefined) continue;
    const { certificate } = first;
    bySubject.set(certificate.subject.key, [...bySubject.get(certificate.subject.key) ?? [], {
      certificate,
    }]);
  }
  return { ...anchors, bySubject };
}

/** The anchors of tracked authorities, each with the authority's id, and the index of all anchors. */
interface KnownAnchors {
  readonly state: string;
  readonly distrust: Distrust;
  readonly own: readonly (Anchor & { readonly authority: number })[];
  readonly index: AnchorIndex;
}

const cacheOf = perDatabase((): { known?: KnownAnchors } => ({}));

/**
 * Returns the index of the anchors that the caller may know: hidden authorities are missing. It is built again after an
 * authority's PEM or the trust data changed. One statement, two after a change.
 */
export async function trustAnchors(ctx: Context): Promise<AnchorIndex> {
  const { database, settings } = ctx;
  const seen = visibleSql(ctx, ctx.mapOf("certmgr.certificateauthority")) ?? sql`1`;
  const [row] = await database.all<{ state: string | null; hidden: string | null }>(
    sql`SELECT group_concat(id || ':' || last_updated) AS state,
          group_concat(iif(${seen}, NULL, id)) AS hidden
        FROM ${certificate_authorities} WHERE pem_content <> ''`,
  );
  const { own, index, distrust } = await knownAnchors(ctx, row?.state ?? "");
  if (row?.hidden == null) return index;
  const hidden = new Set(row.hidden.split(",").map(Number));
  const { indexAnchors } = await import("../../../x509/chain/mod.ts");
  return indexAnchors([
    ...own.filter(({ authority }) => !hidden.has(authority)),
    ...await settings.publicRoots(),
  ], distrust);
}

async function knownAnchors({ database, settings }: Context, state: string): Promise<KnownAnchors> {
  const cache = cacheOf(database);
  const distrust = await settings.distrust();
  if (cache.known?.state === state && cache.known.distrust === distrust) return cache.known;
  const { id, pem_content: pem } = certificate_authorities;
  const tracked = await database.all(
    select({ id, pem_content: pem }).from(certificate_authorities).where(ne(pem, "")).orderBy(id),
  );
  const own: KnownAnchors["own"][number][] = [];
  const pause = pacer();
  for (const { id: authority, pem_content } of tracked) {
    const { members } = await inSlices(readingCertificates(pem_content), pause);
    own.push(...members.map(({ certificate }) => ({ certificate, kind: "tracked_ca" as const, authority })));
  }
  const { indexAnchors } = await import("../../../x509/chain/mod.ts");
  const index = indexAnchors([...own, ...await settings.publicRoots()], distrust);
  return cache.known = { state, distrust, own, index };
}

type Texts = Pick<StoredTexts, "pem_content" | "issuer_chain">;

/** Inputs of a validation other than the certificates. */
interface StoredValidation {
  readonly at: Millis;
  readonly policy?: PolicyInputs | undefined;
  /** May be shared by validations that run one after another. */
  readonly pause?: Pause;
}

/**
 * Validates chains as of the time `at`, one after another. If some are not complete, stored CA certificates that the
 * caller may view are tried as issuers. Two statements, one more after a change of the anchors.
 */
export async function validateStored(
  ctx: Context,
  many: readonly Texts[],
  { pause = pacer(), ...inputs }: StoredValidation,
): Promise<ChainResult[]> {
  const anchors = await trustAnchors(ctx);
  const results: ChainResult[] = [];
  for (const texts of many) results.push(await validateTexts(ctx, texts, { ...inputs, anchors, pause }));
  const open = results.filter(isOpen);
  if (open.length === 0) return results;
  const extended = await withStoredIssuers(ctx, open, { anchors, pause });
  if (extended === undefined) return results;
  for (const [index, alone] of results.entries()) {
    if (!isOpen(alone)) continue;
    const found = await validateTexts(ctx, many[index]!, {
      ...inputs,
      anchors: extended,
      pause,
    });
    if (isBetter(found, alone)) results[index] = found;
  }
  return results;
}

/** Returns whether stored issuers lead further. One with another key of the same name does not. */
function isBetter(found: ChainResult, alone: ChainResult): boolean {
  if (found.isValid) return found.complete || !alone.isValid;
  return !alone.isValid && found.path.length > alone.path.length &&
    !found.failures.some(({ code }) => code === "bad_signature");
}

async function validateTexts(
  { settings }: Context,
  { pem_content, issuer_chain }: Texts,
  { policy, pause, ...request }: StoredValidation & { anchors: AnchorIndex; pause: Pause },
): Promise<ChainResult> {
  const { readingChainInput, validateChain } = await import("../../../x509/chain/mod.ts");
  const input = await inSlices(readingChainInput(pem_content, issuer_chain), pause);
  return await validateChain({
    ...input,
    ...request,
    ...(policy === undefined ? {} : { policy }),
    requireRoot: settings.chainRequireRoot,
    pause,
  });
}
