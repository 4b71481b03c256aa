/**
 * Regular expressions of users: RE2 syntax, matched in linear time. Nothing that a user wrote reaches a backtracking
 * engine, neither JavaScript's nor one that a database may bring along. The only door to `re2js`.
 */

import { RE2JS, RE2JSException } from "re2js";

/** A compiled pattern. */
export interface Pattern {
  /** Whether it matches anywhere in `text`. */
  test(text: string): boolean;
  /** Steps that one character of text costs at the most. */
  readonly size: number;
}

/** Compiles a pattern; `error` says what is wrong with it. */
export function compilePattern(
  source: string,
  options: { ignoreCase: boolean },
): { pattern: Pattern } | { error: string } {
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
