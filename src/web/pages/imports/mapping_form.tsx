/** The fields to which the columns of a previewed table are assigned, and the form that changes them. */

import { counted, listText } from "../../../base/amounts.ts";
import { IMPORT_COLUMNS } from "../../../domain/certificates/import/mod.ts";
import {
  chooseColumns,
  type ColumnChoice,
  type Heading,
  type PreviewHead,
} from "../../../domain/certificates/import_preview/mod.ts";
import { CUSTOM_PREFIX } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { Form, type Html, Icon, Joined, truncate, withQuery } from "../../kit/components/mod.ts";
import { textOf } from "../../forms.ts";
import { labelOf } from "../../messages.ts";
import { attempt, done, seeOther } from "../../responses.ts";
import {
  BY_ROW,
  FINGERPRINT,
  isColumnError,
  isRead,
  isUnknown,
  MAX_SEEN,
  MAX_SHOWN_COLUMNS,
  MissingColumns,
  missingColumns,
  missingText,
  type Numbered,
  shownColumns,
  suggestionFor,
} from "./headings.tsx";
import { previewPath } from "./paths.tsx";

/** The choice for a column that is not read. */
const IGNORED = "";

/** Renders the columns, with the form if some are unknown or if it is requested (`?columns=change`). */
export function Mapping({ call, preview }: { call: Call; preview: PreviewHead }): Html | null {
  const { headings, confirmed, errors, everywhere } = preview;
  if (headings.length === 0 || confirmed !== null) return null;
  if (errors.length > 0 || call.query.get("columns") === "change") {
    return <MappingForm call={call} preview={preview} />;
  }
  const unknown = headings.filter(isUnknown);
  const read = headings.filter(isRead);
  const renamed = read.filter(({ name, column }) => !sameWords(name, column ?? ""));
  const ignored = headings.filter((one) => !isRead(one) && !isUnknown(one));
  const shared = Object.entries(everywhere).filter(([, text]) => text !== "");
  const names = (some: readonly string[]): Html => (
    <Joined items={some.map((name) => <bdi>{truncate(name, MAX_SEEN)}</bdi>)} />
  );
  const note = (
    <>
      {read.length === headings.length
        ? `All ${headings.length} columns recognized`
        : `${read.length} of ${headings.length} columns read`}
      {renamed.length === 0 ? "" : ", "}
      <Joined
        items={renamed.map(({ name, column }) => (
          <>
            <bdi>{truncate(name, MAX_SEEN)}</bdi> as {labelOf(column ?? "")}
          </>
        ))}
      />. {ignored.length === 0 ? null : (
        <>
          Not read: {names(ignored.slice(0, MAX_NAMED).map(({ name }) => name))}
          {ignored.length > MAX_NAMED ? ` and ${counted(ignored.length - MAX_NAMED, "more column")}` : ""}.
        </>
      )} {shared.length === 0 ? null : (
        <>
          The same in all rows:{" "}
          <Joined
            items={shared.map(([name, text]) => (
              <>
                {labelOf(name)} <bdi>{truncate(text, MAX_SEEN)}</bdi>
              </>
            ))}
          />.
        </>
      )} {read.flatMap(({ column, dates = [] }) =>
        dates.map(({ orders: [order], examples }) => (
          // Says how dates with several readings are read, and which of them decided.
          <>
            {labelOf(column ?? "")}: {order === undefined
              ? "some dates have the day first, others the month ("
              : `dates are read ${READ_AS[order]} (`}
            {names(examples.slice(0, 2))}).{" "}
          </>
        ))
      )} <a href={withQuery(call.url, { columns: "change" })}>Change</a>
    </>
  );
  return unknown.length === 0 ? <p class="mapping-note">{note}</p> : (
    <p class="flash info">
      <Icon name="info" />
      <span>
        {unknownText(unknown)} {note}
      </span>
    </p>
  );
}

const READ_AS = {
  "day first": "with the day first",
  "month first": "with the month first",
  "year first": "with the year first",
  "1900 dates": "as days since 1900",
  "1904 dates": "as days since 1904",
} as const;

/** Names the columns that are not imported because their headings are unknown. */
function unknownText(unknown: readonly Heading[]): string {
  const named = unknown.slice(0, MAX_NAMED).map(({ name }) => `"${truncate(name, MAX_SEEN)}"`);
  const others = unknown.length - named.length;
  const names = others === 0 ? named : [...named, counted(others, "other")];
  return names.length === 1
    ? `The column ${names[0]} is unknown. It is ignored unless you choose a field for it.`
    : `The columns ${listText(names)} are unknown. They are ignored unless you choose fields for them.`;
}

/** Maximum number of columns in a sentence. */
const MAX_NAMED = 8;

/** Returns whether a heading has the words of the field: "Common Name" is `common_name`. */
function sameWords(heading: string, column: string): boolean {
  const words = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return [column, labelOf(column)].some((one) => words(one) === words(heading));
}

