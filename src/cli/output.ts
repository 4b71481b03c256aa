/** Prints the output of commands. Untrusted text (names in certificates) must not control the terminal. */

import { printable } from "../x509/mod.ts";
import { describeFailure, failing } from "./failure.ts";

const encoder = new TextEncoder();

/** Prints lines on standard output. */
export function printLines(...lines: readonly string[]): void {
  print(lines.map((line) => `${printable(line)}\n`).join(""));
}

/** Whether the last line on standard error was cut off, so that the next line must begin a new one. */
let torn = false;

/**
 * Prints a line on standard error. A line that cannot be written (because the disk of the log is full) is
 * dropped, because the process must not depend on its log.
 */
export function printNote(line: string): void {
  try {
    write(Deno.stderr, `${torn ? "\n" : ""}${printable(line)}\n`);
    torn = false;
  } catch {
    torn = true;
  }
}

/** Prints why a command has failed on standard error. Returns the exit code. */
export function reportFailure(error: unknown): number {
  const { text, code } = describeFailure(error);
  for (const line of text.split("\n")) printNote(`certmgr: ${line}`);
  return code;
}

/** Escapes control characters, and characters that reorder text, for a terminal. Keeps line ends. */
export function terminalText(): TransformStream<string, string> {
  const shown = (text: string): string =>
    text.split(/(\r?\n|\t)/).map((part, index) => index % 2 === 1 ? part : printable(part)).join("");
  let rest = "";
  return new TransformStream({
    transform(text, controller): void {
      // A line end may be split between two chunks.
      const [, whole = "", end = ""] = /^([^]*?)(\r?)$/.exec(rest + text) ?? [];
      rest = end;
      controller.enqueue(shown(whole));
    },
    flush: (controller) => controller.enqueue(shown(rest)),
  });
}

/** Prints a value for programs. Characters that control a terminal or reorder text are escaped as in JSON. */
export function printJson(value: unknown): void {
  const text = JSON.stringify(value, null, 2).replace(/[^\P{C}\n]|[\u2028\u2029]/gu, (character) => {
    const units = character.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
    return units.map((unit) => `\\u${unit}`).join("");
  });
  print(`${text}\n`);
}

/** Returns lines in a frame, so that they are not overlooked. */
export function withFrame(lines: readonly string[]): string[] {
  const width = Math.max(...lines.map((line) => line.length));
  const rule = "─".repeat(width + 2);
  return [`┌${rule}┐`, ...lines.map((line) => `│ ${line.padEnd(width)} │`), `└${rule}┘`];
}

/** Writes to standard output. Errors: CommandError if that fails, so that scripts notice. */
export function print(text: string): void {
  try {
    write(Deno.stdout, text);
  } catch (error) {
    unprintable(error);
  }
}

/** Converts a failure of standard output. A broken pipe is thrown unchanged. */
export function unprintable(error: unknown): never {
  if (error instanceof Deno.errors.BrokenPipe) throw error;
  return failing("Standard output cannot be written")(error);
}

/** Writes a whole text. It is not a failure if the reader stops reading (`… | head`). */
function write(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  const bytes = encoder.encode(text);
  try {
    for (let at = 0; at < bytes.length;) at += stream.writeSync(bytes.subarray(at));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}
