/** Messages and exit codes of failed commands. */

import { AppError, type PublicError } from "../base/errors.ts";
import { ConfigError } from "../config/mod.ts";
import { MigrationError } from "../db/mod.ts";

/** Exit codes. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** An error of a command that cannot do its work. The message is one line for the user. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

export class UsageError extends Error {
  override readonly name = "UsageError";
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
