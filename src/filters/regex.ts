/**
 * Regular expressions of users: RE2 syntax, matched in linear time. They never reach a backtracking engine,
 * neither JavaScript's nor that of a database. Their size is estimated before they are compiled, and a
 * request has an allowance.
 */

import { type Finding, finding } from "../base/findings.ts";
import { RE2JS, RE2JSException } from "re2js";
import { MAX_REGEX_PATTERNS, MAX_REGEX_PROGRAM } from "./limits.ts";

/** A compiled pattern. */
export interface Pattern {
  /** Returns whether it matches anywhere in `text`. */
  test(text: string): boolean;
  /** Maximum number of steps per character of text. */
  readonly size: number;
}

interface PatternOptions {
  readonly ignoreCase: boolean;
}

/**
 * Maximum number of compiled patterns that are kept until they are used: those of two concurrent requests.
 */
const READY_PATTERNS = 2 * MAX_REGEX_PATTERNS;
/** Patterns that were validated but not used yet, so that a request compiles each pattern only once. */
const ready = new Map<string, Pattern>();

/** Returns why a pattern is invalid; undefined if it is valid. */
export function patternFault(source: string, options: PatternOptions): string | undefined {
  const result = compilePattern(source, options);
  if ("error" in result) return result.error;
  const [oldest] = ready.keys();
  if (oldest !== undefined && ready.size >= READY_PATTERNS) ready.delete(oldest);
  ready.set(keyOf(source, options), result.pattern);
  return undefined;
}

/**
 * Returns a pattern that {@link patternFault} has accepted. It is not shared, because it grows while it
 * matches.
 */
export function takePattern(source: string, options: PatternOptions): Pattern {
  const key = keyOf(source, options);
  const known = ready.get(key);
  ready.delete(key);
  if (known !== undefined) return known;
  const result = compilePattern(source, options);
  if ("error" in result) throw new Error(`Pattern was not checked when it was parsed: ${result.error}`);
  return result.pattern;
}

/** Compiles a pattern after checking its size. `error` is the reason for a refusal. */
export function compilePattern(
  source: string,
  options: PatternOptions,
): { pattern: Pattern } | { error: string } {
  if (maxProgramSteps(source) > MAX_REGEX_PROGRAM) {
    return { error: `repetitions make it longer than ${MAX_REGEX_PROGRAM} steps` };
  }
  try {
    const compiled = RE2JS.compile(source, options.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return { pattern: { test: (text) => compiled.test(text), size: compiled.programSize() } };
  } catch (error) {
    if (error instanceof RE2JSException) {
      return { error: error.message.replace(/^error parsing regexp: /, "") };
    }
    throw error;
  }
}

function keyOf(source: string, { ignoreCase }: PatternOptions): string {
  return `${ignoreCase ? "i" : ""}/${source}`;
}

/** The number of remaining regular expressions, shared by all filters of a request. */
export interface RegexAllowance {
  left: number;
  /** Message for the first one above the allowance. */
  readonly refusal: Finding;
}

/** Returns the allowance of a request. */
export function regexAllowance(): RegexAllowance {
  return {
    left: MAX_REGEX_PATTERNS,
    refusal: finding("too_many_regexes", { max: MAX_REGEX_PATTERNS }),
  };
}

/** Returns an allowance of none. @param place Where they are refused, for the message: `in constraints`. */
export function noRegexes(place: string): RegexAllowance {
  return { left: 0, refusal: finding("no_regexes", { place }) };
}

/** Uses one regular expression of an allowance. Returns a message if none is left. */
export function takeRegex(allowance: RegexAllowance): Finding | undefined {
  if (allowance.left <= 0) return allowance.refusal;
  allowance.left -= 1;
  return undefined;
}

/** Sizes in an open group. */
interface Level {
  /** Steps of all items before the last one. */
  before: number;
  /** Steps of the last item, which a repetition multiplies. */
  last: number;
}

/** A run between `\Q` and `\E`, or a character, a class or a group of classes after a backslash. */
const ESCAPE = /\\Q[\s\S]*?(?:\\E|$)|\\[pP]\{[^}]*\}|\\x\{[^}]*\}|\\[\s\S]?/y;
/** A class in brackets. A leading `]`, an escape and `[:name:]` are members of it. */
const CLASS = /\[\^?\]?(?:\[:\^?[a-z]+:\]|\\[\s\S]|[^\]\\])*\]/y;
/** A counted repetition: `{2}`, `{2,}`, `{2,5}`. */
const COUNT = /\{(\d+)(,(\d*))?\}/y;

/**
 * Returns an upper bound for the number of steps (RE2 instructions) of a pattern's program, in one pass. For
 * a malformed pattern, the result can be any number.
 */
export function maxProgramSteps(source: string): number {
  const outer: Level[] = [];
  let level: Level = { before: 0, last: 0 };
  let at = 0;
  while (at < source.length) {
    const character = source.charAt(at);
    const count = character === "{" ? matchAt(COUNT, source, at) : null;
    const atom = character === "\\"
      ? matchAt(ESCAPE, source, at)
      : character === "["
      ? matchAt(CLASS, source, at)
      : null;
    if (count !== null) level.last *= timesOf(count);
    else if (character === "(") {
      outer.push(level);
      level = { before: 0, last: 0 };
    } else if (character === ")" && outer.length > 0) {
      // Two steps for the start and the end of the capture.
      const steps = level.before + level.last + 2;
      level = outer.pop() ?? level;
      append(level, steps);
    } else if ("*+?".includes(character)) level.last += 1;
    else append(level, atom?.[0].startsWith("\\Q") ? atom[0].length : 1);
    at += (count ?? atom)?.[0].length ?? 1;
  }
  return [...outer, level].reduce((sum, { before, last }) => sum + before + last, 0);
}

function append(level: Level, steps: number): void {
  level.before += level.last;
  level.last = steps;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/**
 * Returns the factor of a repetition. An optional copy takes an additional step, and `{0}` is compiled as
 * well.
 */
function timesOf([, least, range, most]: RegExpExecArray): number {
  const times = Math.max(Number(least), most ? Number(most) : 0, 1);
  return range === undefined ? times : 2 * times + 1;
}
