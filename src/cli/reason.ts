/** Describes errors of the runtime or the system for users of the command line. */

import { uncapitalized } from "../base/amounts.ts";

/** Prefixes and suffixes of the runtime's messages that do not help users. */
const NOISE = [
  /^Fetch failed: /,
  /^error sending request for url \([^)]*\): /,
  /^client error \(\w+\): /,
  /^tcp connect error: /,
];
const SYSTEM_CODE = / \(os error \d+\).*$/s;

/** Explanations of low-level errors; the first match is used. */
const MEANINGS: readonly (readonly [pattern: RegExp, meaning: string])[] = [
  [
    /received corrupt message of type InvalidContentType/,
    "the server does not use TLS. Use http:// instead of https://",
  ],
  [/failed to lookup address information/, "the host name is unknown"],
  [/redirect mode is set to 'error'/, "the server redirects. Use the address that it redirects to"],
  [
    /^The signal has been aborted|^Signal timed out|^The operation was aborted due to timeout/i,
    "the server did not respond in time",
  ],
];

/** Returns the innermost cause of a failure, without addresses and without advice for programmers. */
export function reasonOf(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  if (inner instanceof Deno.errors.NotCapable) return "this process has no permission";
  if (inner instanceof Deno.errors.NotADirectory) return "a part of the path is a file, not a folder";
  const text = NOISE.reduce(
    (rest, noise) => rest.replace(noise, ""),
    inner instanceof Error ? inner.message : String(inner),
  );
  const meaning = MEANINGS.find(([pattern]) => pattern.test(text))?.[1];
  return meaning ?? uncapitalized(text.replace(SYSTEM_CODE, ""));
}
