/**
 * Templates of message bodies: Mustache that renders JSON, with limits, and without unescaped values,
 * partials and deep nesting.
 */

import Mustache from "mustache";

/** Maximum length of a body template. */
export const MAX_BODY_TEMPLATE_CHARS = 4_000;
/** Maximum number of nested sections in a template, because each level multiplies its output. */
const MAX_SECTION_DEPTH = 2;
/** Maximum length of a rendered body, and maximum number of repetitions of sections: a few milliseconds. */
const MAX_RENDERED_CHARS = 256 * 1024;
const MAX_REPETITIONS = 2_000;

/** A token of Mustache's syntax tree: its type, its value, and for sections the tokens inside. */
type Token = readonly [type: string, value: string, start: number, end: number, inner?: unknown];

/** Thrown if a template cannot be rendered with the values. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}

/** Returns why a template cannot be used; undefined if it renders JSON with sample values. */
export function templateFault(template: string, sample: object): string | undefined {
  let tokens: Token[];
  try {
    tokens = new Mustache.Writer().parse(template) as unknown as Token[];
  } catch (error) {
    return `Invalid template: ${error instanceof Error ? error.message : String(error)}.`;
  }
  const fault = tokensFault(tokens, 0);
  if (fault !== undefined) return fault;
  try {
    renderTemplate(template, sample);
    return undefined;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return `Expected a template that renders JSON. With sample values: ${error.message}`;
  }
}

function tokensFault(tokens: readonly Token[], depth: number): string | undefined {
  for (const [type, value, , , inner] of tokens) {
    if (type === "&") {
      return `Unescaped values ({{{${value}}}} and {{&${value}}}) are not allowed. Use {{${value}}}.`;
    }
    if (type === ">") return `Partials ({{>${value}}}) are not allowed.`;
    if (type === "=") return "Delimiters other than {{ }} are not allowed.";
    if (type !== "#" && type !== "^") continue;
    if (depth === MAX_SECTION_DEPTH) return `Sections can be nested ${MAX_SECTION_DEPTH} deep at most.`;
    const fault = tokensFault(inner as Token[], depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/**
 * Renders a template, with its values escaped for JSON strings. Throws a {@link TemplateError} if the result
 * is too long or not JSON.
 */
export function renderTemplate(template: string, values: object): string {
  const text = new LimitedWriter().render(template, withoutPrototypes(values) as object, {}, {
    escape: escaped,
  });
  try {
    JSON.parse(text);
  } catch (error) {
    throw new TemplateError(
      `The template renders text that is not JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return text;
}

function escaped(value: unknown): string {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return JSON.stringify(text.toWellFormed()).slice(1, -1);
}

/**
 * Copies values without prototypes, because Mustache also looks up names there, and calls functions that it
 * finds.
 */
function withoutPrototypes(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.setPrototypeOf(
    Array.isArray(value)
      ? value.map(withoutPrototypes)
      : Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutPrototypes(one)])),
    null,
  );
}

/** Stops a rendering that would take too long or become too large. Parsed templates are not cached. */
class LimitedWriter extends Mustache.Writer {
  #chars = 0;
  #repetitions = 0;

  override renderTokens(...given: Parameters<Mustache.Writer["renderTokens"]>): string {
    if (++this.#repetitions > MAX_REPETITIONS) {
      throw new TemplateError(`The template repeats its sections more than ${MAX_REPETITIONS} times.`);
    }
    return super.renderTokens(...given);
  }

  override rawValue(...given: Parameters<Mustache.Writer["rawValue"]>): string {
    return this.#counted(super.rawValue(...given));
  }

  override escapedValue(...given: Parameters<Mustache.Writer["escapedValue"]>): string {
    return this.#counted(super.escapedValue(...given));
  }

  #counted(text: string | undefined): string {
    this.#chars += text?.length ?? 0;
    if (this.#chars > MAX_RENDERED_CHARS) {
      throw new TemplateError(`The rendered body exceeds ${MAX_RENDERED_CHARS} characters.`);
    }
    return text as string;
  }
}
