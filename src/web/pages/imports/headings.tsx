/**
 * The headings of a previewed table: which are read as fields, which are unknown, which are missing, and where their values
 * come from.
 */

import { listText } from "../../../base/amounts.ts";
import { readHexDigits } from "../../../base/spellings/hex.ts";
import { isImportColumn, KNOWN_COLUMNS } from "../../../domain/certificates/import/mod.ts";
import type { DocumentError, Heading, PreviewHead } from "../../../domain/certificates/import_preview/mod.ts";
import { type Html, truncate } from "../../kit/components/mod.ts";
import { labelOf } from "../../messages.ts";

/** Maximum characters of a heading or a value in a form. */
export const MAX_SEEN = 40;

/** Returns whether a column is read as a field. */
export function isRead({ column }: Heading): boolean {
  return column !== null && isImportColumn(column);
}

/** Returns the required columns that the document does not have. */
export function missingColumns({ errors }: PreviewHead): string[] {
  return errors.filter(isColumnError).map(({ field }) => field);
}

/** Returns which columns are missing and where their values can come from, as at most one sentence. */
export function missingText(preview: PreviewHead): string[] {
  const names = missingColumns(preview);
  if (names.length === 0) return [];
  const [noun, what] = names.length === 1 ? ["column", "it"] : ["columns", "them"];
  const how = preview.headings.length > 0
    ? `Choose ${what} below, or enter values.`
    : `Add ${what} with "Edit table".`;
  return [`The file has no ${noun} for ${listText(names.map(labelOf))}. ${how}`];
}

/** Returns whether the meaning of a heading is unknown. */
export function isUnknown(one: Heading): boolean {
  return one.column !== null && !isRead(one) && !KNOWN_COLUMNS.includes(one.column);
}

/** Returns whether an error is about a missing column, which the form for columns shows. */
export function isColumnError({ code }: DocumentError): boolean {
  return code === "missing_column";
}

/** A heading with its index, by which the form names it. */
export interface Numbered extends Heading {
  readonly index: number;
}

/** Columns that are shown in the form at once: each has a select with all fields. */
export const MAX_SHOWN_COLUMNS = 20;

/**
 * Returns the columns of a page of the form, of which `from` is the first, from 0: unknown columns come before those that
 * are read or ignored.
 */
export function shownColumns(preview: PreviewHead, from: number): Numbered[] {
  const all = numbered(preview);
  const sorted = [...all.filter(isUnknown), ...all.filter((one) => !isUnknown(one))];
  return sorted.slice(from, from + MAX_SHOWN_COLUMNS);
}

/** Returns the headings with their indexes. */
export function numbered({ headings }: PreviewHead): Numbered[] {
  return headings.map((heading, index) => ({ ...heading, index }));
}

/** Fields that can have the same value in all rows. */
const SHARED: readonly string[] = ["issuer", "valid_from", "valid_to", "algorithm"];
/** The choice to enter the values of a missing column row by row. */
export const BY_ROW = "=";

/** Maximum number of columns in the select of a field; others are chosen in the list of columns. */
const MAX_OPTIONS = 40;

/** Renders for each field without a column where its values come from; the list above it has the unknown columns. */
export function MissingColumns({ preview, names, shown }: {
  preview: PreviewHead;
  names: readonly string[];
  /** The columns in the list above, whose names the form has. */
  shown: readonly Numbered[];
}): Html {
  const all = numbered(preview).filter((one) => !isUnknown(one));
  const hasUnknown = all.length < preview.headings.length;
  const read = all.filter(isRead).slice(0, MAX_OPTIONS);
  const others = all.filter((one) => !isRead(one)).slice(0, MAX_OPTIONS);
  const unnamed = [...read, ...others].filter(({ index }) => !shown.some((one) => one.index === index));
  const suggested = suggestionFor(preview);
  const options = (name: string, some: readonly Numbered[]): Html[] =>
    some.map(({ name: heading, index }) => (
      <option value={`#${index}`} selected={name === FINGERPRINT && heading === suggested}>
        {truncate(heading, MAX_SEEN)}
      </option>
    ));
  return (
    <>
      {unnamed.map(({ name, index }) => <input type="hidden" name={`heading.${index}`} value={name} />)}
      <table class="missing">
        <caption>Fields without a column</caption>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Column of the file</th>
            <th scope="col">or one value for all rows</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr>
              <th scope="row">{labelOf(name)}</th>
              <td>
                <select name={`missing.${name}`} aria-label={`Column for ${labelOf(name)}`}>
                  <option value="">
                    {hasUnknown ? "An unknown column, chosen above" : "Choose a column…"}
                  </option>
                  <option value={BY_ROW} selected={preview.everywhere[name] === ""}>
                    Enter values row by row
                  </option>
                  {others.length === 0 ? null : <optgroup label="Not read">{options(name, others)}</optgroup>}
                  {read.length === 0
                    ? null
                    : <optgroup label="Read as another field">{options(name, read)}</optgroup>}
                </select>
              </td>
              <td>
                {SHARED.includes(name)
                  ? (
                    <input
                      name={`everywhere.${name}`}
                      value={preview.everywhere[name] ?? ""}
                      aria-label={`${labelOf(name)} of all rows`}
                      placeholder={EXAMPLES[name]}
                    />
                  )
                  : <span class="faint">differs in each row</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

const EXAMPLES: Readonly<Record<string, string>> = {
  issuer: "CN=Example CA, O=Example",
  valid_from: "2026-01-01",
  valid_to: "2026-12-31",
  algorithm: "rsa",
};

export const FINGERPRINT = "fingerprint_sha256";

/** Returns the only heading that is not read and has SHA-256 fingerprints, if the fingerprint is missing. */
export function suggestionFor(preview: PreviewHead): string | undefined {
  if (!missingColumns(preview).includes(FINGERPRINT)) return undefined;
  const [found, ...others] = preview.headings.filter((heading) =>
    !isRead(heading) && heading.samples.length > 0 &&
    heading.samples.every((one) => readHexDigits(one)?.length === 64)
  );
  return others.length === 0 ? found?.name : undefined;
}
