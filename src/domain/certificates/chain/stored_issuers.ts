/** Stored CA certificates as possible issuers. They are on a path like others, but only a tracked one is an anchor. */

import { sql } from "drizzle-orm";
import { type Context, visibleSql } from "../../../auth/mod.ts";
import { firstWithin } from "../../../base/bytes.ts";
import { MAX_LONG_TEXT_BYTES } from "../../../base/limits.ts";
import { inSlices, type Pause } from "../../../base/pace.ts";
import { andAll } from "../../../db/mod.ts";
import type { AnchorIndex, ChainResult } from "../../../x509/chain/mod.ts";
import { readingCertificates } from "../../../x509/mod.ts";
import { certificates, pemTextSql, readPemText } from "../mod.ts";

/** Maximum number of certificates of one name. Real authorities have a handful, from renewals and cross-signing. */
const MAX_OF_NAME = 20;
/** Maximum number of issuers for all chains of a call, which share a few. */
const MAX_ISSUERS = 200;
/** Maximum length of a name; a longer one finds nothing. */
const MAX_NAME_CHARS = 4_000;
/** Maximum size of a text. A certificate has at most 64 KiB. */
const MAX_TEXT_BYTES = 100_000;

/** Returns whether a stored issuer could improve the result. */
export function isOpen({ status, complete, path }: ChainResult): boolean {
  return path.length > 0 && status !== "self_signed" && !(status === "valid" && complete);
}

/**
 * Returns an index with the stored CA certificates above the paths that the caller may view, the ones that end last
 * first; undefined without any. One statement.
 */
export async function withStoredIssuers(
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
