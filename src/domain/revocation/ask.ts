/** Checks certificates: asks revocation lists, then responders, and stores what they answer. */

import { sql } from "drizzle-orm";
import type { Context } from "../../auth/mod.ts";
import { sha256Hex } from "../../base/bytes.ts";
import { formatDatetime, HOUR_MS, type Millis } from "../../base/clock.ts";
import { pacer } from "../../base/pace.ts";
import { idsIn } from "../../db/mod.ts";
import { OutboundError } from "../../http/mod.ts";
import {
  answerOfList,
  checkList,
  type RevocationAnswer,
  type RevocationFault,
} from "../../x509/revocation/mod.ts";
import { eachByHost, fetchInTurn, SLOW_MS } from "./fetch.ts";
import { type Asking, openList, refreshTime } from "./open_list.ts";
import { type Question, readQuestions } from "./questions.ts";
import { type Outcome, storeOutcomes } from "./store.ts";

/**
 * Checks certificates as the service, because what authorities say does not depend on the caller. Returns the number of
 * those that are due later.
 */
export async function checkAll(ctx: Context, ids: readonly number[], asking: Asking): Promise<number> {
  const questions = await readQuestions(ctx, ids, pacer());
  const asked = [...questions.values()].filter((one): one is Question => "certificate" in one);
  const { answers, slow } = await askAll(ctx, asked, asking);
  const outcomes = new Map<number, Outcome>();
  for (const [id, question] of questions) {
    const evidence = answers.get(id) ?? [];
    if (!("certificate" in question)) outcomes.set(id, question);
    // One that was not asked about stays due.
    else if (evidence.length > 0) outcomes.set(id, { evidence });
  }
  await storeOutcomes(ctx, outcomes);
  const postponed = [...slow].filter((id) => !outcomes.has(id));
  if (postponed.length > 0) {
    await ctx.database.write((tx) =>
      tx.run(
        sql`UPDATE certificates SET revocation_due = ${ctx.clock.now() + SLOW_MS} WHERE id IN ${
          idsIn(postponed)
        }`,
      )
    );
  }
  return outcomes.size + postponed.length;
}

/** Maximum size of an OCSP response in bytes; real ones have 2,000. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** An answer about a certificate, or why there is none. */
export interface Evidence {
  readonly source: "crl" | "ocsp" | "stapled";
  readonly url: string;
  readonly answer?: RevocationAnswer;
  readonly message: string;
  readonly sha256: string;
  /** When a newer answer is sought. */
  readonly refreshAt: Millis;
}

/** Returns evidence from what was read. */
export function evidenceOf(
  outcome: RevocationAnswer | { readonly fault: RevocationFault },
  about: Omit<Evidence, "answer" | "message">,
): Evidence {
  if ("fault" in outcome) return { ...about, message: `${outcome.fault.message}.` };
  return { ...about, answer: outcome, message: sentenceOf(outcome) };
}

function sentenceOf({ status, reason, revokedAt, signer }: RevocationAnswer): string {
  if (status === "good") return `Not revoked, says ${signer}.`;
  if (status === "unknown") return `${signer} does not know the certificate.`;
  return `Revoked on ${formatDatetime(revokedAt ?? 0)} (${reason?.replaceAll("_", " ")}), says ${signer}.`;
}

/**
 * Returns the evidence about each certificate: at most one answer of each source, the best one; none if there was no time
 * to ask. `slow`: those for which there was none because others of their host took it.
 */
