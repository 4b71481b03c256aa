/** Writes any JSON value as a YAML document that is the same in YAML 1.1 and 1.2. */

import { yamlScalar } from "./yaml_scalar.ts";

/** Returns a JSON value as a block-style YAML document. Undefined members are left out, as in JSON. */
export function yamlDocument(value: unknown): string {
  return node(value, 0).trimStart();
}

/** Returns the text after a key or dash at `indent` columns, including its line end. */
function node(value: unknown, indent: number): string {
  if (Array.isArray(value)) return children(value.map((one) => ["-", one] as const), indent) ?? " []\n";
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return children(members.map(([key, member]) => [`${yamlScalar(key)}:`, member] as const), indent) ??
      " {}\n";
  }
  return ` ${yamlScalar(value as string | number | boolean | null, { indent: indent + 2 })}\n`;
}

function children(members: readonly (readonly [string, unknown])[], indent: number): string | undefined {
  if (members.length === 0) return undefined;
  const margin = " ".repeat(indent);
  let text = "\n";
  for (const [head, value] of members) text += margin + head + node(value, indent + 2);
  return text;
}
