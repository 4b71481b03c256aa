/** Limits of filters, with unit and reason. */

/**
 * Maximum number of comparisons in a filter or constraint. Each text of a contains-search counts: a hundred
 * of them take 0.8 s on 100,000 rows.
 */
export const MAX_FILTER_TERMS = 100;
/** Maximum number of values of a filter (`id=1&id=2…`), which are bound as one JSON parameter. */
export const MAX_FILTER_VALUES = 1_000;
/** Maximum number of relations in a path (`tenant__…`). */
export const MAX_FILTER_DEPTH = 3;
/** Maximum length of a value of a filter. */
export const MAX_FILTER_VALUE_CHARS = 2_000;
/** Maximum length of a regular expression in a filter. It is matched by a separate linear-time engine. */
export const MAX_REGEX_CHARS = 200;
/**
 * Maximum number of regular expressions in all filters of a request. Each is compiled in a few milliseconds,
 * and then reads values.
 */
export const MAX_REGEX_PATTERNS = 5;
/**
 * Maximum number of steps of a compiled regular expression. `(a{100}){100}` has ten thousand, and takes 100
 * ms to compile.
 */
export const MAX_REGEX_PROGRAM = 1_000;
/** Maximum number of levels of AND, OR and NOT in a filter object. */
export const MAX_FILTER_NESTING = 10;
/** Maximum number of distinct values that the regular expressions of a request may read: about 50 ms. */
export const REGEX_SCAN_VALUES = 20_000;
/**
 * Maximum number of program steps times characters for the regular expressions of a request: about 1.5 s in
 * the worst case, usually a tenth of it.
 */
export const REGEX_SCAN_STEPS = 30_000_000;
/** Number of values read at once. Other requests are served between two pages. */
export const REGEX_SCAN_PAGE = 2_000;
