/** One row of a preview: its cells in full, and a form that corrects them. */

import { counted, numberText } from "../../../base/amounts.ts";
import {
  editCells,
  type Edits,
  type FullRow,
  isTable,
  readPreviewRow,
} from "../../../domain/certificates/import_preview/mod.ts";
import { tenants } from "../../../domain/inventory/mod.ts";
import { type Call, numberOf } from "../../call.ts";
import { Form, type Html, Select, type SelectOption, TextArea, TextField } from "../../kit/components/mod.ts";
import { textOf } from "../../forms.ts";
import { labelOf, withLabels } from "../../messages.ts";
import { parseReference, readReferences } from "../../kit/mod.ts";
import { attempt, done, warned } from "../../responses.ts";
import { previewPath } from "./paths.tsx";
import { importPage } from "./preview_parts.tsx";
import { cellName } from "./preview_table.tsx";
import { TENANT, tenantCells, tenantChoice } from "./tenant_field.tsx";

/** Texts of at least this length have a control with several lines. */
const LONG_CHARS = 120;

/** Shows the full cells of a row with their errors. */
export async function showRow(call: Call): Promise<Response> {
  const key = call.params.key ?? "";
  const place = numberOf(call.params.place);
  const row = await readPreviewRow({ ctx: call.ctx, key, place });
  const general = row.messages.__all__ ?? [];
  const wrong = row.status === "error";
  const tenants = await tenantCells(call, row.head.columns.includes(TENANT) ? 1 : 0);
  return importPage(
    call,
    { title: `Row ${numberText(place)}`, above: [["Preview", previewPath(key)]] },
    <>
      <Neighbours row={row} path={previewPath(key)} />
      {general.length === 0
        ? null
        : <p class={wrong ? "flash error" : "flash info"}>{general.map(withLabels).join(" ")}</p>}
      {row.head.confirmed === null && isTable(row.head)
        ? <RowForm call={call} row={row} tenants={tenants} />
        : <Cells row={row} />}
    </>,
  );
}

/** Renders links to the nearest rows with errors. */
function Neighbours(
  { row: { previousError, nextError }, path }: { row: FullRow; path: string },
): Html | null {
  const link = (place: number | null, label: string, rel: string): Html | null =>
    place === null ? null : <a href={`${path}rows/${place}/`} rel={rel}>{label} error: row {place}</a>;
  return previousError === null && nextError === null
    ? null
    : (
      <nav class="pager" aria-label="Rows with errors">
        {link(previousError, "Previous", "prev")}
        {link(nextError, "Next", "next")}
      </nav>
    );
}

function RowForm({ call, row, tenants }: {
  call: Call;
  row: FullRow;
  tenants: readonly SelectOption[] | undefined;
}): Html {
  const cells = new Map(row.texts.map(({ column, text }) => [column, text]));
  return (
    <Form call={call} action={`${previewPath(row.head.key)}rows/`} class="box row-form">
      <input type="hidden" name="row" value={String(row.place)} />
      {row.head.columns.map((column) => {
        const name = cellName(row.place, column);
        const text = cells.get(column) ?? "";
        const messages = (row.messages[column] ?? []).map(withLabels);
        const field = {
          name,
          label: labelOf(column),
          value: text,
          errors: messages.length === 0 ? {} : { [name]: messages },
        };
        const { options, ...suggested } = column === TENANT ? tenantChoice(tenants, text) : {};
        if (options !== undefined) return <Select {...field} options={options} />;
        const isLong = text.length > LONG_CHARS || text.includes("\n");
        return isLong && column !== TENANT
          ? <TextArea {...field} rows={5} mono />
          : <TextField {...field} {...suggested} />;
      })}
      <div class="form-actions">
        <button type="submit">{row.nextError === null ? "Save" : "Save and next error"}</button>
        <a href={`${previewPath(row.head.key)}${row.status === "error" ? "?only=errors" : ""}`}>Cancel</a>
      </div>
    </Form>
  );
}

