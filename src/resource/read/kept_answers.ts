/** Caches responses that are requested repeatedly, until the data that they show changes. */

import type { Context } from "../../auth/mod.ts";
import { perDatabase } from "../../db/mod.ts";
import { answerVersion } from "./answer_version.ts";

/** Bytes of all answers of a process, and of one of them. */
export const KEPT_BYTES = 8 * 1024 * 1024;
export const MAX_KEPT_ANSWER_BYTES = 1024 * 1024;
/** Answers of a process. */
export const KEPT_ANSWERS = 2_000;

/** An answer: what identifies its content, and the content unless it is too large. */
export interface KeptAnswer {
  /** Empty if it is not known. */
  readonly etag: string;
  readonly bytes?: Uint8Array<ArrayBuffer>;
}

/** The answers of one database, of which the one that was used least recently is dropped first. */
export class KeptAnswers {
  readonly #answers = new Map<string, KeptAnswer>();
  #bytes = 0;

  /**
   * Returns the kept answer of a key.
   * @param key has the version of what is shown, and all of the request that decides about its answer.
   */
  get(key: string): KeptAnswer | undefined {
    const answer = this.#answers.get(key);
    if (answer === undefined) return undefined;
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    return answer;
  }

  /** Records that a response was requested. */
  note(request: string): void {
    this.#set(request, { etag: "" });
  }

  /** Keeps an answer, without its content if that is too large. */
  keep(key: string, { bytes, ...answer }: Required<KeptAnswer>): void {
    this.#set(key, bytes.length <= MAX_KEPT_ANSWER_BYTES ? { ...answer, bytes } : answer);
  }

  #set(key: string, answer: KeptAnswer): void {
    this.#drop(key);
    this.#answers.set(key, answer);
    this.#bytes += sizeOf(key, answer);
    while (this.#bytes > KEPT_BYTES || this.#answers.size > KEPT_ANSWERS) {
      this.#drop(this.#answers.keys().next().value as string);
    }
  }

  #drop(key: string): void {
    const answer = this.#answers.get(key);
    if (answer === undefined) return;
    this.#answers.delete(key);
    this.#bytes -= sizeOf(key, answer);
  }
}

function sizeOf(key: string, { bytes }: KeptAnswer): number {
  return key.length + (bytes?.length ?? 0);
}

/** Returns the answers that are kept of a database. */
export const keptAnswers = perDatabase(() => new KeptAnswers());

/**
 * Returns the key under which the answer to a request is kept: the request and the version of what it may show.
 * Undefined if it is requested for the first time, as most are, and if commits are not tracked. At most one statement.
 * @param request all of the request that decides about its answer, besides the caller.
 * @param options.uses whether the answer may show when something was used last.
 */
export async function answerKey(
  ctx: Context,
  request: string,
  options: { uses: boolean },
): Promise<string | undefined> {
  const answers = keptAnswers(ctx.database);
  const isRepeated = answers.get(request) !== undefined;
  if (!isRepeated) answers.note(request);
  const version = isRepeated ? await answerVersion(ctx, options) : undefined;
  return version === undefined ? undefined : `${version} ${request}`;
}
