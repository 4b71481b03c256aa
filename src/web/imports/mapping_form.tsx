/** The fields to which the columns of a previewed table are assigned, and the form that changes them. */

import { counted } from "../../base/amounts.ts";
import { IMPORT_COLUMNS, isImportColumn, KNOWN_COLUMNS } from "../../domain/certificates/import/mod.ts";
import type { DocumentError, Heading, PreviewHead } from "../../domain/certificates/import_preview/mod.ts";
import { CUSTOM_PREFIX } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { Form, type Html, truncate, withQuery } from "../components/mod.ts";
import { labelOf } from "../messages.ts";
import { previewPath } from "./paths.ts";

/** Maximum characters of a heading or a value. */
const MAX_SEEN = 40;
/** The choice for a column that is not read. */
export const IGNORED = "";

/** Renders the columns, with the form if some are unknown or if it is requested (`?columns=change`). */
export function Mapping({ call, preview }: { call: Call; preview: PreviewHead }): Html | null {
  const { headings, confirmed, errors, everywhere } = preview;
  if (headings.length === 0 || confirmed !== null) return null;
  if (errors.length > 0 || call.query.get("columns") === "change") {
    return <MappingForm call={call} preview={preview} />;
  }
  const read = headings.filter(isRead);
  const renamed = read.filter(({ name, column }) => !sameWords(name, column ?? ""));
  const ignored = headings.filter((heading) => !read.includes(heading));
  const shared = Object.entries(everywhere).filter(([, text]) => text !== "");
  return (
    <p class="mapping-note">
      {read.length === headings.length
        ? `All ${headings.length} columns recognized`
        : `${read.length} of ${headings.length} columns read`}
      {renamed.length === 0 ? "" : ", "}
      {renamed.map(({ name, column }, index) => (
        <>
          {index === 0 ? "" : ", "}
          <bdi>{truncate(name, MAX_SEEN)}</bdi> as {labelOf(column ?? "")}
        </>
      ))}. {ignored.length === 0 ? null : (
        <>
          Not read: {ignored.map(({ name }, index) => (
            <>
              {index === 0 ? "" : ", "}
              <bdi>{truncate(name, MAX_SEEN)}</bdi>
            </>
          ))}.
        </>
      )} {shared.length === 0 ? null : (
        <>
          The same in all rows: {shared.map(([name, text], index) => (
            <>
              {index === 0 ? "" : ", "}
              {labelOf(name)} <bdi>{truncate(text, MAX_SEEN)}</bdi>
            </>
          ))}.
        </>
      )} <a href={withQuery(call.url, { columns: "change" })}>Change</a>
    </p>
  );
}

/** Returns whether a column is read as a field. */
function isRead({ column }: Heading): boolean {
  return column !== null && isImportColumn(column);
}

/** Returns whether a heading has the words of the field: "Common Name" is `common_name`. */
function sameWords(heading: string, column: string): boolean {
  const words = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return [column, labelOf(column)].some((one) => words(one) === words(heading));
}

/** The message about a missing column, with its name. */
const MISSING = /^The column "(\w+)" is missing\.$/;

/** Returns the required columns that the document does not have. */
export function missingColumns({ errors }: PreviewHead): string[] {
  return errors.flatMap(({ message }) => MISSING.exec(message)?.[1] ?? []);
}

/** Returns the headings whose meaning is unknown. */
export function unknownHeadings({ headings }: PreviewHead): Heading[] {
  return headings.filter((one) => one.column !== null && !isRead(one) && !KNOWN_COLUMNS.includes(one.column));
}

/** Returns whether an error is about a missing or an unknown column, which the form for columns shows. */
export function isColumnError(preview: PreviewHead, { field, message }: DocumentError): boolean {
  return MISSING.test(message) ||
    unknownHeadings(preview).some(({ name, column }) => name === field || column === field);
}

