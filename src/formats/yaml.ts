/** Writes YAML: a list of maps with the same meaning in YAML 1.1 and 1.2. */

import type { ExportRow, ExportValue, Writer } from "./types.ts";
import { yamlScalar } from "./yaml_scalar.ts";

export function yamlWriter(fields: readonly string[]): Writer {
  const keys = fields.map((field, index) => `${index === 0 ? "- " : "  "}${yamlScalar(field)}:`);
  return {
    begin: "",
    *rows(rows): Generator<string> {
      for (const row of rows) yield item(row, { fields, keys });
    },
    end: (written) => written === 0 ? "[]\n" : "",
  };
}

function item(
  row: ExportRow,
  { fields, keys }: { fields: readonly string[]; keys: readonly string[] },
): string {
  let text = "";
  for (const [index, field] of fields.entries()) text += keys[index] + entry(row[field] ?? null);
  return text;
}

/** Returns the text after a key, including the line end. */
function entry(value: ExportValue): string {
  if (typeof value === "string") return ` ${yamlScalar(value, { indent: 4 })}\n`;
  if (value === null || typeof value !== "object") return ` ${yamlScalar(value)}\n`;
  if (value.length === 0) return " []\n";
  return `\n${value.map((one) => `    - ${yamlScalar(one)}\n`).join("")}`;
}
