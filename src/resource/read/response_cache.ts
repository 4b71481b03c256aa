/** Caches responses that are requested repeatedly, until the data that they show changes. */

import type { Context } from "../../auth/mod.ts";
import { perDatabase } from "../../db/mod.ts";
import { responseVersion } from "./response_version.ts";

/** Maximum size in bytes of all cached responses of a process, and of one of them. */
export const RESPONSE_CACHE_BYTES = 8 * 1024 * 1024;
export const MAX_CACHED_RESPONSE_BYTES = 1024 * 1024;
/** Maximum number of cached responses of a process. */
export const MAX_CACHED_RESPONSES = 2_000;

/** A response: its entity tag, and its content unless it is too large. */
export interface CachedResponse {
  /** Empty if the response was only requested once and is not cached yet. */
  readonly etag: string;
  readonly bytes?: Uint8Array<ArrayBuffer>;
}

/** The cached responses of a database. The least recently used ones are evicted first. */
export class ResponseCache {
  readonly #responses = new Map<string, CachedResponse>();
  #bytes = 0;

  /**
   * Returns the cached response for a key.
   * @param key Contains the version of the data, and everything in the request on which the response depends.
   */
  get(key: string): CachedResponse | undefined {
    const response = this.#responses.get(key);
    if (response === undefined) return undefined;
    this.#responses.delete(key);
    this.#responses.set(key, response);
    return response;
  }

  /** Records that a response was requested. */
  note(request: string): void {
    this.#set(request, { etag: "" });
  }

  /** Caches a response, without its content if that is too large. */
  store(key: string, { bytes, ...response }: Required<CachedResponse>): void {
    this.#set(key, bytes.length <= MAX_CACHED_RESPONSE_BYTES ? { ...response, bytes } : response);
  }

  #set(key: string, response: CachedResponse): void {
    this.#drop(key);
    this.#responses.set(key, response);
    this.#bytes += sizeOf(key, response);
    while (this.#bytes > RESPONSE_CACHE_BYTES || this.#responses.size > MAX_CACHED_RESPONSES) {
      this.#drop(this.#responses.keys().next().value as string);
    }
  }

  #drop(key: string): void {
    const response = this.#responses.get(key);
    if (response === undefined) return;
    this.#responses.delete(key);
    this.#bytes -= sizeOf(key, response);
  }
}

function sizeOf(key: string, { bytes }: CachedResponse): number {
  return key.length + (bytes?.length ?? 0);
}

/** Returns the cached responses of a database. */
export const responseCacheOf = perDatabase(() => new ResponseCache());

/**
 * Returns the key under which the response to a request is cached: the request and the version of the data.
 * Undefined for the first such request (most are not repeated), and if commits are not tracked. At most one
 * statement.
 * @param request Everything in the request on which the response depends, except the caller.
 * @param options.uses Whether the response may show when something was last used.
 */
export async function responseKey(
  ctx: Context,
  request: string,
  options: { uses: boolean },
): Promise<string | undefined> {
  const responses = responseCacheOf(ctx.database);
  const isRepeated = responses.get(request) !== undefined;
  if (!isRepeated) responses.note(request);
  const version = isRepeated ? await responseVersion(ctx, options) : undefined;
  return version === undefined ? undefined : `${version} ${request}`;
}
