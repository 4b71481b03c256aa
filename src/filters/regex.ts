/**
 * Regular expressions of users: RE2 syntax, matched in linear time. They never reach a backtracking engine, neither
 * JavaScript's nor that of a database. The only module that imports `re2js`.
 */

import { RE2JS, RE2JSException } from "re2js";
import { MAX_REGEX_PATTERNS, MAX_REGEX_PROGRAM } from "../base/limits.ts";
import { programBound } from "./regex_size.ts";

/** A compiled pattern. */
export interface Pattern {
  /** Whether it matches anywhere in `text`. */
  test(text: string): boolean;
  /** Maximum number of steps per character of text. */
  readonly size: number;
}

interface PatternOptions {
  readonly ignoreCase: boolean;
}

/** Number of compiled patterns that are kept until their use: those of two concurrent requests. */
const READY_PATTERNS = 2 * MAX_REGEX_PATTERNS;
/** Patterns that were validated and not used yet, so that a request compiles each pattern once. */
const ready = new Map<string, Pattern>();

/** Returns why a pattern is invalid, or undefined. */
export function patternFault(source: string, options: PatternOptions): string | undefined {
  const result = compilePattern(source, options);
  if ("error" in result) return result.error;
  if (ready.size >= READY_PATTERNS) ready.delete(ready.keys().next().value as string);
  ready.set(keyOf(source, options), result.pattern);
  return undefined;
}

/** Returns a pattern that {@link patternFault} has accepted. It is not shared, because matching makes it grow. */
export function takePattern(source: string, options: PatternOptions): Pattern {
  const key = keyOf(source, options);
  const known = ready.get(key);
  ready.delete(key);
  if (known !== undefined) return known;
  const result = compilePattern(source, options);
  if ("error" in result) throw new Error(`Pattern was not checked when it was parsed: ${result.error}`);
  return result.pattern;
}

/** Compiles a pattern after checking its size; `error` is the reason for a refusal. */
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
