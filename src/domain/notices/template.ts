/** Templates of message bodies: Mustache, without unescaped values, partials and deep nesting. */

import Mustache from "mustache";
import { MAX_PAYLOAD_BYTES, MAX_TEMPLATE_DEPTH } from "./limits.ts";

/** What a template sees. */
export interface TemplateView {
  readonly subject: string;
  readonly text: string;
  readonly count: number;
  readonly notices: readonly Readonly<Record<string, unknown>>[];
}

/** A token of Mustache's syntax tree: its type, its value, and for sections the tokens inside. */
type Token = readonly [type: string, value: string, start: number, end: number, inner?: unknown];

const SAMPLE: TemplateView = {
  subject: 'Sample "subject"',
  text: "Sample\ntext",
  count: 1,
  notices: [{
    event: "expiring",
    title: "Sample",
    url: "https://certs.example/",
    text: "Sample",
    severity: "warning",
    key: "1",
    last: true,
  }],
};

/** Returns why a template cannot be used; undefined if it renders JSON. */
export function templateFault(template: string): string | undefined {
  let tokens: Token[];
  try {
    tokens = Mustache.parse(template) as unknown as Token[];
  } catch (error) {
    return `Invalid template: ${error instanceof Error ? error.message : String(error)}.`;
  }
  const fault = tokensFault(tokens, 0);
  if (fault !== undefined) return fault;
  try {
    JSON.parse(renderTemplate(template, SAMPLE));
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `Expected a template of JSON. With sample values it renders text that is not JSON: ${reason}`;
  }
}

function tokensFault(tokens: readonly Token[], depth: number): string | undefined {
  for (const [type, value, , , inner] of tokens) {
    if (type === "&") {
      return `Unescaped values ({{{${value}}}} and {{&${value}}}) are not allowed. Use {{${value}}}.`;
    }
    if (type === ">") return `Partials ({{>${value}}}) are not allowed.`;
    if (type === "=") return "Other delimiters than {{ }} are not allowed.";
    if (type !== "#" && type !== "^") continue;
    if (depth === MAX_TEMPLATE_DEPTH) return `Sections can be nested ${MAX_TEMPLATE_DEPTH} deep at most.`;
    const fault = tokensFault(inner as Token[], depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Renders a template whose values are escaped as the inside of JSON strings. Throws a RangeError if it gets too long. */
export function renderTemplate(template: string, view: TemplateView): string {
  const text = Mustache.render(template, view, {}, {
    escape: (value: unknown) => JSON.stringify(String(value)).slice(1, -1),
  });
  if (text.length > MAX_PAYLOAD_BYTES) {
    throw new RangeError(`The rendered body exceeds ${MAX_PAYLOAD_BYTES} bytes.`);
  }
  return text;
}
