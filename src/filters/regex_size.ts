/** How long a regular expression becomes when its repetitions are written out, found without compiling it. */

/** What a scan of a pattern keeps for each open group. */
interface Level {
  /** Steps of all that stands before the last item. */
  before: number;
  /** Steps of the last item: what a repetition multiplies. */
  last: number;
}

/** A run between `\Q` and `\E`; a character, class or group of classes after a backslash. */
const ESCAPE = /\\Q[\s\S]*?(?:\\E|$)|\\[pP]\{[^}]*\}|\\x\{[^}]*\}|\\[\s\S]?/y;
/** A class in brackets: a `]` in the first place is one of its members, as is what an escape or `[:name:]` stands for. */
const CLASS = /\[\^?\]?(?:\[:\^?[a-z]+:\]|\\[\s\S]|[^\]\\])*\]/y;
/** A counted repetition: `{2}`, `{2,}`, `{2,5}`. */
const COUNT = /\{(\d+)(,(\d*))?\}/y;

/**
 * Returns at least the number of steps (RE2 instructions) of a pattern's program, or a larger number. One pass over
 * the text; a malformed pattern has some number, too.
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
      // Both ends of what it captures.
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

/** An optional copy takes a step more, and what repeats nothing is compiled all the same. */
function timesOf([, least, range, most]: RegExpExecArray): number {
  const times = Math.max(Number(least), most ? Number(most) : 0, 1);
  return range === undefined ? times : 2 * times + 1;
}
