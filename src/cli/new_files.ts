/** Creates the files of a command, all or none. */

import { CommandError } from "./failure.ts";
import { draftOf, fileExistsError, publishDraft } from "./draft_file.ts";
import { reasonOf } from "./reason.ts";

/** A file to create. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
  /** Permissions, set when the file is created. */
  readonly mode: number;
}

/** Refuses paths that already exist, including links with missing targets. Errors: CommandError. */
export async function requireFree(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const taken = await Deno.lstat(path).then(() => true, () => false);
    if (taken) throw fileExistsError(path);
  }
}

/**
 * Creates the files, then runs `work`. If either fails, removes the files. Errors: CommandError, and those of
 * `work`.
 */
export async function withNewFiles<T>(files: readonly NewFile[], work: () => Promise<T>): Promise<T> {
  const made: string[] = [];
  try {
    for (const file of files) await makeFile(file, made);
    return await work();
  } catch (error) {
    for (const path of made) await Deno.remove(path).catch(() => {});
    throw error;
  }
}

async function makeFile({ path, text, mode }: NewFile, made: string[]): Promise<void> {
  const draft = draftOf(path);
  try {
    using file = await Deno.open(draft, { write: true, createNew: true, mode });
    made.push(draft);
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
    await file.sync();
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound ? "its folder does not exist" : reasonOf(error);
    throw new CommandError(`File ${JSON.stringify(path)} cannot be written: ${reason}`, { cause: error });
  }
  await publishDraft(draft, path);
  made.push(path);
}
