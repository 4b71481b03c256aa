/** Determines whether clients can build a trusted chain from what a server presents. */

import type { Millis } from "../../../base/clock.ts";
import { memoize } from "../../../base/memoize.ts";
import type { Pause } from "../../../base/pace.ts";
import { shorten } from "../../../base/quote.ts";
import type { AnchorIndex, ChainResult } from "../../../x509/chain/mod.ts";
import type { Certificate } from "../../../x509/mod.ts";
import { SELF_SIGNED, UNKNOWN_ISSUER, UNKNOWN_ROOT } from "../states.ts";
import type { StateFinding } from "./evaluate.ts";

/** Maximum number of cached results per set of anchors, because many endpoints present the same chain. */
const MAX_KEPT = 1_000;
/** Maximum length of a name in a message. */
const MAX_SHOWN_CHARS = 200;

const keptFor = memoize((_: AnchorIndex) => new Map<string, readonly StateFinding[]>());

/** Returns `untrusted`, `incomplete_chain` and `expired` if they apply; nothing for a trusted chain. */
export async function chainStates(
  presented: readonly Certificate[],
  { anchors, at, pause }: { anchors: AnchorIndex; at: Millis; pause: Pause },
): Promise<readonly StateFinding[]> {
  const [leaf] = presented as readonly [Certificate, ...Certificate[]];
  const { notBefore, notAfter } = leaf.validity;
  // The leaf's own validity is a separate state, so the chain is checked at a time at which the leaf is
  // valid.
  const time = Math.max(notBefore, Math.min(at, notAfter));
  const key = `${presented.map((one) => one.fingerprintSha256).join()} ${Math.floor(time / 3_600_000)}`;
  const known = keptFor(anchors);
  const cached = known.get(key);
  if (cached !== undefined) return cached;
  const { validateChain } = await import("../../../x509/chain/mod.ts");
  const result = await validateChain({
    leaf,
    pool: presented.slice(1),
    anchors,
    at: time,
    requireRoot: true,
    pause,
  });
  const states = statesOf(result, presented);
  if (known.size >= MAX_KEPT) known.clear();
  known.set(key, states);
  return states;
}

function statesOf(result: ChainResult, presented: readonly Certificate[]): StateFinding[] {
  const top = result.path.at(-1);
  switch (result.status) {
    case "valid":
    case "self_signed":
      if (result.anchor === "none" || result.anchor === "bundle") {
        return [untrusted(result, top?.isSelfSigned)];
      }
      return missingIssuers(result, presented);
    case "no_chain":
    case "incomplete":
      return [{
        state: "incomplete_chain",
        message: `${UNKNOWN_ISSUER} ${
          issuerOf(top?.certificate)
        }, which is neither sent, nor a public root, nor a tracked authority.`,
      }];
    case "expired":
      return [{ state: "expired", message: `${result.message}.` }];
    case "not_yet_valid":
      return [{ state: "not_yet_valid", message: `${result.message}.` }];
    case "invalid_signature":
    case "parse_error":
      return [{ state: "untrusted", message: `${result.message}.` }];
  }
}

function untrusted({ path }: ChainResult, isSelfSigned = false): StateFinding {
  const top = path.at(-1)?.certificate;
  return path.length === 1 && isSelfSigned
    ? { state: "untrusted", message: `${SELF_SIGNED} and not a tracked authority.` }
    : {
      state: "untrusted",
      message: `${UNKNOWN_ROOT} ${
        shorten(top?.subject.text ?? "", MAX_SHOWN_CHARS)
      }, which is neither a public root nor a tracked authority.`,
    };
}

/**
 * Returns the issuers that the server must present but does not. A tracked intermediate ends a path without
 * its root, but clients that have only the root need the intermediate from the server.
 */
function missingIssuers({ path }: ChainResult, presented: readonly Certificate[]): StateFinding[] {
  const sent = new Set(presented.map((one) => one.fingerprintSha256));
  const missing = path.find(({ certificate, isSelfSigned }) =>
    !isSelfSigned && !sent.has(certificate.fingerprintSha256)
  );
  if (missing === undefined) return [];
  const name = shorten(missing.certificate.subject.text, MAX_SHOWN_CHARS);
  const message = `The server does not send the intermediate certificate ${name}.`;
  return [{ state: "incomplete_chain", message }];
}

function issuerOf(certificate: Certificate | undefined): string {
  return shorten(certificate?.issuer.text ?? "", MAX_SHOWN_CHARS) || "its issuer";
}
