/** Trust anchors: the certificates of tracked authorities, and the public roots unless they are disabled. */

import { ne, sql } from "drizzle-orm";
import type { Context } from "../../../auth/mod.ts";
import { inSlices, pacer } from "../../../base/pace.ts";
import { perDatabase, select } from "../../../db/mod.ts";
import { certificate_authorities } from "../../../db/schema/mod.ts";
import type { Anchor, AnchorIndex } from "../../../x509/chain/mod.ts";
import { readingCertificates } from "../../../x509/mod.ts";

const cacheOf = perDatabase((): { known?: { state: string; index: AnchorIndex } } => ({}));

/**
 * Returns the index of anchors, and builds it again after an authority's PEM changed. One statement, two
 * after a change.
 */
export async function trustAnchors({ database, settings }: Context): Promise<AnchorIndex> {
  const [row] = await database.all<{ state: string | null }>(
    sql`SELECT group_concat(id || ':' || last_updated) AS state FROM ${certificate_authorities} WHERE pem_content <> ''`,
  );
  const state = row?.state ?? "";
  const cache = cacheOf(database);
  if (cache.known?.state === state) return cache.known.index;
  const { id, pem_content: pem } = certificate_authorities;
  const tracked = await database.all(
    select({ pem_content: pem }).from(certificate_authorities).where(ne(pem, "")).orderBy(id),
  );
  const own: Anchor[] = [];
  const pause = pacer();
  for (const { pem_content } of tracked) {
    const { members } = await inSlices(readingCertificates(pem_content), pause);
    own.push(...members.map(({ certificate }) => ({ certificate, kind: "tracked_ca" as const })));
  }
  const { indexAnchors } = await import("../../../x509/chain/mod.ts");
  const index = indexAnchors([...own, ...await settings.publicRoots()]);
  cache.known = { state, index };
  return index;
}
