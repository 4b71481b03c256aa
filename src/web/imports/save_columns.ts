/** Assigns the columns of a previewed table to fields, as the form for columns says. */

import { chooseColumns, type ColumnChoice } from "../../domain/certificates/import_preview/mod.ts";
import type { Call } from "../call.ts";
import { textOf } from "../forms.ts";
import { attempt, done, seeOther } from "../responses.ts";
import { BY_ROW, IGNORED } from "./mapping_form.tsx";
import { previewPath } from "./paths.ts";

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
  for (let index = 0; form.has(`heading.${index}`); index++) {
    const choice = textOf(form, `column.${index}`);
    chosen.set(textOf(form, `heading.${index}`), choice === IGNORED ? null : choice);
  }
  const asked = [...form.keys()].flatMap((name) => /^missing\.(\w+)$/.exec(name)?.[1] ?? []);
  const everywhere: Record<string, string> = {};
  for (const column of asked) {
    const source = textOf(form, `missing.${column}`);
    const text = textOf(form, `everywhere.${column}`).trim();
    const index = /^#(\d{1,4})$/.exec(source)?.[1];
    if (index !== undefined) chosen.set(textOf(form, `heading.${index}`), column);
    if (text !== "" || source === BY_ROW) everywhere[column] = text;
  }
  return asked.length === 0 ? { chosen } : { chosen, everywhere };
}
