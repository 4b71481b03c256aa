/** The state of a sign-in at a provider, which the browser keeps in the meantime. */

import { z } from "zod";
import { type Context, seal, unseal, useOnce } from "../../../auth/mod.ts";
import { sha256Hex } from "../../../base/bytes.ts";

type Deps = Pick<Context, "clock" | "database">;

const NAME = "oidc_flow";
/** How long a sign-in at the provider may take. */
const FLOW_MS = 600_000;

const Flow = z.object({
  provider: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Path of the page to show after the sign-in. */
  next: z.string(),
});
export type OidcFlow = z.infer<typeof Flow>;

/** Seals the state for the browser. */
export async function sealFlow({ clock, database }: Deps, value: OidcFlow): Promise<string> {
  return await seal(database, { name: NAME, value, expires: clock.now() + FLOW_MS });
}

/**
 * Returns the state that a browser sends, only once, because a recorded response of a provider must not start another
 * session.
 */
export async function takeFlow(
  { clock, database }: Deps,
  sealed: string | undefined,
): Promise<OidcFlow | undefined> {
  if (sealed === undefined) return undefined;
  const now = clock.now();
  const parsed = Flow.safeParse(await unseal(database, { name: NAME, sealed, now }));
  if (!parsed.success) return undefined;
  const use = { hash: sha256Hex(sealed), expires: now + FLOW_MS, now };
  return await database.write((tx) => useOnce(tx, use)) ? parsed.data : undefined;
}
