/** Trust anchors: the certificates of tracked authorities, and the public roots unless they are disabled. */

import { ne, sql } from "drizzle-orm";
import { type Context, visibleSql } from "../../../auth/mod.ts";
import { inSlices, pacer } from "../../../base/pace.ts";
import { perDatabase, select } from "../../../db/mod.ts";
import { certificate_authorities } from "../../../db/schema/mod.ts";
import type { Anchor, AnchorIndex } from "../../../x509/chain/mod.ts";
import { readingCertificates } from "../../../x509/mod.ts";

/** The anchors of tracked authorities, each with the authority's id, and the index of all anchors. */
interface KnownAnchors {
  readonly state: string;
  readonly own: readonly (Anchor & { readonly authority: number })[];
  readonly index: AnchorIndex;
}

const cacheOf = perDatabase((): { known?: KnownAnchors } => ({}));

/**
 * Returns the index of the anchors that the caller may know: hidden authorities are missing. It is built again after an
 * authority's PEM changed. One statement, two after a change.
 */
export async function trustAnchors(ctx: Context): Promise<AnchorIndex> {
  const { database, settings } = ctx;
  const seen = visibleSql(ctx, ctx.mapOf("certmgr.certificateauthority")) ?? sql`1`;
  const [row] = await database.all<{ state: string | null; hidden: string | null }>(
    sql`SELECT group_concat(id || ':' || last_updated) AS state,
          group_concat(iif(${seen}, NULL, id)) AS hidden
        FROM ${certificate_authorities} WHERE pem_content <> ''`,
  );
  const { own, index } = await knownAnchors(ctx, row?.state ?? "");
  if (row?.hidden == null) return index;
  const hidden = new Set(row.hidden.split(",").map(Number));
  const { indexAnchors } = await import("../../../x509/chain/mod.ts");
  return indexAnchors([
    ...own.filter(({ authority }) => !hidden.has(authority)),
    ...await settings.publicRoots(),
  ]);
}

async function knownAnchors({ database, settings }: Context, state: string): Promise<KnownAnchors> {
  const cache = cacheOf(database);
  if (cache.known?.state === state) return cache.known;
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
  const index = indexAnchors([...own, ...await settings.publicRoots()]);
  return cache.known = { state, own, index };
}
