/** Estimates the program size of a regular expression without compiling it. */

/** Sizes within an open group. */
interface Level {
  /** Steps of all items before the last one. */
  before: number;
  /** Steps of the last item, which a repetition multiplies. */
  last: number;
}

/** A run between `\Q` and `\E`; a character, class or group of classes after a backslash. */
const ESCAPE = /\\Q[\s\S]*?(?:\\E|$)|\\[pP]\{[^}]*\}|\\x\{[^}]*\}|\\[\s\S]?/y;
/** A class in brackets: a leading `]`, an escape or `[:name:]` are members of it. */
const CLASS = /\[\^?\]?(?:\[:\^?[a-z]+:\]|\\[\s\S]|[^\]\\])*\]/y;
/** A counted repetition: `{2}`, `{2,}`, `{2,5}`. */
const COUNT = /\{(\d+)(,(\d*))?\}/y;

/**
 * Returns an upper bound for the number of steps (RE2 instructions) of a pattern's program, in one pass. For a
 * malformed pattern the result is any number.
 */
export function programBound(source: string): number {
  const levels: Level[] = [{ before: 0, last: 0 }];
  let at = 0;
  while (at < source.length) {
    const level = levels.at(-1) as Level;
    const character = source.charAt(at);
    const count = character === "{" ? matchAt(COUNT, source, at) : null;
    const atom = character === "\\"
      ? matchAt(ESCAPE, source, at)
      : character === "["
      ? matchAt(CLASS, source, at)
      : null;
    if (count !== null) level.last *= timesOf(count);
    else if (character === "(") levels.push({ before: 0, last: 0 });
    else if (character === ")" && levels.length > 1) {
      levels.pop();
      // Two steps for the start and the end of the capture.
      append(levels.at(-1) as Level, level.before + level.last + 2);
    } else if ("*+?".includes(character)) level.last += 1;
    else append(level, atom?.[0].startsWith("\\Q") ? atom[0].length : 1);
    at += (count ?? atom)?.[0].length ?? 1;
  }
  return levels.reduce((sum, { before, last }) => sum + before + last, 0);
}

function append(level: Level, steps: number): void {
  level.before += level.last;
  level.last = steps;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Returns the factor of a repetition: an optional copy takes an additional step, and `{0}` is compiled as well. */
function timesOf([, least, range, most]: RegExpExecArray): number {
  const times = Math.max(Number(least), most ? Number(most) : 0, 1);
  return range === undefined ? times : 2 * times + 1;
}
