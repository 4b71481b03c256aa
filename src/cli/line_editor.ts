/** Lines typed on a terminal in raw mode, where the terminal itself neither echoes nor edits. */

/** What was typed so far comes to: nothing yet, a line, or Ctrl-C. */
export type EnteredLine = undefined | { readonly line: string } | "cancelled";

/** Takes what is typed and gives lines. */
export interface LineEditor {
  /** What is beyond the end of a line is kept for the next call. `ended`: nothing more will come. */
  feed(bytes: Uint8Array, options?: { ended?: boolean }): EnteredLine;
}

const CTRL_C = "\x03";
const CTRL_D = "\x04";
const CTRL_U = "\x15";
const BACKSPACES = ["\x7f", "\b"];

/** Understands Enter, Backspace, Ctrl-U, Ctrl-D and Ctrl-C; other control characters and cursor keys are dropped. */
export function createLineEditor(): LineEditor {
  const decoder = new TextDecoder();
  const waiting: string[] = [];
  let typed: string[] = [];
  const take = (): string => typed.splice(0).join("");
  return {
    feed(bytes, { ended = false } = {}): EnteredLine {
      // A cursor key sends ESC, "[" or "O", parameters, and a letter.
      // deno-lint-ignore no-control-regex -- ESC is what such a sequence begins with
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
