/**
 * Regular expressions of users: RE2 syntax, matched in linear time. Nothing that a user wrote reaches a backtracking
 * engine, neither JavaScript's nor one that a database may bring along. The only module that imports `re2js`.
 */

import { RE2JS, RE2JSException } from "re2js";
import { MAX_REGEX_PATTERNS, MAX_REGEX_PROGRAM } from "../base/limits.ts";
import { programBound } from "./regex_size.ts";

/** A compiled pattern. */
export interface Pattern {
  /** Whether it matches anywhere in `text`. */
  test(text: string): boolean;
  /** Steps that one character of text costs at the most. */
  readonly size: number;
}

interface PatternOptions {
  readonly ignoreCase: boolean;
}

/** Compiled patterns that wait to be used: those of two requests at a time. */
const READY_PATTERNS = 2 * MAX_REGEX_PATTERNS;
/** Patterns that were checked and not used yet: a request compiles each of its own once. */
const ready = new Map<string, Pattern>();

/** Says what is wrong with a pattern; undefined for a valid one. */
export function patternFault(source: string, options: PatternOptions): string | undefined {
  const result = compilePattern(source, options);
  if ("error" in result) return result.error;
  if (ready.size >= READY_PATTERNS) ready.delete(ready.keys().next().value as string);
  ready.set(keyOf(source, options), result.pattern);
  return undefined;
}

/** Returns a pattern that {@link patternFault} has accepted. It is the caller's alone: matching makes it grow. */
export function takePattern(source: string, options: PatternOptions): Pattern {
  const key = keyOf(source, options);
  const known = ready.get(key);
  ready.delete(key);
  if (known !== undefined) return known;
  const result = compilePattern(source, options);
  if ("error" in result) throw new Error(`Pattern was not checked when it was parsed: ${result.error}`);
  return result.pattern;
}

/** Compiles a pattern; `error` says what is wrong with it. Its size is checked first. */
export function compilePattern(
  source: string,
  options: PatternOptions,
): { pattern: Pattern } | { error: string } {
  if (programBound(source) > MAX_REGEX_PROGRAM) {
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
