/** Validates the chains that certificates of a text would have once they are imported. */

import type { Context } from "../../../auth/mod.ts";
import { pacer } from "../../../base/pace.ts";
import type { ChainResult } from "../../../x509/chain/mod.ts";
import { inventoryFields, namedMessage } from "../../../x509/mod.ts";
import { trustAnchors, validateStored } from "../chain/mod.ts";
import type { ImportRow } from "./rows.ts";

/** Chains that are validated; a page shows no more. */
const MAX_CHAINS = 60;

/** The result of chain validation in short. */
export interface InspectedChain {
  readonly status: ChainResult["status"];
  /** A sentence that names the certificates of the chain. */
  readonly message: string;
}

/** Returns the results by place, for the first certificates of `places`. */
export async function inspectChains(
  ctx: Context,
  rows: readonly ImportRow[],
  places: ReadonlySet<number>,
): Promise<ReadonlyMap<number, InspectedChain>> {
  const found = new Map<number, InspectedChain>();
  if (places.size === 0) return found;
  const [anchors, at, pause] = [await trustAnchors(ctx), ctx.clock.now(), pacer()];
  for (const { place, body } of rows.filter((row) => places.has(row.place)).slice(0, MAX_CHAINS)) {
    const { pem_content, issuer_chain } = body;
    // A text that is refused has no certificates to import.
    if (typeof pem_content !== "string" || typeof issuer_chain !== "string") continue;
    const { status, message, path } = await validateStored(ctx, { pem_content, issuer_chain }, {
      at,
      anchors,
      pause,
    });
    const names = path.map(({ certificate }) => inventoryFields(certificate).common_name);
    found.set(place, { status, message: namedMessage(message, names) });
  }
  return found;
}
