/** The control of any field in a form. */

import type { FieldErrors } from "../../base/errors.ts";
import { type Field, shapeOf } from "../../resource/mod.ts";
import { Checkbox, type Html, Select, type SelectOption, TextArea, TextField } from "../components/mod.ts";
import { labelOf } from "../messages.ts";
import { targetOf } from "./choices.ts";
import type { FieldChoices } from "./form_choices.ts";
import { OneReference, SeveralReferences } from "./reference_input.tsx";

/** Characters beyond which a text gets several lines. */
const LINE_CHARS = 250;

/** The control, with what stands in it. */
export function FieldInput(
  { field, value, errors, choices, changing }: {
    field: Field;
    value: string | readonly string[];
    errors: FieldErrors;
    choices: FieldChoices | undefined;
    changing: boolean;
  },
): Html {
  const shape = shapeOf(field);
  const secret = field.writeOnly;
  const common = {
    name: field.name,
    label: labelOf(field.name),
    help: secret && changing
      ? `${field.description} Leave empty to keep the current value.`
      : field.description.replaceAll("`", ""),
    errors,
    ...(field.required && !(secret && changing) ? { required: true } : {}),
  };
  const text = typeof value === "string" ? value : value.join("\n");
  if (shape.kind === "boolean") return <Checkbox {...common} checked={text === "true"} />;
  const target = targetOf(field);
  if (choices !== undefined && !choices.all && target !== undefined) {
    const { options } = choices;
    return typeof value === "string"
      ? <OneReference common={common} target={target} text={value} options={options} />
      : <SeveralReferences common={common} target={target} texts={value} options={options} />;
  }
  if (choices !== undefined || shape.choices !== undefined) {
    const options = choices?.options ?? (shape.choices as readonly string[]).map(optionOf);
    const several = typeof value !== "string";
    if (several && options.length === 0) return <NothingToChoose {...common} />;
    const blank = several || (field.required && text !== "") || options.some(([one]) => one === "")
      ? []
      : [["", "–"] as const];
    return <Select {...common} value={value} options={[...blank, ...options]} multiple={several} />;
  }
  switch (shape.kind) {
    case "list":
      return <TextArea {...common} value={text} help={`${common.help} ${linesHelp(shape.nullable)}`} />;
    case "object":
      return <TextArea {...common} value={text} rows={6} mono />;
    case "datetime":
      return <TextField {...common} value={text} type="datetime-local" help={`${common.help} UTC.`} />;
    case "integer":
      return <TextField {...common} value={text} type="number" />;
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

/** How lists are written; an empty one and none at all differ where both may be. */
function linesHelp(nullable: boolean): string {
  return nullable
    ? "One per line. Enter the word none for an empty list; leave empty for null."
    : "One per line.";
}

/** Nobody can choose from an empty list. */
function NothingToChoose({ label }: { label: string }): Html {
  return (
    <div class="field">
      <span class="label">{label}</span>
      <small>Nothing to choose from yet.</small>
    </div>
  );
}

function optionOf(value: string): SelectOption {
  return [value, value === "" ? "–" : value.replaceAll("_", " ")];
}

function isLong(field: Field, maxLength: number | undefined): boolean {
  return field.long ||
    (maxLength !== undefined && maxLength > LINE_CHARS &&
      /description|notes|comment|reason/.test(field.name));
}
