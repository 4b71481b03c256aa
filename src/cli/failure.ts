/** Messages and exit codes of failed commands, also for errors of the runtime or the system. */

import { uncapitalized } from "../base/amounts.ts";
import { AppError, type PublicError } from "../base/errors.ts";
import { ConfigError } from "../config/mod.ts";
import { MigrationError } from "../db/mod.ts";

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

/** Exit codes. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** An error of a command that cannot do its work. The message is one line for the user. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** An error of a file that cannot be imported. Other files still can. */
export class FileError extends CommandError {}

export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Returns a function that throws a {@link CommandError}: what has failed, and the reason. */
export function failing(what: string): (error: unknown) => never {
  return (error) => {
    throw new CommandError(`${what}: ${reasonOf(error)}`);
  };
}

/** Returns the message about an argument of `deno task start`. */
export function unknownArgument(argument: string): string {
  return `Unknown argument ${
    JSON.stringify(argument)
  }. The service is configured by CERTMGR_… variables: see docs/settings.md.`;
}

/** Message and exit code of a failure. */
export interface Failure {
  /** One line, or several if several settings are invalid. */
  readonly text: string;
  readonly code: number;
}

/** Describes any failure. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof ConfigError || error instanceof UsageError) {
    return { text: error.message, code: EXIT.usage };
  }
  if (error instanceof AppError) {
    const cause = error.unexpected ? ` (${error.cause})` : "";
    return { text: refusalText(error.public) + cause, code: EXIT.failed };
  }
  if (error instanceof CommandError || error instanceof MigrationError) {
    return { text: error.message, code: EXIT.failed };
  }
  if (error instanceof Deno.errors.NotCapable) {
    // Tasks and unit files grant permissions, so the runtime's advice to use flags does not help.
    return { text: error.message.replace(/, run again with .*$/s, ""), code: EXIT.failed };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { text: `Unexpected failure: ${message}`, code: EXIT.failed };
}

/** Returns a refusal as one line: the sentence, or all fields with their messages. */
export function refusalText(body: PublicError): string {
  if (Array.isArray(body)) return body.flatMap(fieldTexts).join(" ");
  return typeof body.detail === "string" ? body.detail : fieldTexts(body).join(" ");
}

function fieldTexts(errors: object): string[] {
  return Object.entries(errors).map(([field, messages]) => {
    const text = Array.isArray(messages) ? messages.join(" ") : JSON.stringify(messages);
    return field === "__all__" ? text : `${field}: ${text}`;
  });
}