/** Renders the unknown columns, then the fields without a column, then the columns that need no decision. */
function MappingForm({ call, preview }: { call: Call; preview: PreviewHead }): Html {
  const { headings, key, everywhere, errors } = preview;
  const missing = missingColumns(preview);
  const asked = [...missing, ...Object.keys(everywhere).filter((name) => !missing.includes(name))];
  const unknown = headings.filter(isUnknown);
  const last = Math.floor((headings.length - 1) / MAX_SHOWN_COLUMNS) * MAX_SHOWN_COLUMNS;
  const from = Math.min(Number(/^\d{1,6}$/.exec(call.query.get(FROM) ?? "")?.[0] ?? 0), last);
  const shown = shownColumns(preview, from);
  const open = shown.filter(isUnknown);
  const known = shown.filter((one) => !isUnknown(one));
  const decided = asked.length === 0 && unknown.length === 0;
  return (
    <section class="box mapping" aria-labelledby="columns">
      <h2 id="columns">Columns</h2>
      <Form call={call} action={`${previewPath(key)}columns/`}>
        {missingText(preview).map((text) => <p>{text}</p>)}
        {open.length === 0 ? null : (
          <>
            <p>{unknownText(unknown)}</p>
            <Headings
              title="Unknown columns"
              rows={open}
              missing={missing}
              suggested={suggestionFor(preview)}
            />
          </>
        )}
        <MoreColumns call={call} from={from} count={headings.length} />
        {asked.length === 0 ? null : <MissingColumns preview={preview} names={asked} shown={shown} />}
        {known.length === 0
          ? null
          : open.length === 0 && (missing.length === 0 || !errors.every(isColumnError))
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

/** Parameter with the first column that is shown, from 0. */
const FROM = "from";

/** Renders links to the other columns. They do not save what is chosen. */
function MoreColumns({ call, from, count }: { call: Call; from: number; count: number }): Html | null {
  if (count <= MAX_SHOWN_COLUMNS) return null;
  const [before, left] = [Math.max(0, from - MAX_SHOWN_COLUMNS), count - from - MAX_SHOWN_COLUMNS];
  const link = (to: number): string =>
    withQuery(call.url, { columns: "change", [FROM]: to === 0 ? null : to });
  return (
    <p class="faint more-columns">
      {left > 0 ? `… and ${counted(left, "more column")}. Apply your choices first.` : ""}
      {left > 0 ? <a href={link(from + MAX_SHOWN_COLUMNS)}>Show more</a> : null}
      {from > 0 ? <a href={link(before)}>Show previous</a> : null}
    </p>
  );
}

/** The fields that no column has, which are offered first, and the column that probably has the fingerprints. */
interface Offered {
  readonly missing?: readonly string[];
  readonly suggested?: string | undefined;
}

function Headings({ title, rows, ...offered }: Offered & { title: string; rows: readonly Numbered[] }): Html {
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
      <tbody>{rows.map((row) => <Row {...row} {...offered} />)}</tbody>
    </table>
  );
}

function Row({ missing = [], suggested, ...heading }: Numbered & Offered): Html {
  const { name, samples, index } = heading;
  // Unknown columns are ignored unless the user chooses a field.
  const current = name === suggested ? FINGERPRINT : isRead(heading) ? heading.column : IGNORED;
  const fields = name.startsWith(CUSTOM_PREFIX) ? [name, ...IMPORT_COLUMNS] : IMPORT_COLUMNS;
  const options = (some: readonly string[]): Html[] =>
    some.map((field) => (
      <option value={field} selected={current === field}>
        {field.startsWith(CUSTOM_PREFIX) ? field : labelOf(field)}
      </option>
    ));
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
          {missing.length === 0 ? options(fields) : (
            <>
              <optgroup label="Missing fields">{options(missing)}</optgroup>
              <optgroup label="Other fields">
                {options(fields.filter((one) => !missing.includes(one)))}
              </optgroup>
            </>
          )}
        </select>
      </td>
    </tr>
  );
}

/** Reads the choices and checks the rows again. */
export async function saveColumns(call: Call): Promise<Response> {
  const key = call.params.key ?? "";
  const path = previewPath(key);
  return await attempt({ call, back: path, codes: ["invalid"] }, async () => {
    const { errors } = await chooseColumns({ ctx: call.ctx, key }, choicesOf(call.form));
    return errors.length === 0 ? done(call, path, "Columns applied.") : seeOther(call, path);
  });
}

/** Reads the choices of the form: `column.<index>` for a heading, `missing.<field>` and `everywhere.<field>`. */
function choicesOf(form: FormData): ColumnChoice {
  const chosen = new Map<string, string | null>();
  // The form has the columns of one page, and the names of others that can be chosen for a missing field.
  for (const index of [...form.keys()].flatMap((name) => /^column\.(\d{1,6})$/.exec(name)?.[1] ?? [])) {
    const choice = textOf(form, `column.${index}`);
    if (form.has(`heading.${index}`)) {
      chosen.set(textOf(form, `heading.${index}`), choice === IGNORED ? null : choice);
    }
  }
  const asked = [...form.keys()].flatMap((name) => /^missing\.(\w+)$/.exec(name)?.[1] ?? []);
  const everywhere: Record<string, string> = {};
  for (const column of asked) {
    const source = textOf(form, `missing.${column}`);
    const text = textOf(form, `everywhere.${column}`).trim();
    const index = /^#(\d{1,6})$/.exec(source)?.[1];
    if (index !== undefined) chosen.set(textOf(form, `heading.${index}`), column);
    if (text !== "" || source === BY_ROW) everywhere[column] = text;
  }
  return asked.length === 0 ? { chosen } : { chosen, everywhere };
}
