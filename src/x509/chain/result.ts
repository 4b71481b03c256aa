/** Builds the result of a validation with its messages. */

import { shorten } from "../../base/quote.ts";
import type { Finding } from "../types.ts";
import { type ChainWarning, chainWarnings } from "./chain_warnings.ts";
import type { PoolCertificate } from "./certificate_pool.ts";
import type { ValidationContext } from "./context.ts";
import type { Decision } from "./decide.ts";
import type { ChainLimits, ConsumedLimit } from "./limits.ts";
import { NO_POLICIES, type PolicySets } from "./policies/mod.ts";
import type { ChainResult, ChainStatus, PathFailure, PathMember } from "./types.ts";

/** Maximum number of errors, and of warnings, in a result; crafted certificates could cause thousands. */
const MAX_LINES = 100;
/** Maximum length of a name in a message. */
const MAX_SHOWN_CHARS = 200;

/** Failures that have a status of the same name. */
const TIMES: readonly string[] = ["expired", "not_yet_valid"];

const LIMIT_TEXTS: Readonly<Record<ConsumedLimit, (limits: ChainLimits) => string>> = {
  path: ({ path }) => `A path reached ${path} certificates without reaching an anchor`,
  signatureChecks: ({ signatureChecks }) =>
    `More than ${signatureChecks} signatures would have to be checked`,
  signatureMicros: () => "Checking all signatures would take too long with keys of these sizes",
  nodes: ({ nodes }) => `The search for a path would take more than ${nodes} steps`,
  policySteps: () => "The certificate policies and mappings are too many to process",
  nameComparisons: ({ nameComparisons }) => `More than ${nameComparisons} names would have to be compared`,
};

/** Returns the result for a readable leaf. */
export async function buildResult(
  context: ValidationContext,
  { decision, findings }: { decision: Decision; findings: readonly Finding[] },
): Promise<ChainResult> {
  const { status, path: { members, anchor } } = decision;
  const isValid = status === "valid" || status === "self_signed";
  const path: PathMember[] = [];
  for (const [index, member] of members.entries()) {
    path.push({
      certificate: member.certificate,
      isLeaf: index === 0,
      isSelfSigned: await context.signatures.isSelfSigned(member),
    });
  }
  return {
    status,
    isValid,
    message: messageOf(decision, context),
    depth: path.length,
    complete: anchor !== undefined,
    // A single self-signed certificate is not an anchor unless the caller trusts it.
    anchor: members.length === 1 && members[0]!.anchor === undefined ? "none" : anchor ?? "none",
    publiclyTrusted: isValid && anchor !== undefined && context.isPublicRoot(members.at(-1)!),
    path,
    policies: policiesOf(context, decision),
    failures: isValid ? [] : failuresOf(decision, context).slice(0, MAX_LINES),
    errors: isValid ? [] : errorsOf(decision, context),
    warnings: listed([
      ...new Set([
        ...(isValid ? await falseRoots(context, members) : []).map(line),
        ...chainWarnings(members).map(line),
        ...findings.map(findingLine),
      ]),
    ]),
  };
}

/** Returns a warning for each root of the bundle that has the name of an issuer of the path, and another key. */
async function falseRoots(
  { pool, signatures }: ValidationContext,
  members: readonly PoolCertificate[],
): Promise<ChainWarning[]> {
  const warnings: ChainWarning[] = [];
  for (const [index, member] of members.slice(0, -1).entries()) {
    for (const root of pool.bundle) {
      if (!root.selfIssued || root.subjectId !== member.issuerId || members.includes(root)) continue;
      if ((await signatures.check(member, root)).kind !== "bad") continue;
      const sentence = "is not signed by the key of the root of this name that is in the chain";
      warnings.push({
        code: "wrong_root",
        position: index + 1,
        sentence,
        citation: "RFC 5280 §6.1.3 (a)(1)",
      });
    }
  }
  return warnings;
}