/** Renders the cells of a row that cannot be corrected, because it is imported already or is a certificate. */
function Cells({ row: { texts, messages } }: { row: FullRow }): Html {
  const cells = new Map(texts.map(({ column, text }) => [column, text]));
  const names = [...new Set([...cells.keys(), ...Object.keys(messages)])].filter((one) => one !== "__all__");
  return (
    <div class="box">
      <dl class="cells">
        {names.map((name) => (
          <div>
            <dt>{labelOf(name)}</dt>
            <dd>
              {(cells.get(name) ?? "") === ""
                ? <span class="faint">empty</span>
                : <pre dir="auto" tabindex={0} aria-label={name}>{cells.get(name)}</pre>}
              {messages[name] === undefined ? null : (
                <small class="error">
                  {messages[name].map(withLabels).join(" ")}
                </small>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** Saves corrected cells of one or several rows, and shows the remaining errors. */
export async function saveCells(call: Call): Promise<Response> {
  const key = call.params.key ?? "";
  const path = previewPath(key);
  const place = /^\d{1,9}$/.exec(textOf(call.form, "row"))?.[0];
  const back = place === undefined ? `${path}?only=errors` : `${path}rows/${place}/`;
  return await attempt({ call, back, codes: ["invalid"] }, async () => {
    const { counts: { error: left }, errorsBefore } = await editCells(
      { ctx: call.ctx, key },
      await cellsOf(call),
      // The cells whose correction also applies to equal ones.
      partsOf(call.form, "repeat"),
    );
    if (left === 0) return done(call, path, "All rows are valid.");
    const corrected = errorsBefore - left;
    const rest = `still ${left === 1 ? "has" : "have"} errors.`;
    const text = corrected > 0
      ? `${counted(corrected, "row")} corrected. ${numberText(left)} ${rest}`
      : `${counted(left, "row")} ${rest}`;
    if (place === undefined) return warned(call, `${path}?only=errors`, text);
    const { status, nextError } = await readPreviewRow({ ctx: call.ctx, key, place: Number(place) });
    if (status === "error") {
      const others = left === 1 ? "" : ` So ${left === 2 ? "does" : "do"} ${counted(left - 1, "other")}.`;
      return warned(call, back, `Saved. This row still has errors.${others}`);
    }
    return warned(call, nextError === null ? `${path}?only=errors` : `${path}rows/${nextError}/`, text);
  });
}

/** Reads the cells of a form: `cell.<row>.<column>`, or an accepted suggestion `use.<row>.<column>`. */
async function cellsOf(call: Call): Promise<Edits> {
  const { form } = call;
  const given = ["cell", "use"].flatMap((kind) => partsOf(form, kind))
    .map((part) => ({ ...part, text: textOf(form, part.name) }));
  // A script writes a chosen tenant as "Acme (#3)"; a cell can have its id.
  const chosen = given.filter(({ column, text }) =>
    column === TENANT && parseReference([tenants], text) !== undefined
  );
  const readings = await readReferences(call, [tenants], chosen.map(({ text }) => text));
  const ids = new Map(
    readings.flatMap((reading, index) => "id" in reading ? [[chosen[index]?.name, reading.id] as const] : []),
  );
  const cells = new Map<number, Record<string, string>>();
  for (const { name, place, column, text } of given) {
    cells.set(place, { ...cells.get(place), [column]: ids.get(name) ?? text });
  }
  return cells;
}

/** Reads the names of fields `<kind>.<row>.<column>`. */
function partsOf(form: FormData, kind: string): { name: string; place: number; column: string }[] {
  return [...new Set(form.keys())].flatMap((name) => {
    const [, of, place, column = ""] = /^(\w+)\.(\d{1,9})\.(.+)$/.exec(name) ?? [];
    return of === kind ? [{ name, place: Number(place), column }] : [];
  });
}
