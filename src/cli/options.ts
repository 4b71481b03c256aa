/** What several commands have in common: options, and the files that options name. */

import { failing } from "./failure.ts";

/** Arguments of the option with the token of `--url`. */
export const TOKEN_OPTION = [
  "--token <key>",
  "API token for --url (prefer CERTMGR_TOKEN: other users can read the command line)",
] as const;

/** Collects the values of an option that may be repeated. */
export function collect(value: string, known: readonly string[]): readonly string[] {
  return [...known, value];
}

/** Reads a text file. Errors: CommandError with its path. */
export function readTextFile(path: string): Promise<string> {
  return Deno.readTextFile(path).catch(failing(`The file ${JSON.stringify(path)} cannot be read`));
}