/** Renders the missing columns, then the unknown ones, then those that need no decision. */
function MappingForm({ call, preview }: { call: Call; preview: PreviewHead }): Html {
  const { headings, key, everywhere } = preview;
  const missing = missingColumns(preview);
  const asked = [...missing, ...Object.keys(everywhere).filter((name) => !missing.includes(name))];
  const unknown = unknownHeadings(preview);
  const all = numbered(headings);
  const open = all.filter(({ heading }) => unknown.includes(heading));
  const known = all.filter(({ heading }) => !unknown.includes(heading));
  const decided = asked.length === 0 && open.length === 0;
  return (
    <section class="box mapping" aria-labelledby="columns">
      <h2 id="columns">Columns</h2>
      <Form call={call} action={`${previewPath(key)}columns/`}>
        {asked.length === 0 ? null : <MissingColumns preview={preview} names={asked} />}
        {open.length === 0 ? null : <Headings title="Unknown columns" rows={open} />}
        {known.length === 0
          ? null
          : decided
          ? <Headings title="Columns of the table" rows={known} />
          : (
            <details class="further">
              <summary>
                {counted(known.length, "recognized column")}
              </summary>
              <Headings title="Recognized columns" rows={known} />
            </details>
          )}
        <div class="form-actions">
          <button type="submit">Apply columns</button>
          {decided ? <a href={previewPath(key)}>Cancel</a> : null}
        </div>
      </Form>
    </section>
  );
}

/** Fields that can have the same value in all rows. */
const SHARED: readonly string[] = ["issuer", "valid_from", "valid_to", "algorithm"];
/** The choice to enter the values of a missing column row by row. */
export const BY_ROW = "=";

/** Renders for each missing column where its values come from. */
function MissingColumns(
  { preview: { headings, everywhere }, names }: { preview: PreviewHead; names: readonly string[] },
): Html {
  const all = numbered(headings);
  const read = all.filter(({ heading }) => isRead(heading));
  const others = all.filter(({ heading }) => !isRead(heading));
  const fingerprints = fingerprintHeading(headings);
  const options = (name: string, some: readonly Numbered[]): Html[] =>
    some.map(({ heading, index }) => (
      <option value={`#${index}`} selected={name === FINGERPRINT && heading === fingerprints}>
        {truncate(heading.name, MAX_SEEN)}
      </option>
    ));
  return (
    <table class="missing">
      <caption>Missing columns</caption>
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
                <option value="">Choose a column…</option>
                <option value={BY_ROW} selected={everywhere[name] === ""}>Enter values row by row</option>
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
                    value={everywhere[name] ?? ""}
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
  );
}

const EXAMPLES: Readonly<Record<string, string>> = {
  issuer: "CN=Example CA, O=Example",
  valid_from: "2026-01-01",
  valid_to: "2026-12-31",
  algorithm: "rsa",
};

const FINGERPRINT = "fingerprint_sha256";

/** Returns the only column that is not read and contains SHA-256 fingerprints. */
function fingerprintHeading(headings: readonly Heading[]): Heading | undefined {
  const found = headings.filter((heading) =>
    !isRead(heading) && heading.samples.length > 0 &&
    heading.samples.every((one) => /^[0-9a-f]{32}/i.test(one.replaceAll(/[:\s]/g, "")))
  );
  return found.length === 1 ? found[0] : undefined;
}

/** A heading with its index, by which the form names it. */
interface Numbered {
  readonly heading: Heading;
  readonly index: number;
}

function numbered(headings: readonly Heading[]): Numbered[] {
  return headings.map((heading, index) => ({ heading, index }));
}

function Headings({ title, rows }: { title: string; rows: readonly Numbered[] }): Html {
  return (
    <table>
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">Column</th>
          <th scope="col">First values</th>
          <th scope="col">Read as</th>
        </tr>
      </thead>
      <tbody>{rows.map((row) => <Row {...row} />)}</tbody>
    </table>
  );
}

function Row({ heading, index }: Numbered): Html {
  const { name, samples } = heading;
  const current = choiceOf(heading);
  const fields = name.startsWith(CUSTOM_PREFIX) ? [name, ...IMPORT_COLUMNS] : IMPORT_COLUMNS;
  return (
    <tr>
      <th scope="row">
        <bdi>{name === "" ? "(no heading)" : truncate(name, MAX_SEEN)}</bdi>
      </th>
      <td>
        {samples.length === 0
          ? <span class="faint">no values</span>
          : samples.map((sample) => <bdi class="faint">{truncate(sample, MAX_SEEN)}</bdi>)}
      </td>
      <td>
        <input type="hidden" name={`heading.${index}`} value={name} />
        <select name={`column.${index}`} aria-label={`Read ${name} as`}>
          <option value={IGNORED} selected={current === IGNORED}>Ignore</option>
          {fields.map((field) => (
            <option value={field} selected={current === field}>
              {field.startsWith(CUSTOM_PREFIX) ? field : labelOf(field)}
            </option>
          ))}
        </select>
      </td>
    </tr>
  );
}

/** Returns the field as which a column is read. Unknown columns are ignored unless the user chooses a field. */
function choiceOf(heading: Heading): string {
  return isRead(heading) ? heading.column ?? IGNORED : IGNORED;
}
