/** Custom fields in a form. */

import type { CustomMember, Field } from "../../../resource/mod.ts";
import type { Content, Html } from "../components/mod.ts";

/** Renders the controls of custom fields, a section for each group. */
export function CustomGroups(
  { members, control }: { members: readonly CustomMember[]; control: (field: Field) => Content },
): Html {
  const groups = Map.groupBy(members, ({ custom }) => custom.group);
  return (
    <>
      {[...groups].map(([group, fields]) => (
        <fieldset class="custom-group">
          <legend>{group === "" ? "Custom fields" : group}</legend>
          {fields.map(control)}
        </fieldset>
      ))}
    </>
  );
}
