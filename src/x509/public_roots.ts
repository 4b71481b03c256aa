/** The public root certificates that the runtime includes, as anchors of chain validation. */

import { rootCertificates } from "node:tls";
import { readCertificates } from "./bundle.ts";
import type { Anchor } from "./chain/mod.ts";

/** The roots that the runtime provides. */
export interface PublicRoots {
  readonly anchors: readonly Anchor[];
  /** Why the roots are missing: Deno provides them only to a process that has all `sys` permissions. */
  readonly problem?: string;
}

let roots: PublicRoots | undefined;

/**
 * Reads the roots at the first call (0.2 s); later calls return the same list. A service that is configured
 * not to trust them must not call it. Never throws.
 */
export function publicRoots(): PublicRoots {
  return roots ??= readRoots();
}

function readRoots(): PublicRoots {
  try {
    const members = rootCertificates.flatMap((pem) => readCertificates(pem).members);
    return { anchors: members.map(({ certificate }): Anchor => ({ certificate, kind: "public_root" })) };
  } catch (error) {
    return { anchors: [], problem: error instanceof Error ? error.message : String(error) };
  }
}