async function askAll(
  ctx: Context,
  questions: readonly Question[],
  asking: Asking,
): Promise<{ answers: ReadonlyMap<number, readonly Evidence[]>; slow: ReadonlySet<number> }> {
  const found = new Map<number, readonly Evidence[]>(questions.map(({ id }) => [id, []]));
  const slow = new Set<number>();
  const add = (id: number, evidence: Evidence): void => {
    const before = found.get(id) ?? [];
    const same = before.find(({ source }) => source === evidence.source);
    if (same === undefined) found.set(id, [...before, evidence]);
    else if (rank(evidence) > rank(same)) found.set(id, [...before.filter((one) => one !== same), evidence]);
  };
  const byList = new Map<string, Question[]>();
  for (const question of questions) {
    for (const url of question.lists) byList.set(url, [...byList.get(url) ?? [], question]);
  }
  await eachByHost(ctx, [...byList], {
    urlOf: ([url]) => url,
    work: ([url, some]) => askList(ctx, url, { questions: some, asking, add }),
    leave: async (left, why) => {
      for (const [url, some] of left) {
        if (why === "slow") { for (const { id } of some) slow.add(id); }
        // Those that are kept still count.
        if (why === "down") {
          await askList(ctx, url, { questions: some, asking: { ...asking, fetches: false }, add });
        }
      }
    },
  });
  const open = questions.filter(({ id, responders }) =>
    responders.length > 0 && found.get(id)?.some(({ answer }) => answer !== undefined) !== true
  );
  const requests = open.flatMap((question) => question.responders.map((url) => ({ question, url })));
  if (!asking.fetches) return { answers: found, slow };
  await eachByHost(ctx, requests, {
    urlOf: ({ url }) => url,
    work: ({ question, url }) => askResponder(ctx, url, { question, add }),
    leave: (left, why) => {
      for (const { question: { id }, url } of left) {
        if (why === "slow") slow.add(id);
        if (why === "down") {
          add(id, { ...noAnswer(ctx, url), message: "The responder does not answer others either." });
        }
      }
      return Promise.resolve();
    },
  });
  return { answers: found, slow };
}

/** Returns what evidence of a responder has without an answer. */
function noAnswer({ clock }: Context, url: string): Omit<Evidence, "message"> {
  return { source: "ocsp", url, sha256: "", refreshAt: clock.now() + HOUR_MS };
}

/** Revocations count more than other answers, and answers more than failures. */
function rank({ answer }: Evidence): number {
  return answer === undefined ? 0 : answer.status === "revoked" ? 3 : answer.status === "good" ? 2 : 1;
}

type Add = (id: number, evidence: Evidence) => void;

/** Asks a list about certificates. Returns whether the host answers. */
async function askList(
  ctx: Context,
  url: string,
  { questions, asking, add }: { questions: readonly Question[]; asking: Asking; add: Add },
): Promise<boolean> {
  const sought = new Set(questions.map(({ serial }) => serial));
  const opened = await openList(ctx, url, { ...asking, sought });
  if ("error" in opened) {
    const refreshAt = ctx.clock.now() + HOUR_MS;
    for (const { id } of questions) {
      add(id, { source: "crl", url, message: opened.error, sha256: "", refreshAt });
    }
    return !opened.isDown;
  }
  const { list, sha256, refreshAt } = opened;
  // Nearly always, all of them have the same issuer.
  const signers = new Map<string, ReturnType<typeof checkList>>();
  for (const { id, certificate, issuers, pool } of questions) {
    const key = issuers.map(({ fingerprintSha256 }) => fingerprintSha256).join();
    const checked = signers.get(key) ?? checkList(list, { issuers, pool, at: ctx.clock.now() });
    signers.set(key, checked);
    const result = await checked;
    const outcome = "fault" in result ? result : answerOfList(list, { certificate, signer: result.signer });
    add(id, evidenceOf(outcome, { source: "crl", url, sha256, refreshAt }));
  }
  return true;
}

/** Asks a responder about a certificate. Returns whether it answers. */
async function askResponder(
  ctx: Context,
  url: string,
  { question: { id, certificate, issuers }, add }: { question: Question; add: Add },
): Promise<boolean> {
  const [issuer] = issuers;
  if (issuer === undefined) return true;
  const { checkOcspResponse, ocspRequest } = await import("../../x509/ocsp/mod.ts");
  const about = noAnswer(ctx, url);
  const { bytes: body, nonce } = ocspRequest(certificate, issuer);
  try {
    const { status, bytes } = await fetchInTurn(ctx, {
      url,
      body,
      headers: { "content-type": "application/ocsp-request", accept: "application/ocsp-response" },
      maxBytes: MAX_RESPONSE_BYTES,
    });
    if (status !== 200) {
      add(id, { ...about, message: `The responder answered ${status}.` });
      return status < 500;
    }
    const now = ctx.clock.now();
    const outcome = await checkOcspResponse(bytes, { certificate, issuer, at: now, nonce });
    const refreshAt = "fault" in outcome ? about.refreshAt : refreshTime(outcome.nextUpdate, now);
    add(id, evidenceOf(outcome, { ...about, sha256: sha256Hex(bytes), refreshAt }));
    return true;
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    add(id, { ...about, message: error.message });
    return false;
  }
}
