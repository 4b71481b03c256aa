/** The control of any field in a form. */

import { addText, type FieldErrors } from "../../../base/findings.ts";
import { type Field, isCustomMember, shapeOf } from "../../../resource/mod.ts";
import {
  Checkbox,
  CheckboxList,
  type FieldProps,
  type Html,
  Select,
  type SelectOption,
  TextArea,
  TextField,
  withoutPrivateKey,
} from "../components/mod.ts";
import { labelOf, wordsOf } from "../../messages.ts";
import type { LoadedReference } from "../reference/choices.ts";
import { Reference, References } from "../reference/reference.tsx";
import type { LoadedProposals, Proposals } from "../view.ts";
import { counted } from "../../../base/amounts.ts";

/** Maximum length of texts that have a single line. */
const LINE_CHARS = 250;

/** Renders the control with its value. */
export function FieldInput(
  {
    field,
    help,
    value,
    errors,
    choices,
    reference,
    suggestions,
    proposals,
    changing = false,
    required = false,
    blank,
  }: {
    field: Field;
    help: string;
    value: string | readonly string[];
    errors: FieldErrors;
    /** Choices that the field does not have itself. */
    choices?: readonly SelectOption[] | undefined;
    reference?: LoadedReference | undefined;
    suggestions?: readonly string[] | undefined;
    proposals?: LoadedProposals | undefined;
    changing?: boolean;
    /** Whether it is required although its definition says otherwise. */
    required?: boolean;
    /** Label of the empty choice; default: a dash. */
    blank?: string | undefined;
  },
): Html {
  const shape = shapeOf(field);
  const secret = field.writeOnly && shape.kind !== "boolean";
  const derived = field.shown?.notation === "slug" && !changing;
  // A required reference that is null refers to an object that the user may not view.
  const hidden = changing && field.required && reference !== undefined && value === "";
  const texts = [
    help,
    ...(hidden ? ["You may not view the present object. If you select none, it stays."] : []),
    ...(secret && changing ? ["Leave empty to keep the current value."] : []),
    ...(derived ? ["Leave empty to derive it from the name."] : []),
  ];
  const common = {
    name: field.name,
    label: field.shown?.label ?? labelOf(field.name),
    help: texts.filter(Boolean).join(" "),
    errors,
    ...((field.required || required) && !(secret && changing) && !derived && !hidden
      ? { required: true }
      : {}),
  };
  if (proposals !== undefined) {
    return <ProposalInput common={common} values={[value].flat()} proposals={proposals} />;
  }
  const text = typeof value === "string" ? value : value.join("\n");
  if (field.shown?.notation === "headers") {
    const how = "One on each line: X-Name: value. A name without a value keeps the stored one.";
    return <TextArea {...common} value={text} help={`${common.help} ${how}`} mono />;
  }
  if (shape.kind === "boolean") return <Checkbox {...common} checked={text === "true"} />;
  const known = choices ?? reference?.options ?? shape.choices?.map(optionOf(field)) ?? [];
  const options = [...known, ...formerChoices(field, value, known)];
  const none = (field.required && text !== "") || options.some(([one]) => one === "")
    ? []
    : [["", blank ?? "–"] as const];
  if (reference !== undefined && (reference.options === undefined || typeof value === "string")) {
    return typeof value === "string"
      ? <Reference field={common} reference={reference} values={[value]} empty={none} />
      : <References field={common} reference={reference} values={value} />;
  }
  if (choices !== undefined || reference !== undefined || shape.choices !== undefined) {
    if (typeof value === "string") {
      return <Select {...common} value={value} options={[...none, ...options]} />;
    }
    if (options.length === 0) return <NothingToChoose {...common} />;
    return <CheckboxList {...common} values={value} options={options} />;
  }
  switch (shape.kind) {
    case "list":
      return <TextArea {...common} value={text} help={`${common.help} ${linesHelp(shape.nullable)}`} />;
    case "object":
      return <TextArea {...common} value={text} rows={6} mono />;
    case "datetime":
      return <TextField {...common} value={text} type="datetime-local" help={`${common.help} UTC.`} />;
    case "date":
      return <TextField {...common} value={text} type="date" />;
    case "url":
      return <TextField {...common} value={text} type="url" />;
    case "integer":
      if (isDuration(field)) return <TextField {...common} value={text} />;
      return <TextField {...common} value={text} type="number" />;
    case "decimal":
      return <TextField {...common} value={text} type="number" step="any" />;
    default: {
      const code = field.long || /template/.test(field.name);
      return isLong(field, shape.maxLength) || text.includes("\n")
        ? <TextArea {...common} value={text} mono={code} rows={code ? 8 : 3} />
        : (
          <TextField
            {...common}
            value={text}
            {...(suggestions === undefined ? {} : { list: suggestions })}
            type={secret ? "password" : "text"}
            autocomplete={secret ? "new-password" : "off"}
          />
        );
    }
  }
}

