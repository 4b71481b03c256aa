/** Reads text files that are named on the command line. */

import { CommandError } from "./failure.ts";
import { reasonOf } from "./reason.ts";

/** Reads a text file. Errors: CommandError with its path. */
export async function readTextFile(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    throw new CommandError(`The file ${JSON.stringify(path)} cannot be read: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}
