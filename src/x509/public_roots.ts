/** The public root certificates that the runtime includes, as anchors of chain validation. */

import { rootCertificates } from "node:tls";
import { inSlices, pacer } from "../base/pace.ts";
import { readingCertificates } from "./bundle.ts";
import type { Anchor } from "./chain/mod.ts";

/** The roots that the runtime provides. */
export interface PublicRoots {
  readonly anchors: readonly Anchor[];
  /** Why the roots are missing: Deno provides them only to a process that has all `sys` permissions. */
  readonly problem?: string;
}

let roots: Promise<PublicRoots> | undefined;

/**
 * Reads the roots at the first call (0.2 s, in slices); later calls return the same list. A service that is configured
 * not to trust them must not call it. Never rejects.
 */
export function publicRoots(): Promise<PublicRoots> {
  return roots ??= readRoots();
}

async function readRoots(): Promise<PublicRoots> {
  try {
    const anchors: Anchor[] = [];
    const pause = pacer();
    for (const pem of rootCertificates) {
      const { members } = await inSlices(readingCertificates(pem), pause);
      anchors.push(...members.map(({ certificate }): Anchor => ({ certificate, kind: "public_root" })));
    }
    return { anchors };
  } catch (error) {
    return { anchors: [], problem: error instanceof Error ? error.message : String(error) };
  }
}
