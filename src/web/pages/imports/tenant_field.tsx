/** The fields for the tenant of imported certificates: of all of them, and of a row of a table. */

import type { FieldErrors } from "../../../base/errors.ts";
import { tenants } from "../../../domain/inventory/mod.ts";
import type { Call } from "../../call.ts";
import { textOf } from "../../forms.ts";
import { type Html, Select, type SelectOption, TextField } from "../../kit/components/mod.ts";
import { choicesFor } from "../../kit/mod.ts";

/** Path of the suggestions. */
const SUGGEST = "/suggest/tenants/";

/** The column of a table with the name of the tenant. */
export const TENANT = "tenant";

/** Renders the field. If the user may view only one tenant, it is preselected. */
export function TenantField(
  { call, options, errors }: {
    call: Call;
    options: readonly SelectOption[] | undefined;
    errors: FieldErrors;
  },
): Html | null {
  if (options?.length === 0) return null;
  const field = { name: TENANT, value: textOf(call.form, TENANT), errors };
  if (options === undefined) return <TextField {...field} suggest={SUGGEST} help="Search by name." />;
  const only = options.length === 1 && !call.session.actor.isSuperuser && !call.form.has(TENANT);
  return (
    <Select
      {...field}
      {...(only ? { value: options[0]?.[0] ?? "" } : {})}
      options={[["", "none"], ...options]}
    />
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

/**
 * Returns how a cell is chosen: from none, the tenants, and its own text, also if no tenant has this name; or from the
 * suggestions for a text.
 * @param tenants What {@link tenantCells} has returned.
 */
export function tenantChoice(
  tenants: readonly SelectOption[] | undefined,
  text: string,
): { readonly options?: readonly SelectOption[]; readonly suggest?: string } {
  if (tenants === undefined) return { suggest: SUGGEST };
  if (tenants.length === 0) return {};
  const known = text === "" || tenants.some(([value]) => value === text);
  return { options: [...(known ? [] : [[text, text] as const]), ["", "none"], ...tenants] };
}
