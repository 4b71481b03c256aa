/** The report file of an import: a JSON line for each row. */

import { fileExistsError } from "./draft_file.ts";
import { CommandError } from "./failure.ts";
import { reasonOf } from "./reason.ts";

/** An open report. */
export interface ReportFile extends AsyncDisposable {
  write(lines: readonly unknown[]): Promise<void>;
}

/** Creates a report. Errors: {@link CommandError} if the file exists or cannot be written. */
export async function openReport(path: string): Promise<ReportFile> {
  const file = await Deno.open(path, { write: true, createNew: true }).catch((error) => {
    if (error instanceof Deno.errors.AlreadyExists) throw fileExistsError(path);
    throw new CommandError(`File ${JSON.stringify(path)} cannot be written: ${reasonOf(error)}`, {
      cause: error,
    });
  });
  return {
    async write(lines): Promise<void> {
      const bytes = new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
    },
    [Symbol.asyncDispose]: (): Promise<void> => Promise.resolve(file.close()),
  };
}
