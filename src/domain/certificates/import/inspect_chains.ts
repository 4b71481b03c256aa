/** Validates the chains that certificates of a text would have once they are imported. */

import type { Context } from "../../../auth/mod.ts";
import type { ChainResult } from "../../../x509/chain/mod.ts";
import { inventoryFields, namedMessage } from "../../../x509/mod.ts";
import { validateStored } from "../chain/mod.ts";
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
  // A text that is refused has no certificates to import.
  const inspected = rows.filter(({ place }) => places.has(place)).slice(0, MAX_CHAINS).flatMap(
    ({ place, body }) => {
      const { pem_content, issuer_chain } = body;
      return typeof pem_content === "string" && typeof issuer_chain === "string"
        ? [{ place, pem_content, issuer_chain }]
        : [];
    },
  );
  const results = await validateStored(ctx, inspected, { at: ctx.clock.now() });
  for (const [index, { status, message, path }] of results.entries()) {
    const names = path.map(({ certificate }) => inventoryFields(certificate).common_name);
    found.set(inspected[index]!.place, { status, message: namedMessage(message, names) });
  }
  return found;
}
