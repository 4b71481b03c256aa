/** The control for headers of a request: a name and a value per line. */

import { addError, type FieldErrors } from "../../../base/errors.ts";
import { FieldError, type FieldProps, type Html, withoutPrivateKey } from "../components/mod.ts";
import { textsOf } from "../../forms.ts";

/** Number of empty lines; a script adds more. */
const SPARE_LINES = 2;

/** Returns the name of the inputs with the values of a field. */
function valuesName(name: string): string {
  return `${name}.value`;
}

/** Returns the lines of a stored object, whose values are not shown. */
export function headerLines(stored: unknown): string[] {
  return Object.keys(stored ?? {}).map((name) => lineOf(name, ""));
}

/** Returns the posted lines; without the empty ones. */
export function postedHeaders(form: FormData, name: string): string[] {
  const values = textsOf(form, valuesName(name));
  return textsOf(form, name).map((header, index) => lineOf(header.trim(), values[index]?.trim() ?? ""))
    .filter((line) => line !== lineOf("", ""));
}

/** Returns the object for the operation, with null for a value that keeps its stored one. */
export function headersOf(
  field: string,
  lines: readonly string[],
  errors: FieldErrors,
): Readonly<Record<string, string | null>> {
  const headers = lines.map(partsOf);
  for (const [index, { name }] of headers.entries()) {
    // An object would lose one of them.
    if (headers.findIndex((one) => one.name === name) === index) continue;
    addError(errors, field, `${JSON.stringify(name)}: This name is given twice.`);
  }
  return Object.fromEntries(headers.map(({ name, value }) => [name, value === "" ? null : value]));
}

function lineOf(name: string, value: string): string {
  return `${name}: ${value}`;
}

function partsOf(line: string): { name: string; value: string } {
  const end = line.indexOf(": ");
  if (end === -1) return { name: line, value: "" };
  return { name: line.slice(0, end), value: line.slice(end + 2) };
}

/** Renders the lines and some empty ones. */
export function HeaderInput(
  { common: { name, label = name, help, errors = {} }, lines, changing }: {
    common: FieldProps;
    lines: readonly string[];
    changing: boolean;
  },
): Html {
  const wrong = Object.hasOwn(errors, name);
  const spare = Array.from({ length: SPARE_LINES }, () => lineOf("", ""));
  return (
    <fieldset class="field pairs" id={`f-${name}`}>
      <legend class="label">{label}</legend>
      {[...lines, ...spare].map((line) => {
        const { name: header, value } = partsOf(line);
        const stored = changing && header !== "" && value === "";
        return (
          <div>
            <input
              type="text"
              name={name}
              value={withoutPrivateKey(header)}
              placeholder="X-Name"
              aria-label="Header"
              aria-invalid={wrong ? "true" : undefined}
              autocomplete="off"
            />
            <input
              type="text"
              name={valuesName(name)}
              value={withoutPrivateKey(value)}
              placeholder={stored ? "as stored" : "value"}
              data-secret
              aria-label="Header value"
              autocomplete="off"
            />
          </div>
        );
      })}
      <button type="button" class="secondary small" data-add-line hidden>Add header</button>
      <small>{help} Clear a name to remove its header.</small>
      <FieldError name={name} errors={errors} />
    </fieldset>
  );
}
