/** Edits lines that are typed on a terminal in raw mode, in which the terminal neither echoes nor edits. */

/** The result of the input so far: nothing yet, a line, or Ctrl-C. */
export type EnteredLine = undefined | { readonly line: string } | "cancelled";

/** Turns typed characters into lines. */
export interface LineEditor {
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
