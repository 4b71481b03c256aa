/** UTCTime and GeneralizedTime as RFC 5280 §4.1.2.5 allows them: seconds present, `Z`, no fraction, a real date. */

import { contentOf, DerError, type DerReader, TAG } from "./der.ts";

/** First year that RFC 5280 requires as GeneralizedTime. */
const FIRST_GENERALIZED_YEAR = 2050;
const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Milliseconds since the epoch, and whether the type is the one that RFC 5280 requires. */
export interface Time {
  readonly at: number;
  readonly wellEncoded: boolean;
}

/** Reads the next element as a Time. */
export function readTime(reader: DerReader, what: string): Time {
  const element = reader.next(what);
  const text = String.fromCharCode(...contentOf(element).subarray(0, 32));
  if (element.tag === TAG.utcTime) {
    const at = /^\d{12}Z$/.test(text) ? dateTime(text, fullYear(Number(text.slice(0, 2)))) : undefined;
    if (at === undefined) {
      throw new DerError(`${what} ${quoted(text)} is not a UTCTime of the form YYMMDDHHMMSSZ`);
    }
    return { at, wellEncoded: true };
  }
  if (element.tag === TAG.generalizedTime) {
    const year = Number(text.slice(0, 4));
    const at = /^\d{14}Z$/.test(text) ? dateTime(text.slice(2), year) : undefined;
    if (at === undefined) {
      throw new DerError(`${what} ${quoted(text)} is not a GeneralizedTime of the form YYYYMMDDHHMMSSZ`);
    }
    return { at, wellEncoded: year >= FIRST_GENERALIZED_YEAR };
  }
  throw new DerError(`${what} is not a UTCTime or GeneralizedTime`);
}

/** RFC 5280 §4.1.2.5.1: 50 to 99 are 19xx. */
function fullYear(short: number): number {
  return short >= 50 ? 1900 + short : 2000 + short;
}

/** `text` is two digits of the year (ignored), then MMDDHHMMSS. */
function dateTime(text: string, year: number): number | undefined {
  const month = Number(text.slice(2, 4));
  const day = Number(text.slice(4, 6));
  const hour = Number(text.slice(6, 8));
  const minute = Number(text.slice(8, 10));
  const second = Number(text.slice(10, 12));
  if (year === 0 || month < 1 || month > 12 || day < 1 || day > daysOf(month, year)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  // Date.UTC reads years below 100 as 19xx; setUTCFullYear does not.
  if (year < 100) return new Date(Date.UTC(2000, month - 1, day, hour, minute, second)).setUTCFullYear(year);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function daysOf(month: number, year: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && leap ? 29 : DAYS_OF_MONTH[month - 1]!;
}

/** Quotes time text from the certificate with unprintable characters replaced. */
function quoted(text: string): string {
  return `"${text.replace(/[^ -~]/g, "?")}"`;
}
