/** Saves the corrections of a preview: texts of cells, accepted suggestions, and new objects. */

import { counted } from "../../../base/amounts.ts";
import {
  editCells,
  type Edits,
  readPreview,
  refuseWrong,
} from "../../../domain/certificates/import_preview/mod.ts";
import { tenants } from "../../../domain/inventory/mod.ts";
import { createObjects, type Resource } from "../../../resource/mod.ts";
import type { Call } from "../../call.ts";
import { offsetOf, textOf } from "../../forms.ts";
import { parseReference, readReferences } from "../../kit/mod.ts";
import { attempt, done, refused, warned } from "../../responses.ts";
import { CREATABLE, TENANT, unknownIn } from "./cell_choices.ts";
import { previewPath } from "./paths.tsx";

/** Creates the objects that cells of a column name, contacts also by their e-mail address: all or none. Errors: forbidden, invalid. */
async function createNamed({ ctx }: Call, column: string, names: readonly string[]): Promise<void> {
  const resource = CREATABLE.get(column);
  if (resource === undefined) return;
  const input = names.map((name) => namedInput(ctx, { resource, column, name }));
  await createObjects({ ctx, resource, input });
}

function namedInput(
  { clock }: Call["ctx"],
  { resource, column, name }: { resource: Resource; column: string; name: string },
): Record<string, string> {
  const letters = name.replaceAll("ß", "ss").normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const slug = letters.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "").slice(0, 100);
  const own = resource.fields.slug !== undefined
    ? { slug: slug || `${column}-${clock.now()}` }
    : resource.fields.email !== undefined && name.includes("@")
    ? { email: name }
    : {};
  return { name, ...own };
}

/** Saves corrected cells, and shows the remaining errors. */
export async function saveCells(call: Call): Promise<Response> {
  const key = call.params.key ?? "";
  const back = `${previewPath(key)}?only=errors#corrections`;
  return await attempt({ call, back, codes: ["invalid"] }, async () => {
    // The rows have the object by its name when they are checked again.
    const [added, ...others] = partsOf(call.form, "create");
    if (others.length > 0) return refused(call, back, "Only one object can be created at a time.");
    const cells = await cellsOf(call);
    const [all] = partsOf(call.form, "create_all");
    const column = added?.column ?? all?.column;
    if (column !== undefined) {
      // Nothing is created for a preview that does not exist, or with cells that are refused.
      refuseWrong(cells);
      const offset = offsetOf(call.form.get(all?.name ?? ""));
      const { rows } = await readPreview({ ctx: call.ctx, key, only: "errors", offset });
      await createNamed(
        call,
        column,
        added === undefined ? unknownIn(rows, column) : [textOf(call.form, added.name)],
      );
    }
    const { counts: { error: left } } = await editCells(
      { ctx: call.ctx, key },
      cells,
      {
        // The cells whose correction also applies to equal ones.
        repeated: partsOf(call.form, "repeat"),
        dropped: partsOf(call.form, "drop").map(({ place }) => place),
      },
    );
    if (left === 0) return done(call, previewPath(key), "All rows are valid.");
    return warned(call, back, `Saved. ${counted(left, "row")} still ${left === 1 ? "has" : "have"} errors.`);
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
