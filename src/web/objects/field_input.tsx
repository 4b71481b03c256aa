/** The control of any field in a form. */

import type { FieldErrors } from "../../base/errors.ts";
import { type Field, shapeOf } from "../../resource/mod.ts";
import type { Call } from "../call.ts";
import { Checkbox, type Html, Select, type SelectOption, TextArea, TextField } from "../kit/mod.ts";
import { labelOf } from "../messages.ts";
import { listPath } from "../paths.ts";
import { choicesFor, targetOf } from "./choices.ts";
import type { View } from "./view.ts";

/** Characters beyond which a text gets several lines. */
const LINE_CHARS = 250;

/** What may be chosen, by the names of the fields that have a list to choose from. */
export type Choices = ReadonlyMap<string, readonly SelectOption[]>;

/** Loads the lists of all references among `fields`: one statement or two each. */
export async function loadChoices(call: Call, view: View, fields: readonly Field[]): Promise<Choices> {
  const loaded = await Promise.all(fields.map(async (field) => {
    const own = view.options?.[field.name]?.();
    if (own !== undefined) return [field.name, own] as const;
    const target = targetOf(field);
    return [field.name, target === undefined ? undefined : await choicesFor(call, target)] as const;
  }));
  return new Map(
    loaded.flatMap(([name, options]) => options === undefined ? [] : [[name, options] as const]),
  );
}

/** The control, with what stands in it. */
export function FieldInput(
  { field, value, errors, choices, changing }: {
    field: Field;
    value: string | readonly string[];
    errors: FieldErrors;
    choices: readonly SelectOption[] | undefined;
    changing: boolean;
  },
): Html {
  const shape = shapeOf(field);
  const secret = field.writeOnly;
  const common = {
    name: field.name,
    label: labelOf(field.name),
    help: secret && changing
      ? `${field.description} Empty: as it is.`
      : field.description.replaceAll("`", ""),
    errors,
    ...(field.required && !(secret && changing) ? { required: true } : {}),
  };
  const text = typeof value === "string" ? value : value.join("\n");
  if (shape.kind === "boolean") return <Checkbox {...common} checked={text === "true"} />;
  if (choices !== undefined || shape.choices !== undefined) {
    const options = choices ?? (shape.choices as readonly string[]).map(optionOf);
    const several = typeof value !== "string";
    if (several && options.length === 0) return <NothingToChoose {...common} />;
    const blank = several || (field.required && text !== "") || options.some(([one]) => one === "")
      ? []
      : [["", "–"] as const];
    return <Select {...common} value={value} options={[...blank, ...options]} multiple={several} />;
  }
  switch (shape.kind) {
    case "list":
      return <TextArea {...common} value={text} help={`${common.help} One a line.`} />;
    case "object":
      return <TextArea {...common} value={text} rows={6} mono data={`json:${field.name}`} />;
    case "datetime":
      return <TextField {...common} value={text} type="datetime-local" help={`${common.help} UTC.`} />;
    case "integer":
      return <TextField {...common} value={text} type="number" />;
    case "reference":
    case "references":
      return <Reference field={field} common={common} text={text} />;
    default:
      return isLong(field, shape.maxLength)
        ? <TextArea {...common} value={text} mono={field.long} rows={field.long ? 8 : 3} />
        : (
          <TextField
            {...common}
            value={text}
            type={secret ? "password" : "text"}
            autocomplete={secret ? "new-password" : "off"}
          />
        );
  }
}

/** Nobody can choose from an empty list. */
function NothingToChoose({ label }: { label: string }): Html {
  return (
    <div class="field">
      <span class="label">{label}</span>
      <small>There is nothing to choose from yet.</small>
    </div>
  );
}

/** One of too many to list: a name or an id is typed. */
function Reference(
  { field, common, text }: { field: Field; common: { name: string; help: string }; text: string },
): Html {
  const target = targetOf(field);
  const suggest = target === undefined ? {} : { suggest: `/suggest${listPath(target)}` };
  return <TextField {...common} value={text} {...suggest} help={`${common.help} Its id, or its name.`} />;
}

function optionOf(value: string): SelectOption {
  return [value, value === "" ? "–" : value.replaceAll("_", " ")];
}

function isLong(field: Field, maxLength: number | undefined): boolean {
  return field.long ||
    (maxLength !== undefined && maxLength > LINE_CHARS &&
      /description|notes|comment|reason/.test(field.name));
}
