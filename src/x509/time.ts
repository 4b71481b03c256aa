/** Reads UTCTime and GeneralizedTime (RFC 5280 §4.1.2.5): real dates without fractions of a second. */

import { contentOf, DerError, type DerReader, TAG } from "./der.ts";

/** The first year for which RFC 5280 requires GeneralizedTime. */
const FIRST_GENERALIZED_YEAR = 2050;

/** A time in milliseconds since the epoch, and whether its encoding satisfies RFC 5280. */
export interface Time {
  readonly at: number;
  /** Whether the type is the one that the year requires. */
  readonly wellEncoded: boolean;
  /** Whether it has seconds and the zone Z. */
  readonly wellFormed: boolean;
  readonly yearZero: boolean;
}

/** UTCTime as OpenSSL and Go read it: seconds may be missing, and the zone may be an offset. */
const UTC_TIME = /^\d{10}(\d\d)?(?:Z|([+-])(\d\d)(\d\d))$/;
/** GeneralizedTime as both read it. */
const GENERALIZED_TIME = /^\d{12}(\d\d)(?:Z|([+-])(\d\d)(\d\d))$/;

/** Reads the next element as a Time. */
export function readTime(reader: DerReader, field: string): Time {
  const element = reader.next(field);
  const text = String.fromCharCode(...contentOf(element).subarray(0, 32));
  if (element.tag === TAG.utcTime) {
    const time = timeOf(text, {
      form: UTC_TIME,
      year: fullYear(Number(text.slice(0, 2))),
      rest: text.slice(2),
    });
    if (time === undefined) {
      throw new DerError(`${field} ${quoted(text)} is not a UTCTime of the form YYMMDDHHMMSSZ`);
    }
    return { ...time, wellEncoded: true };
  }
  if (element.tag === TAG.generalizedTime) {
    const year = Number(text.slice(0, 4));
    const time = timeOf(text, { form: GENERALIZED_TIME, year, rest: text.slice(4) });
    if (time === undefined) {
      throw new DerError(`${field} ${quoted(text)} is not a GeneralizedTime of the form YYYYMMDDHHMMSSZ`);
    }
    return { ...time, wellEncoded: year >= FIRST_GENERALIZED_YEAR };
  }
  throw new DerError(`${field} is not a UTCTime or GeneralizedTime`);
}

/** Converts the match of a time; `rest` is the part after the year. */
function timeOf(
  text: string,
  { form, year, rest }: { form: RegExp; year: number; rest: string },
): Omit<Time, "wellEncoded"> | undefined {
  const match = form.exec(text);
  if (match === null) return undefined;
  const [, seconds = "00", sign] = match;
  const at = dateTime(rest.slice(0, 8) + seconds, year);
  if (at === undefined) return undefined;
  const yearZero = year === 0;
  if (sign === undefined) return { at, wellFormed: match[1] !== undefined, yearZero };
  const [hours, minutes] = [Number(match[3]), Number(match[4])];
  if (hours > 23 || minutes > 59 || (hours === 0 && minutes === 0)) return undefined;
  const offset = (hours * 60 + minutes) * 60_000;
  return { at: sign === "+" ? at - offset : at + offset, wellFormed: false, yearZero };
}

/** Returns the year for two digits: 50 to 99 are 19xx (RFC 5280 §4.1.2.5.1). */
function fullYear(short: number): number {
  return short >= 50 ? 1900 + short : 2000 + short;
}

/**
 * Returns the time of `text` (MMDDHHMMSS) in milliseconds since the epoch; undefined for an impossible date, which the
 * platform refuses or takes for another one.
 */
function dateTime(text: string, year: number): number | undefined {
  const [month, day, ...rest] = text.match(/../g)!;
  const iso = `${String(year).padStart(4, "0")}-${month}-${day}T${rest.join(":")}`;
  const date = new Date(`${iso}Z`);
  return !isNaN(date.getTime()) && date.toISOString().startsWith(iso) ? date.getTime() : undefined;
}

/** Quotes the text of a time, with unprintable characters replaced. */
function quoted(text: string): string {
  return `"${text.replace(/[^ -~]/g, "?")}"`;
}
