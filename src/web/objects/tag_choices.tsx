/** A choice for each tag when several objects are edited. */

import type { FieldErrors } from "../../base/errors.ts";
import type { Call } from "../call.ts";
import { FieldError, type Html, Select, type SelectOption } from "../components/mod.ts";
import { textOf } from "../forms.ts";

/** Name of the control of a tag: `tag.3`. */
const TAG = /^tag\.(\d{1,15})$/;
const TAG_CHOICES = [["keep", "Keep"], ["add", "Add"], ["remove", "Remove"]] as const;

/** Renders a choice for each tag: keep it as it is, add it to all objects, or remove it from them. */
export function TagChoices(
  { call, options, errors }: { call: Call; options: readonly SelectOption[]; errors: FieldErrors },
): Html {
  return (
    <fieldset class="field" id="f-add_tags">
      <legend class="label">Tags</legend>
      <div class="tag-choices">
        {options.map(([id, label]) => (
          <Select
            name={`tag.${id}`}
            label={label}
            value={textOf(call.form, `tag.${id}`) || "keep"}
            options={TAG_CHOICES}
          />
        ))}
      </div>
      <FieldError name="add_tags" errors={errors} />
    </fieldset>
  );
}

/** Returns the ids of the tags with a choice. */
export function chosenTags(form: FormData, choice: "add" | "remove"): number[] {
  return [...form].flatMap(([name, value]) => {
    const id = TAG.exec(name)?.[1];
    return id !== undefined && value === choice ? [Number(id)] : [];
  });
}
