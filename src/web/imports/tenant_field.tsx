/** The field for the tenant of imported certificates. */

import type { FieldErrors } from "../../base/errors.ts";
import type { Call } from "../call.ts";
import { textOf } from "../forms.ts";
import { type Html, Select, type SelectOption, TextField } from "../components/mod.ts";

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
        suggest="/suggest/tenants/"
        help={`${help ?? ""} Search by name.`.trim()}
      />
    );
  }
  const only = options.length === 1 && !call.session.actor.isSuperuser && !call.form.has("tenant");
  return (
    <Select {...field} value={only ? options[0]?.[0] ?? "" : given} options={[["", "none"], ...options]} />
  );
}
