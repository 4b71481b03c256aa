/** The fields to which the columns of a previewed table are assigned, and the form that changes them. */

import { counted, listText } from "../../../base/amounts.ts";
import {
  IMPORT_COLUMNS,
  isImportColumn,
  KNOWN_COLUMNS,
  REQUIRED_COLUMNS,
} from "../../../domain/certificates/import/mod.ts";
import {
  chooseColumns,
  type Heading,
  type PreviewHead,
} from "../../../domain/certificates/import_preview/mod.ts";
import { CUSTOM_PREFIX } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { Form, type Html, Icon, Joined, truncate, withQuery } from "../../kit/components/mod.ts";
import { textOf } from "../../forms.ts";
import { labelOf } from "../../messages.ts";
import { attempt, done } from "../../responses.ts";
import { previewPath } from "./paths.tsx";

/** The choice for a column that is not read. */
const IGNORED = "";

/** Renders the columns, with the form if some are unknown or if it is requested (`?columns=change`). */
export function Mapping({ call, preview }: { call: Call; preview: PreviewHead }): Html | null {
  const { headings, confirmed } = preview;
  if (headings.length === 0 || confirmed !== null) return null;
  const unknown = headings.filter(isUnknown);
  const isOpen = unknown.length > 0 && missingColumns(preview).length > 0;
  if (isOpen || call.query.get("columns") === "change") return <MappingForm call={call} preview={preview} />;
  const read = headings.filter(isRead);
  const renamed = read.filter(({ name, column }) => !sameWords(name, column ?? ""));
  const ignored = headings.filter((one) => !isRead(one) && !isUnknown(one));
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

/** Maximum number of columns that are shown at once: each has a select with all fields. */
const MAX_SHOWN_COLUMNS = 30;

/** Renders the unknown columns, then the others. */
function MappingForm({ call, preview: { headings, key }, preview }: {
  call: Call;
  preview: PreviewHead;
}): Html {
  const missing = missingColumns(preview);
  const unknown = headings.filter(isUnknown);
  const numbered = headings.map((heading, index) => ({ ...heading, index }));
  const sorted = [...numbered.filter(isUnknown), ...numbered.filter((one) => !isUnknown(one))];
  const left = sorted.length - MAX_SHOWN_COLUMNS;
  return (
    <section class="box mapping" aria-labelledby="columns">
      <h2 id="columns">Columns</h2>
      <Form call={call} action={`${previewPath(key)}columns/`}>
        {missing.length > 0 && (
          <p>
            The file has no {missing.length === 1 ? "column" : "columns"} for{" "}
            {listText(missing.map(labelOf))}. Choose {missing.length === 1 ? "it" : "them"}{" "}
            here, or enter values in the rows with errors.
          </p>
        )}
        {unknown.length > 0 && <p>{unknownText(unknown)}</p>}
        <table>
          <caption>Columns of the table</caption>
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">First values</th>
              <th scope="col">Read as</th>
            </tr>
          </thead>
          <tbody>{sorted.slice(0, MAX_SHOWN_COLUMNS).map((heading) => <Row heading={heading} />)}</tbody>
        </table>
        {left > 0 && (
          <p class="faint">
            … and {counted(left, "more column")}, shown after you have applied these choices.
          </p>
        )}
        <div class="form-actions">
          <button type="submit">Apply columns</button>
          {unknown.length === 0 && <a href={previewPath(key)}>Cancel</a>}
        </div>
      </Form>
    </section>
  );
}

function Row({ heading, heading: { name, samples, index, column } }: {
  heading: Heading & { readonly index: number };
}): Html {
  // Unknown columns are ignored unless the user chooses a field.
  const current = isRead(heading) ? column : IGNORED;
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

/** Reads the choices (`column.<index>` for a heading), and checks the rows again. */
export async function saveColumns(call: Call): Promise<Response> {
  const { form, params: { key = "" } } = call;
  const path = previewPath(key);
  return await attempt({ call, back: path, codes: ["invalid"] }, async () => {
    const indexes = [...form.keys()].flatMap((name) => /^heading\.(\d{1,6})$/.exec(name)?.[1] ?? []);
    const chosen = indexes.map((index) =>
      [textOf(form, `heading.${index}`), textOf(form, `column.${index}`) || null] as const
    );
    await chooseColumns({ ctx: call.ctx, key }, new Map(chosen));
    return done(call, path, "Columns applied.");
  });
}

/** Returns whether a column is read as a field. */
function isRead({ column }: Heading): boolean {
  return column !== null && isImportColumn(column);
}

/** Returns the required columns that the document does not have. */
function missingColumns({ headings }: PreviewHead): string[] {
  return REQUIRED_COLUMNS.filter((name) => headings.every(({ column }) => column !== name));
}

/** Returns whether the meaning of a heading is unknown. */
function isUnknown(one: Heading): boolean {
  return one.column !== null && !isRead(one) && !KNOWN_COLUMNS.includes(one.column);
}

/** Maximum characters of a heading or a value. */
const MAX_SEEN = 40;
