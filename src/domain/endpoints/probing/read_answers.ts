/** Parses what was presented, and checks everything that does not need the database: names, times, chain. */

import type { Context } from "../../../auth/mod.ts";
import { sha256Hex } from "../../../base/bytes.ts";
import type { Millis } from "../../../base/clock.ts";
import type { Pause } from "../../../base/pace.ts";
import { shorten } from "../../../base/quote.ts";
import type { ProbeAnswer } from "../../../probe/mod.ts";
import type { AnchorIndex, ChainResult } from "../../../x509/chain/mod.ts";
import { type Certificate, type CertificateReading, parseCertificate } from "../../../x509/mod.ts";
import {
  leafStates,
  type ProbeReport,
  type ReadAnswer,
  type StateFinding,
  type StoredEndpoint,
} from "./evaluate.ts";

const MAX_SHOWN_CHARS = 200;

/** Returns `untrusted`, `incomplete_chain` and `expired` if they apply; nothing for a trusted chain. */
async function chainStates(
  presented: readonly Certificate[],
  { anchors, at, pause }: { anchors: AnchorIndex; at: Millis; pause: Pause },
): Promise<readonly StateFinding[]> {
  const [leaf, ...pool] = presented;
  if (leaf === undefined) return [];
  const { notBefore, notAfter } = leaf.validity;
  // The leaf's own validity is a separate state, so the chain is checked at a time at which the leaf is
  // valid.
  const time = Math.max(notBefore, Math.min(at, notAfter));
  const { validateChain } = await import("../../../x509/chain/mod.ts");
  const result = await validateChain({
    leaf,
    pool,
    anchors,
    at: time,
    requireRoot: true,
    pause,
  });
  return statesOf(result, presented);
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
        reason: "unknown_issuer",
        message: `The chain ends below ${
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
    ? {
      state: "untrusted",
      reason: "self_signed",
      message: "The certificate is self-signed and not a tracked authority.",
    }
    : {
      state: "untrusted",
      reason: "unknown_root",
      message: `The chain ends in ${
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

/** Reads the results of a report, with pauses in between. */
export async function readAnswers(
  ctx: Context,
  { report, endpoint, anchors, pause }: {
    report: ProbeReport;
    endpoint: StoredEndpoint;
    anchors: AnchorIndex;
    pause: Pause;
  },
): Promise<ReadAnswer[]> {
  const answers: ReadAnswer[] = [];
  for (const answer of report.answers) {
    answers.push(await readAnswer(ctx, { report, answer, endpoint, anchors, pause }));
    await pause();
  }
  return answers;
}

async function readAnswer(
  { settings }: Context,
  { report: { at, silent }, answer, endpoint, anchors, pause }: {
    report: ProbeReport;
    answer: ProbeAnswer;
    endpoint: StoredEndpoint;
    anchors: AnchorIndex;
    pause: Pause;
  },
): Promise<ReadAnswer> {
  const { address, failure } = answer;
  const base = { address, answer, presented: [], leaf: undefined, chain: [] };
  if (answer.presented === undefined) {
    const finding: StateFinding = failure === undefined
      ? { state: "tls_error", message: "The server presents no certificate." }
      : { state: failure.kind, message: failure.message, reason: silent ? "silent_agent" : failure.reason };
    return { ...base, findings: [finding] };
  }
  const { certificates: ders, tlsVersion, fault } = answer.presented;
  const presented = ders.map((der) => sha256Hex(der));
  const readings: CertificateReading[] = [];
  for (const der of ders) {
    readings.push(parseCertificate(der));
    await pause();
  }
  const leaf = readings[0]?.certificate;
  if (leaf === undefined) {
    const findings = [{ state: "tls_error", message: "The server's certificate cannot be read." } as const];
    return { ...base, presented, findings };
  }
  const certificates = readings.flatMap(({ certificate }) => certificate ?? []);
  const chain = certificates.slice(1).map(({ der }) => der);
  const host = endpoint.server_name ?? endpoint.host;
  const { warningDays } = settings;
  const findings: StateFinding[] = [
    ...(fault === undefined ? [] : [{ state: "tls_error", message: fault } as const]),
    ...leafStates(leaf, { host, tlsVersion, at, warningDays }),
    ...await chainStates(certificates, { anchors, at, pause }),
  ];
  return { address, answer, presented, leaf, chain, findings };
}
