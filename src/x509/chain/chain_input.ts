/** Reads the leaf and the pool of a validation from the two stored texts of a certificate. */

import { atOnce } from "../../base/pace.ts";
import { readingCertificates } from "../bundle.ts";
import type { Certificate, Finding } from "../types.ts";
import type { UnreadableFile } from "./types.ts";

/** Maximum length of a chain that is read, in characters: a hundred certificates with RSA keys of 4,096 bits. */
export const MAX_CHAIN_CHARS = 256 * 1024;

/** The part of a `ChainRequest` that is read from texts. */
export interface ChainInput {
  readonly leaf: Certificate | UnreadableFile;
  readonly pool: readonly Certificate[];
  readonly poolFindings: readonly Finding[];
}

/**
 * Reads the first certificate of `pemContent` as the leaf. The others and all certificates of `issuerChain`
 * are the pool. A chain text without a certificate, or of more than {@link MAX_CHAIN_CHARS}, produces findings, an
 * empty text does not.
 */
export function chainInputFromPem(pemContent: string, issuerChain: string): ChainInput {
  return atOnce(readingChainInput(pemContent, issuerChain));
}

/** Works like {@link chainInputFromPem}, but in slices: yields before each certificate. */
export function* readingChainInput(pemContent: string, issuerChain: string): Generator<void, ChainInput> {
  const own = yield* readingCertificates(pemContent);
  const chain = issuerChain.trim() === ""
    ? { members: [], findings: [] }
    : issuerChain.length > MAX_CHAIN_CHARS
    ? { members: [], findings: [TOO_LONG] }
    : yield* readingCertificates(issuerChain);
  const [first, ...rest] = own.members;
  const before = own.findings.filter(({ line = 0 }) => first === undefined || line < (first.line ?? 0));
  return {
    leaf: first === undefined || before.length > 0 ? { unreadable: before } : first.certificate,
    pool: [...rest, ...chain.members].map(({ certificate }) => certificate),
    poolFindings: chain.findings,
  };
}

const TOO_LONG: Finding = {
  code: "limit",
  message: `The chain has more than ${MAX_CHAIN_CHARS / 1024} KiB; nothing of it is read`,
};