/** Returns help about the notation of lists; null and an empty list can differ. */
function linesHelp(nullable: boolean): string {
  return nullable ? "One per line. Enter none for an empty list." : "One per line.";
}

/** Renders a note if there is nothing to choose. */
function NothingToChoose({ label }: { label: string }): Html {
  return (
    <div class="field">
      <span class="label">{label}</span>
      <small>Nothing to choose from yet.</small>
    </div>
  );
}

/** Returns stored values of a custom field that its choices do not contain any more: saving the form keeps them. */
function formerChoices(
  field: Field,
  value: string | readonly string[],
  known: readonly SelectOption[],
): SelectOption[] {
  if (!isCustomMember(field) || field.shown?.labels === undefined) return [];
  const former = [value].flat().filter((one) => one !== "" && !known.some(([choice]) => choice === one));
  return former.map((one) => [one, `${one} (no longer a choice)`]);
}

function optionOf({ shown: { labels = {} } = {} }: Field): (value: string) => SelectOption {
  return (value) => [value, labels[value] ?? (value === "" ? "–" : wordsOf(value))];
}

/** Returns whether a text often has several lines, which a control with a single line would join. */
function isLong(field: Field, maxLength: number | undefined): boolean {
  return field.long || field.shown?.markdown === true ||
    (maxLength !== undefined && maxLength > LINE_CHARS &&
      /description|notes|comment|reason|template/.test(field.name));
}

/** Returns the values of ticked boxes and of the text field, each once. */
export function proposedValues({ read }: Proposals, texts: readonly string[]): string[] {
  const values = texts.flatMap((text) =>
    // A private key stays whole, so that it is recognized and refused.
    withoutPrivateKey(text) === "" ? [text] : text.split(/[,;\r\n]+/)
  ).map((one) => one.trim()).filter(Boolean);
  return [...new Set(values.map((one) => read?.(one) ?? one))];
}

/** Renders the boxes, and a text field for other values. */
function ProposalInput(
  { common, values, proposals: { options, other, placeholder } }: {
    common: FieldProps & { readonly label: string; readonly errors: FieldErrors };
    values: readonly string[];
    proposals: LoadedProposals;
  },
): Html {
  const { name, errors } = common;
  const others = values.filter((value) => !options.some(([one]) => one === value));
  return (
    <CheckboxList {...common} values={values} options={options}>
      <label class="other">
        {other}
        <input
          type="text"
          name={name}
          value={withoutPrivateKey(others.join(", "))}
          placeholder={placeholder}
          autocomplete="off"
          aria-invalid={Object.hasOwn(errors, name) ? "true" : undefined}
        />
      </label>
    </CheckboxList>
  );
}

const UNITS = [[1_440, "day"], [60, "hour"], [1, "minute"]] as const;

/** Returns whether a field is a number of minutes. */
export function isDuration(field: Field): boolean {
  return field.name.endsWith("_minutes") && !isCustomMember(field) && shapeOf(field).kind === "integer";
}

/** Formats minutes with the largest unit that divides them: `7 days`. */
export function durationText(minutes: number): string {
  const [size, unit] = UNITS.find(([one]) => minutes % one === 0) ?? [1, "minute"];
  return counted(minutes / size, unit);
}

/** Units as users write them. */
const MINUTES: readonly [unit: RegExp, minutes: number][] = [
  [/^(m|min|minutes?)?$/i, 1],
  [/^(h|hours?)$/i, 60],
  [/^(d|days?)$/i, 1_440],
];

/** Returns the minutes of `7 days`, `6 h` or `90`; undefined for anything else. */
export function minutesOf(text: string): number | undefined {
  const [, count, unit = ""] = /^\s*(\d[\d,]{0,11})\s*([a-z]*)\s*$/i.exec(text) ?? [];
  const size = MINUTES.find(([pattern]) => pattern.test(unit))?.[1];
  return count === undefined || size === undefined ? undefined : Number(count.replaceAll(",", "")) * size;
}

/** Returns the headers of lines, with null for a value that keeps its stored one. */
export function headersOf(field: string, given: string, errors: FieldErrors): Record<string, string | null> {
  const lines = given.split("\n").map((line) => line.trim()).filter(Boolean);
  const headers = lines.map((line) => {
    const [name = "", ...rest] = line.split(":");
    return [name.trim(), rest.join(":").trim() || null] as const;
  });
  for (const [index, [name]] of headers.entries()) {
    // An object would lose one of them.
    if (headers.findIndex(([one]) => one === name) === index) continue;
    addText(errors, field, `${JSON.stringify(name)}: This name is given twice.`);
  }
  return Object.fromEntries(headers);
}
