/** The fields to which the columns of a previewed table are assigned, and the form that changes them. */

import { IMPORT_COLUMNS, isImportColumn, KNOWN_COLUMNS } from "../../domain/certificates/import/mod.ts";
import {
  chooseColumns,
  type Heading,
  type PreviewHead,
} from "../../domain/certificates/import_preview/mod.ts";
import { CUSTOM_PREFIX } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { Form, type Html, truncate, withQuery } from "../components/mod.ts";
import { textOf } from "../forms.ts";
import { labelOf } from "../messages.ts";
import { attempt, done, seeOther } from "../responses.ts";
import { previewPath } from "./paths.ts";

/** Maximum characters of a heading or a value. */
const MAX_SEEN = 40;
/** The choice for an unknown heading. */
const UNDECIDED = "?";
const IGNORED = "";

/** Renders the columns, with the form if some are unknown or if it is requested (`?columns=change`). */
export function Mapping({ call, preview }: { call: Call; preview: PreviewHead }): Html | null {
  const { headings, confirmed, errors } = preview;
  if (headings.length === 0 || confirmed !== null) return null;
  if (errors.length > 0 || call.query.get("columns") === "change") {
    return <MappingForm call={call} preview={preview} />;
  }
  const read = headings.filter(({ column }) => column !== null && isImportColumn(column));
  const renamed = read.filter(({ name, column }) => !sameWords(name, column ?? ""));
  const ignored = headings.filter((heading) => !read.includes(heading));
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
      )} <a href={withQuery(call.url, { columns: "change" })}>Change</a>
    </p>
  );
}

/** Returns whether a heading has the words of the field: "Common Name" is `common_name`. */
function sameWords(heading: string, column: string): boolean {
  const words = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return [column, labelOf(column)].some((one) => words(one) === words(heading));
}

function MappingForm({ call, preview: { headings, key } }: { call: Call; preview: PreviewHead }): Html {
  return (
    <section class="box mapping" aria-labelledby="columns">
      <h2 id="columns">Columns</h2>
      <Form call={call} action={`${previewPath(key)}columns/`}>
        <table>
          <caption class="hidden">Columns of the table and the fields that they are read as</caption>
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">First values</th>
              <th scope="col">Read as</th>
            </tr>
          </thead>
          <tbody>{headings.map((heading, index) => <Row heading={heading} index={index} />)}</tbody>
        </table>
        <div class="form-actions">
          <button type="submit">Apply columns</button>
        </div>
      </Form>
    </section>
  );
}

function Row({ heading, index }: { heading: Heading; index: number }): Html {
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
        <select
          name={`column.${index}`}
          aria-label={`Read ${name} as`}
          aria-invalid={current === UNDECIDED ? "true" : undefined}
        >
          {current === UNDECIDED ? <option value={UNDECIDED} selected>Choose a field…</option> : null}
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

function choiceOf({ column }: Heading): string {
  if (column === null) return IGNORED;
  if (isImportColumn(column)) return column;
  // Other columns of an export are known, but not imported.
  return KNOWN_COLUMNS.includes(column) ? IGNORED : UNDECIDED;
}

/** Reads the choices and checks the rows again. */
export async function saveColumns(call: Call): Promise<Response> {
  const key = call.params.key ?? "";
  const path = previewPath(key);
  return await attempt({ call, back: path, codes: ["invalid"] }, async () => {
    const chosen = new Map<string, string | null>();
    for (let index = 0; call.form.has(`heading.${index}`); index++) {
      const choice = textOf(call.form, `column.${index}`);
      if (choice === UNDECIDED) continue;
      chosen.set(textOf(call.form, `heading.${index}`), choice === IGNORED ? null : choice);
    }
    const { errors } = await chooseColumns({ ctx: call.ctx, key }, chosen);
    return errors.length === 0 ? done(call, path, "Columns applied.") : seeOther(call, path);
  });
}
