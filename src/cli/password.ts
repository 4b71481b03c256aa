/** Reads passwords from a terminal or from standard input, never from the command line. */

import { CommandError, UsageError } from "./failure.ts";

/** The result of the input so far: nothing yet, a line, or Ctrl-C. */
export type EnteredLine = undefined | { readonly line: string } | "cancelled";

/** Turns typed characters into lines. */
interface LineEditor {
  /**
   * Processes input. Input after the end of a line is kept for the next call. `ended`: the input is complete.
   */
  feed(bytes: Uint8Array, options?: { ended?: boolean }): EnteredLine;
}

const CTRL_C = "\x03";
const CTRL_D = "\x04";
const CTRL_U = "\x15";
const BACKSPACES = ["\x7f", "\b"];

/** Handles Enter, Backspace, Ctrl-U, Ctrl-D and Ctrl-C; drops other control characters and cursor keys. */
export function createLineEditor(): LineEditor {
  const decoder = new TextDecoder();
  const waiting: string[] = [];
  let typed: string[] = [];
  const take = (): string => typed.splice(0).join("");
  return {
    feed(bytes, { ended = false } = {}): EnteredLine {
      // A cursor key sends ESC, "[" or "O", parameters, and a letter.
      // deno-lint-ignore no-control-regex -- such a sequence begins with ESC
      const text = decoder.decode(bytes, { stream: !ended }).replace(/\x1b[[O][0-9;]*[A-Za-z~]/g, "");
      waiting.push(...text);
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (next === "\r" || next === "\n" || next === CTRL_D) return { line: take() };
        if (next === CTRL_C) return "cancelled";
        if (next === CTRL_U) typed = [];
        else if (BACKSPACES.includes(next)) typed.pop();
        else if (!/\p{Cc}/u.test(next)) typed.push(next);
      }
      return ended ? { line: take() } : undefined;
    },
  };
}

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
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of Deno.stdin.readable) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new CommandError(`The password is longer than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return await new Blob(chunks).text().then((text) => text.replace(/\r?\n$/, ""));
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
