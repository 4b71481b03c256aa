/** Reads passwords from a terminal or from standard input, never from the command line. */

import { CommandError, UsageError } from "./failure.ts";
import { createLineEditor, type LineEditor } from "./line_editor.ts";

/** Maximum number of bytes on standard input; the longest allowed password has 128 characters. */
const MAX_BYTES = 4_096;

/** Reads a new password: from standard input, or twice from the terminal without echo. */
export async function readPassword({ fromStdin }: { fromStdin: boolean }): Promise<string> {
  if (fromStdin) return await readStdin();
  if (!Deno.stdin.isTerminal()) {
    throw new UsageError("A password prompt needs a terminal. Use --password-stdin.");
  }
  const editor = createLineEditor();
  const password = readHidden("Password: ", editor);
  if (readHidden("Repeat password: ", editor) !== password) {
    throw new CommandError("The passwords do not match.");
  }
  return password;
}

/** Returns standard input without one line break at its end. */
async function readStdin(): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of Deno.stdin.readable) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new CommandError(`The password is longer than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return await new Blob(chunks as BlobPart[]).text().then((text) => text.replace(/\r?\n$/, ""));
}

/** Prints the prompt to standard error, so that standard output contains only the results. */
function readHidden(prompt: string, editor: LineEditor): string {
  const encoder = new TextEncoder();
  const buffer = new Uint8Array(256);
  Deno.stderr.writeSync(encoder.encode(prompt));
  Deno.stdin.setRaw(true);
  try {
    let result = editor.feed(new Uint8Array());
    while (result === undefined) {
      const length = Deno.stdin.readSync(buffer);
      result = editor.feed(buffer.subarray(0, length ?? 0), { ended: length === null });
    }
    if (result === "cancelled") throw new CommandError("Cancelled");
    return result.line;
  } finally {
    Deno.stdin.setRaw(false);
    Deno.stderr.writeSync(encoder.encode("\n"));
  }
}