/** Returns the result for an unreadable leaf or chain, with the findings as errors. */
export function parseErrorResult(
  { message, findings, path = [] }: { message: string; findings: readonly Finding[]; path?: PathMember[] },
): ChainResult {
  return {
    status: "parse_error",
    isValid: false,
    message,
    depth: path.length,
    complete: false,
    anchor: "none",
    publiclyTrusted: false,
    path,
    policies: NO_POLICIES,
    failures: [],
    errors: listed(findings.map(findingLine)),
    warnings: [],
  };
}

/**
 * Returns the failures of the path, leaf first. A missing issuer is a failure of the last certificate. If a
 * search ran out of budget, it is unknown whether one is missing.
 */
function failuresOf(
  { status, path: { members, failures } }: Decision,
  { budget }: ValidationContext,
): PathFailure[] {
  const sorted = [...failures].sort((a, b) => a.position - b.position);
  if ((status !== "incomplete" && status !== "no_chain") || budget.exhausted.size > 0) return sorted;
  const issuer = members[members.length - 1]!.certificate.issuer.text;
  const sentence = members.length > 1 && members.at(-1)!.selfIssued
    ? "is a root that is not trusted"
    : issuer === ""
    ? "names no issuer"
    : `names an issuer that is missing: ${shorten(issuer, MAX_SHOWN_CHARS)}`;
  return [...sorted, {
    code: "issuer_missing",
    position: members.length,
    sentence,
    citation: "RFC 5280 §6.1",
  }];
}

function errorsOf(decision: Decision, context: ValidationContext): string[] {
  const { budget } = context;
  const limits = [...budget.exhausted].map((limit) => `limit: ${LIMIT_TEXTS[limit](budget.limits)}`);
  return [...listed(failuresOf(decision, context).map(line)), ...limits];
}

/** Returns the policies of a path that ends in an anchor, or is valid although its root is missing. */
function policiesOf(context: ValidationContext, { status, path: { members, anchor } }: Decision): PolicySets {
  if (anchor === undefined && status !== "valid") return NO_POLICIES;
  return context.policies.outcome(members, { anchored: anchor !== undefined }).policies;
}

function messageOf(
  { status, path: { members, failures, anchor } }: Decision,
  { budget }: ValidationContext,
): string {
  const count = members.length === 1 ? "1 certificate" : `${members.length} certificates`;
  const sentences: Record<Exclude<ChainStatus, "parse_error">, string> = {
    valid: anchor === undefined
      ? `All signatures of the ${count} are valid; the root is missing`
      : `The chain of ${count} is complete and all its signatures are valid`,
    self_signed: "The certificate is self-signed; it needs no chain",
    no_chain: "The certificate needs a chain, but none was given",
    incomplete: budget.exhausted.size > 0
      ? "The chain could not be validated within the limits"
      : "Certificates of the chain are missing",
    expired: "The chain contains an expired certificate",
    not_yet_valid: "The chain contains a certificate that is not valid yet",
    invalid_signature: "The chain is invalid",
  };
  const sorted = [...failures].sort((a, b) => a.position - b.position);
  // The failure that the status names comes first, so that both give the same reason.
  const first =
    sorted.find(({ code }) => TIMES.includes(code) ? code === status : status === "invalid_signature") ??
      sorted[0];
  const sentence = sentences[status as keyof typeof sentences];
  return first === undefined || status === "no_chain" ? sentence : `${sentence}: ${describe(first)}`;
}

function line(found: PathFailure | ChainWarning): string {
  return `${found.code}: ${describe(found)} (${found.citation})`;
}

function describe({ position, sentence }: { position: number; sentence: string }): string {
  return `Certificate ${position} ${sentence}`;
}

function findingLine({ code, message, block, line }: Finding): string {
  const place = block === undefined ? "" : ` (block ${block}${line === undefined ? "" : `, line ${line}`})`;
  return `${code}: ${message}${place}`;
}

/** Returns the first lines, and how many others there are. */
function listed(lines: readonly string[]): string[] {
  const more = lines.length - MAX_LINES;
  return more <= 0 ? [...lines] : [...lines.slice(0, MAX_LINES), `more: ${more} more are not listed`];
}
