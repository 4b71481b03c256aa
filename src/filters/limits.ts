/** Limits of filters, with unit and reason. */

/**
 * Comparisons in one filter or constraint. Each text of a contains-search counts: a hundred of them take 0.8 s on
 * 100,000 rows.
 */
export const MAX_FILTER_TERMS = 100;
/** Values of one filter (`id=1&id=2…`), bound as one JSON parameter. */
export const MAX_FILTER_VALUES = 1_000;
/** Relations that one path may cross (`tenant__…`). */
export const MAX_FILTER_DEPTH = 3;
/** Characters of one filter value. */
export const MAX_FILTER_VALUE_CHARS = 2_000;
/** Characters of a regular expression in a filter; it is matched by our own linear-time engine. */
export const MAX_REGEX_CHARS = 200;
/** Regular expressions in all filters of one request: each compiles in a few milliseconds, then reads values. */
export const MAX_REGEX_PATTERNS = 5;
/** Steps of a compiled regular expression. `(a{100}){100}` has ten thousand, and takes 100 ms to compile. */
export const MAX_REGEX_PROGRAM = 1_000;
/** Levels of AND, OR and NOT in one filter object. */
export const MAX_FILTER_NESTING = 10;
/** Distinct values that the regular expressions of one request may look at: some 50 ms of reading. */
export const REGEX_SCAN_VALUES = 20_000;
/** Program steps times characters for the same: about 1.5 s in the worst case, usually a tenth of it. */
export const REGEX_SCAN_STEPS = 30_000_000;
/** Values read at a time; other requests are served between two pages. */
export const REGEX_SCAN_PAGE = 2_000;
