/** The fields for the tenant of imported certificates: of all of them, and of a row of a table. */

import type { FieldErrors } from "../../../base/errors.ts";
import { tenants } from "../../../domain/inventory/mod.ts";
import type { Call } from "../../call.ts";
import { textOf } from "../../forms.ts";
import {
  ComboboxScript,
  type FieldProps,
  type Html,
  Select,
  type SelectOption,
  TextField,
} from "../../kit/components/mod.ts";
import { choicesFor } from "../../kit/mod.ts";

/** Path of the suggestions. */
const SUGGEST = "/suggest/tenants/";

/** The column of a table with the name of the tenant. */
export const TENANT = "tenant";

/** Renders the field. If the user may view only one tenant, it is preselected. */
export function TenantField(
  { call, options, errors, help }: {
    call: Call;
    options: readonly SelectOption[] | undefined;
    errors: FieldErrors;
    help?: string;
  },
): Html | null {
  if (options?.length === 0) return null;
  const given = textOf(call.form, "tenant");
  const field = { name: "tenant", errors, ...(help === undefined ? {} : { help }) };
  if (options === undefined) {
    return (
      <TextField
        {...field}
        value={given}
        suggest={SUGGEST}
        help={`${help ?? ""} Search by name.`.trim()}
      />
    );
  }
  const only = options.length === 1 && !call.session.actor.isSuperuser && !call.form.has("tenant");
  return (
    <Select {...field} value={only ? options[0]?.[0] ?? "" : given} options={[["", "none"], ...options]} />
  );
}

/** Maximum number of options of all selects of a page; with more, the user types and a script suggests. */
const MAX_OPTIONS = 400;

/**
 * Returns the tenants that a cell can contain; undefined if there are too many for `cells` selects, and empty if the user
 * may view none. A cell has the name of a tenant, or its id if another text would be ambiguous.
 */
export async function tenantCells(call: Call, cells: number): Promise<readonly SelectOption[] | undefined> {
  if (cells === 0) return [];
  const options = await choicesFor(call, tenants);
  if (options === undefined || options.length * cells > MAX_OPTIONS) return undefined;
  const isClear = (name: string): boolean => !/^\d+$|[…;,]|\(#\d+\)$/.test(name);
  return options.map(([id, name]) => [isClear(name) ? name : id, name]);
}

/** Returns the options of a cell: none, the tenants, and the text itself, also if no tenant has this name. */
function cellOptions(tenants: readonly SelectOption[], text: string): readonly SelectOption[] {
  const known = text === "" || tenants.some(([value]) => value === text);
  return [...(known ? [] : [[text, text] as const]), ["", "none"], ...tenants];
}

interface Cell {
  /** What {@link tenantCells} has returned. */
  readonly tenants: readonly SelectOption[] | undefined;
  readonly text: string;
}

/** Renders the control of a cell without its label. */
export function TenantCell(
  { tenants, text, ...attributes }: Cell & { id: string; name: string; [attribute: string]: unknown },
): Html {
  if (tenants === undefined) {
    return (
      <>
        <input {...attributes} value={text} autocomplete="off" data-suggest={SUGGEST} />
        <ComboboxScript />
      </>
    );
  }
  if (tenants.length === 0) return <input {...attributes} value={text} />;
  return (
    <select {...attributes}>
      {cellOptions(tenants, text).map(([value, label]) => (
        <option value={value} selected={value === text}>{label}</option>
      ))}
    </select>
  );
}

/** Renders the field of a cell. */
export function TenantCellField({ tenants, text, ...field }: Cell & FieldProps): Html {
  if (tenants === undefined) return <TextField {...field} value={text} suggest={SUGGEST} />;
  return tenants.length === 0
    ? <TextField {...field} value={text} />
    : <Select {...field} value={text} options={cellOptions(tenants, text)} />;
}
